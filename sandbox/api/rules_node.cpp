#include "api/names.hpp"
#include "api/resource.hpp"

#include <set>

namespace sandbox {
namespace {

// The API keeps the single and the plural form in step. A single form that is not the first of the
// plural form replaces it, as in the server's conversion.
void sync_pod_cidrs(Json& object) {
  Json& spec = object["spec"];
  auto single = spec.find("podCIDR");
  auto plural = spec.find("podCIDRs");
  bool has_plural = plural != spec.end() && !plural->empty();
  if (single == spec.end()) {
    if (has_plural) spec["podCIDR"] = (*plural)[0];
  } else if (!has_plural || (*plural)[0] != *single) {
    spec["podCIDRs"] = Json::array({*single});
  }
}

void create_node(Json& object) { sync_pod_cidrs(object); }
void update_node(const Json&, Json& candidate) { sync_pod_cidrs(candidate); }

void validate_taints(const Json& taints, std::vector<Cause>& causes) {
  // The server reports taints below "metadata", although they are part of the spec.
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    std::string path = "metadata.taints[" + std::to_string(i) + "]";
    std::string key = taints[i].value("key", "");
    std::string effect = taints[i].value("effect", "");
    if (auto problem = qualified_name_problem(key)) {
      causes.push_back(invalid_value(path + ".key", key, *problem));
    }
    std::string value = taints[i].value("value", "");
    if (auto problem = label_value_problem(value)) {
      causes.push_back(invalid_value(path + ".value", value, *problem));
    }
    if (effect.empty()) {
      causes.push_back(required_value(path + ".effect", ""));
    } else if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      causes.push_back(
          not_supported(path + ".effect", effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}));
    }
    if (!seen.emplace(key, effect).second) {
      Cause cause = duplicate_value(path, taints[i]);
      cause.message += ": taints must be unique by key and effect pair";
      causes.push_back(cause);
    }
  }
}

void validate_addresses(const Json& addresses, std::vector<Cause>& causes) {
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!seen.emplace(addresses[i].value("type", ""), addresses[i].value("address", "")).second) {
      causes.push_back(
          duplicate_value("status.addresses[" + std::to_string(i) + "]", addresses[i]));
    }
  }
}

void validate_pod_cidrs(const Json& cidrs, std::vector<Cause>& causes) {
  int families[2] = {0, 0};
  for (std::size_t i = 0; i < cidrs.size(); ++i) {
    std::string cidr = cidrs[i];
    std::size_t slash = cidr.find('/');
    bool six = cidr.find(':') != std::string::npos;
    bool shaped = slash != std::string::npos && slash + 1 < cidr.size() &&
                  cidr.find_first_not_of("0123456789abcdefABCDEF.:") == slash &&
                  cidr.find_first_not_of("0123456789", slash + 1) == std::string::npos;
    if (!shaped) {
      causes.push_back(invalid_value("spec.podCIDRs[" + std::to_string(i) + "]", cidr,
                                     "must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
                                     "2001:db8::/64)"));
    }
    ++families[six ? 1 : 0];
  }
  if (families[0] > 1 || families[1] > 1) {
    causes.push_back(invalid_value("spec.podCIDRs", cidrs,
                                   "may specify no more than one CIDR for each IP family"));
  }
}

void validate_change(const Json& old, const Json& object, std::vector<Cause>& causes) {
  const Json& before = old["spec"];
  const Json& after = object["spec"];
  const Json& cidrs = member_or_null(before, "podCIDRs");
  if (!cidrs.empty() && cidrs != member_or_null(after, "podCIDRs")) {
    causes.push_back(forbidden_value(
        "spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid"));
  }
  std::string provider_id = before.value("providerID", "");
  if (!provider_id.empty() && provider_id != after.value("providerID", "")) {
    causes.push_back(forbidden_value(
        "spec.providerID", "node updates may not change providerID except from \"\" to valid"));
  }
  if (before.value("externalID", "") != after.value("externalID", "")) {
    causes.push_back(forbidden_value("spec.externalID", "may not be updated"));
  }
  validate_addresses(member_or_null(object["status"], "addresses"), causes);
}

void validate_node(const Json* old, const Json& object, std::vector<Cause>& causes) {
  validate_taints(member_or_null(object["spec"], "taints"), causes);
  if (old != nullptr) {
    validate_change(*old, object, causes);
  } else {
    validate_pod_cidrs(member_or_null(object["spec"], "podCIDRs"), causes);
  }
}

}  // namespace

const Rules kNodeRules{create_node, update_node, validate_node};

}  // namespace sandbox
