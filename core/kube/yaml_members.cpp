#include "kube/yaml_members.hpp"

#include <cstddef>
#include <set>

namespace ccm::kube {
namespace {

// Aliases make a short text a large tree, or one without an end.
constexpr std::size_t kMostMerged = 1'000;  // members for one map, those that lose included
constexpr int kMostLevels = 32;

bool is_merge_key(const YAML::Node& key) {
  // yaml-cpp marks quoted scalars with the tag "!".
  return key.IsScalar() && key.Scalar() == "<<" && key.Tag() != "!";
}

// Visits the members of a map and of those that it merges, until one is taken.
template <typename Take>
class Visit {
 public:
  explicit Visit(Take take) : take_(std::move(take)) {}

  // True: one was taken.
  bool map(const YAML::Node& node, int level) {
    if (level > kMostLevels) throw YamlMergeFault(node.Mark(), "merge keys nest too deep");
    std::vector<YAML::Node> merged;
    for (const auto& item : node) {
      if (level > 0 && ++merged_ > kMostMerged) {
        throw YamlMergeFault(node.Mark(), "too many merged members");
      }
      if (is_merge_key(item.first)) {
        merged.push_back(item.second);
      } else if (item.first.IsScalar() && take_(item.first.Scalar(), item.second)) {
        return true;
      }
    }
    for (const YAML::Node& each : merged) {
      if (merge(each, level)) return true;
    }
    return false;
  }

 private:
  bool merge(const YAML::Node& from, int level) {
    if (from.IsMap()) return map(from, level + 1);
    if (!from.IsSequence()) throw YamlMergeFault(from.Mark(), "<< merges maps only");
    for (const YAML::Node& each : from) {
      if (!each.IsMap()) throw YamlMergeFault(each.Mark(), "<< merges maps only");
      if (map(each, level + 1)) return true;
    }
    return false;
  }

  Take take_;
  std::size_t merged_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, YAML::Node>> yaml_members(const YAML::Node& map) {
  std::vector<std::pair<std::string, YAML::Node>> all;
  if (!map.IsDefined() || !map.IsMap()) return all;
  std::set<std::string> known;
  Visit visit([&](const std::string& key, const YAML::Node& value) {
    if (known.insert(key).second) all.emplace_back(key, value);
    return false;
  });
  visit.map(map, 0);
  return all;
}

YAML::Node yaml_member(const YAML::Node& map, const std::string& key) {
  YAML::Node found(YAML::NodeType::Undefined);
  if (!map.IsDefined() || !map.IsMap()) return found;
  Visit visit([&](const std::string& name, const YAML::Node& value) {
    if (name != key) return false;
    found.reset(value);
    return true;
  });
  visit.map(map, 0);
  return found;
}

}  // namespace ccm::kube
