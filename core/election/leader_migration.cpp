// yaml-cpp throws; nothing leaves parse_leader_migration() but a Status.
#include "election/leader_migration.hpp"

#include "kube/file_text.hpp"
#include "kube/yaml_fields.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>

namespace ccm::election {
namespace {

constexpr std::string_view kComponent = "cloud-controller-manager";
constexpr std::string_view kAnyComponent = "*";
constexpr std::string_view kGroup = "controllermanager.config.k8s.io/";
constexpr const char* kKind = "LeaderMigrationConfiguration";

class MigrationReader : kube::YamlFields {
 public:
  explicit MigrationReader(const std::string& name)
      : YamlFields("leader migration configuration " + name, {}) {}

  LeaderMigration read(const std::string& text) const {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) refuse(std::string("it must be an object of kind ") + kKind);
    const std::string version = read_type(root);
    // The version v1 has no choice of the lock any more.
    if (version == "v1") {
      check_fields(root, {"apiVersion", "kind", "leaderName", "controllerLeaders"}, "the file");
    } else {
      check_fields(root, {"apiVersion", "kind", "leaderName", "resourceLock", "controllerLeaders"},
                   "the file");
      check_lock(text_of(root, "resourceLock", "the file"));
    }
    LeaderMigration migration;
    migration.leader_name = required(root, "leaderName", "the file");
    const YAML::Node list = kube::yaml_member(root, "controllerLeaders");
    if (list && !list.IsNull() && !list.IsSequence()) refuse("controllerLeaders must be a list");
    std::size_t index = 0;
    for (const auto& entry : list) {
      const std::string where = "controllerLeaders[" + std::to_string(index++) + "]";
      if (!entry.IsMap()) refuse(where + " must have name and component");
      check_fields(entry, {"name", "component"}, where);
      migration.controller_leaders.push_back(
          {required(entry, "name", where), required(entry, "component", where)});
    }
    return migration;
  }

 private:
  // The version in apiVersion.
  [[nodiscard]] std::string read_type(const YAML::Node& root) const {
    const std::string kind = text_of(root, "kind", "the file");
    if (kind != kKind) refuse("kind is " + kube::in_quotes(kind) + ", must be " + kKind);
    const std::string api = text_of(root, "apiVersion", "the file");
    std::string version = api.starts_with(kGroup) ? api.substr(kGroup.size()) : "";
    if (version != "v1" && version != "v1beta1" && version != "v1alpha1") {
      refuse("apiVersion is " + kube::in_quotes(api) + ", must be " + std::string(kGroup) +
             "v1, v1beta1 or v1alpha1");
    }
    return version;
  }
  [[nodiscard]] std::string required(const YAML::Node& node, const std::string& key,
                                     const std::string& where) const {
    std::string text = text_of(node, key, where);
    if (text.empty()) refuse(where + ": " + key + " must be given");
    return text;
  }
  void check_lock(const std::string& lock) const {
    if (lock == "leases") return;
    refuse("resourceLock is " + kube::in_quotes(lock) + ", must be leases" +
           (lock == "endpoints" ? ": no release of Kubernetes has the other one any more" : ""));
  }
  void check_fields(const YAML::Node& node, std::initializer_list<std::string_view> known,
                    const std::string& where) const {
    for (const auto& [key, value] : kube::yaml_members(node)) {
      if (std::ranges::find(known, key) == known.end()) {
        refuse(where + " has the unknown field " + kube::in_quotes(key) + "; remove it");
      }
    }
    std::set<std::string> own;
    for (const auto& field : node) {
      const std::string key = field.first.IsScalar() ? field.first.Scalar() : "";
      if (!own.insert(key).second) refuse(where + " has " + key + " twice; remove one of them");
    }
  }
};

}  // namespace

LeaderMigration default_leader_migration() {
  return {"cloud-provider-extraction-migration",
          {{"route-controller", std::string(kAnyComponent)},
           {"service-controller", std::string(kAnyComponent)},
           {"cloud-node-lifecycle-controller", std::string(kAnyComponent)}}};
}

Result<LeaderMigration> parse_leader_migration(const std::string& text, const std::string& name) {
  try {
    return MigrationReader(name).read(text);
  } catch (...) {
    return kube::yaml_failure("leader migration configuration " + name);
  }
}

Result<LeaderMigration> read_leader_migration(const std::string& path) {
  const Result<std::string> text = kube::read_file(path);
  if (!text.ok()) {
    return Status(Code::failed_precondition,
                  "leader migration configuration: " + text.status().message());
  }
  return parse_leader_migration(*text, path);
}

ControllerLease lease_of(const LeaderMigration& migration,
                         const std::vector<std::string_view>& names) {
  ControllerLease lease = ControllerLease::main;
  for (const auto& entry : migration.controller_leaders) {
    if (std::ranges::find(names, entry.name) == names.end()) continue;
    const bool here = entry.component == kComponent || entry.component == kAnyComponent;
    lease = here ? ControllerLease::migration : ControllerLease::none;
  }
  return lease;
}

}  // namespace ccm::election
