#include "openstack_api/network/security_groups.hpp"

#include "openstack_api/network/addresses.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::openstack_api {
namespace {

constexpr std::array kProtocols = {
    "ah",        "any",        "dccp",      "egp",        "esp",  "gre",        "hopopt",
    "icmp",      "icmpv6",     "igmp",      "ip",         "ipip", "ipv6-encap", "ipv6-frag",
    "ipv6-icmp", "ipv6-nonxt", "ipv6-opts", "ipv6-route", "ospf", "pgm",        "rsvp",
    "sctp",      "tcp",        "udp",       "udplite",    "vrrp"};

void check_enum(const char* name, const json& value, std::initializer_list<const char*> known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  refuse(400, "HTTPBadRequest",
         "Invalid input for " + std::string(name) + ". Reason: " + value.get<std::string>() +
             " is not in valid_values.");
}

bool is_protocol(const json& protocol) {
  if (protocol.is_null()) return true;
  const auto& name = protocol.get_ref<const std::string&>();
  const bool number =
      !name.empty() && name.size() <= 3 && name.find_first_not_of("0123456789") == name.npos;
  return std::find(kProtocols.begin(), kProtocols.end(), name) != kProtocols.end() ||
         (number && std::stoi(name) <= 255);
}

// Whether two rules are the same.
bool same_rule(const json& a, const json& b) {
  for (const char* name :
       {"security_group_id", "direction", "ethertype", "protocol", "port_range_min",
        "port_range_max", "normalized_cidr", "remote_group_id", "remote_address_group_id"}) {
    if (a.at(name) != b.at(name)) return false;
  }
  return true;
}

}  // namespace

void SecurityGroups::make(json& group) {
  group.update({{"shared", false}});
  // Everything may leave.
  for (const char* family : {"IPv4", "IPv6"}) {
    json rule = {{"id", store_.world().new_id()},
                 {"security_group_id", group.at("id")},
                 {"direction", "egress"},
                 {"ethertype", family},
                 {"description", nullptr},
                 {"belongs_to_default_sg", group.at("name") == "default"},
                 {"project_id", group.at("project_id")},
                 {"tenant_id", group.at("project_id")},
                 {"updated_at", group.at("updated_at")},
                 {"revision_number", 0},
                 {"created_at", group.at("created_at")},
                 {".standard_attr_id", ++store_.world().made},
                 {".tags", json::array()}};
    for (const char* name : {"protocol", "port_range_min", "port_range_max", "remote_ip_prefix",
                             "remote_group_id", "remote_address_group_id", "normalized_cidr"}) {
      rule[name] = nullptr;
    }
    store_.of("security_group_rules").add(std::move(rule));
  }
}

// Made when it is first needed, as Neutron does.
std::string SecurityGroups::default_group(const std::string& project_id) {
  for (const json& group : store_.of("security_groups")) {
    if (group.at("project_id") == project_id && group.at("name") == "default")
      return group.at("id");
  }
  json group = store_.begin(*resource_at("security_groups"), project_id,
                            {{"name", "default"}, {"description", "Default security group"}});
  make(group);
  return store_.of("security_groups").add(std::move(group)).at("id");
}

void SecurityGroups::make_rule(json& rule) {
  check_enum("direction", rule.at("direction"), {"ingress", "egress"});
  check_enum("ethertype", rule.at("ethertype"), {"IPv4", "IPv6"});
  const json& protocol = rule.at("protocol");
  if (!is_protocol(protocol)) {
    std::string known = "None";
    for (const char* name :
         {"any",    "ah",         "dccp",      "egp",        "esp",        "gre",       "hopopt",
          "icmp",   "igmp",       "ip",        "ipip",       "ipv6-encap", "ipv6-frag", "ipv6-icmp",
          "icmpv6", "ipv6-nonxt", "ipv6-opts", "ipv6-route", "ospf",       "pgm",       "rsvp",
          "sctp",   "tcp",        "udp",       "udplite",    "vrrp"}) {
      known += std::string(", '") + name + "'";
    }
    refuse(400, "SecurityGroupRuleInvalidProtocol",
           "Security group rule protocol " + protocol.get<std::string>() +
               " not supported. Only protocol values (" + known +
               ") and integer representations [0 to 255] are supported.");
  }
  const json& first = rule.at("port_range_min");
  const json& last = rule.at("port_range_max");
  if (!first.is_null() && !last.is_null() && first > last) {
    refuse(400, "SecurityGroupInvalidPortRange",
           "For TCP/UDP protocols, port_range_min must be <= port_range_max");
  }
  rule["normalized_cidr"] = nullptr;
  if (const json& prefix = rule.at("remote_ip_prefix"); !prefix.is_null()) {
    const std::string text = prefix;
    const auto range = parse_range(text);
    if (!range)
      refuse(
          400, "HTTPBadRequest",
          "Invalid input for remote_ip_prefix. Reason: '" + text + "' is not a valid IP subnet.");
    if (range->address.v6 != (rule.at("ethertype") == "IPv6")) {
      refuse(400, "SecurityGroupRuleParameterConflict",
             "Conflicting value ethertype " + rule.at("ethertype").get<std::string>() +
                 " for CIDR " + text);
    }
    rule["normalized_cidr"] = range->text();
  }
  const std::string group_id = rule.at("security_group_id");
  json* group = store_.of("security_groups").find(group_id);
  if (group == nullptr || group->at("project_id") != rule.at("project_id")) {
    refuse(404, "SecurityGroupNotFound", "Security group " + group_id + " does not exist");
  }
  for (const json& known : store_.of("security_group_rules")) {
    if (!same_rule(known, rule)) continue;
    refuse(409, "SecurityGroupRuleExists",
           "Security group rule already exists. Rule id is " + known.at("id").get<std::string>() +
               ".");
  }
  rule.update({{"belongs_to_default_sg", group->at("name") == "default"},
               {".standard_attr_id", ++store_.world().made},
               {".tags", json::array()}});
  rule.erase("tags");
  store_.touch(*group);
}

void SecurityGroups::check(const json& groups) const {
  for (const json& id : groups) {
    if (store_.of("security_groups").find(id) != nullptr) continue;
    refuse(404, "SecurityGroupNotFound",
           "Security group " + id.get<std::string>() + " does not exist");
  }
}

void SecurityGroups::remove_rules(const std::string& group_id) {
  for (const json& port : store_.of("ports")) {
    const json& groups = port.at("security_groups");
    if (std::find(groups.begin(), groups.end(), group_id) != groups.end()) {
      refuse(409, "SecurityGroupInUse", "Security Group " + group_id + " in use.");
    }
  }
  store_.of("security_group_rules").remove_if([&](const json& rule) {
    return rule.at("security_group_id") == group_id;
  });
}

}  // namespace ccm::openstack_api
