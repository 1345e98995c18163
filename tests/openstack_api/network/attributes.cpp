#include "openstack_api/network/attributes.hpp"

#include <algorithm>
#include <regex>

namespace ccm::openstack_api {
namespace {

constexpr size_t kLongestText = 255;

std::string shown(const json& value) {
  return value.is_string() ? "'" + value.get<std::string>() + "'"
         : value.is_null() ? "None"
                           : "'" + value.dump() + "'";
}

[[noreturn]] void invalid(const std::string& name, const std::string& reason) {
  refuse(400, "HTTPBadRequest", "Invalid input for " + name + ". Reason: " + reason + ".");
}

bool is_uuid(const json& value) {
  static const std::regex kUuid("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}");
  return value.is_string() && std::regex_match(value.get_ref<const std::string&>(), kUuid);
}

void check_text(const std::string& name, const json& value) {
  if (!value.is_string()) invalid(name, shown(value) + " is not a valid string");
  if (value.get_ref<const std::string&>().size() > kLongestText) {
    invalid(name, shown(value) + " exceeds maximum length of " + std::to_string(kLongestText));
  }
}

void check_form(const Attribute& attribute, const json& value) {
  const std::string name = attribute.name;
  switch (attribute.form) {
    case Form::kTextOrNull:
      if (value.is_null()) return;
      [[fallthrough]];
    case Form::kText:
      return check_text(name, value);
    case Form::kIdOrNull:
      if (!value.is_null() && !is_uuid(value)) invalid(name, shown(value) + " is not a valid UUID");
      return;
    case Form::kBoolean:
      if (!value.is_boolean()) invalid(name, shown(value) + " cannot be converted to boolean");
      return;
    case Form::kNumberOrNull:
      if (value.is_null()) return;
      [[fallthrough]];
    case Form::kNumber:
      if (!value.is_number_integer()) invalid(name, shown(value) + " is not an integer");
      return;
    case Form::kList:
      if (!value.is_array()) invalid(name, shown(value) + " is not a list");
      return;
    case Form::kAny:
      return;
  }
}

const Attribute kName = {"name", Form::kText, true, true, "\"\""};
const Attribute kDescription = {"description", Form::kText, true, true, "\"\""};
const Attribute kUp = {"admin_state_up", Form::kBoolean, true, true, "true"};
const Attribute kNetwork = {"network_id", Form::kIdOrNull, true, false, nullptr};

// An attribute that is only read: neither POST nor PUT takes it.
Attribute read_only(const char* name) { return {name, Form::kAny, false, false, "null"}; }

std::vector<Attribute> with_standard(std::vector<Attribute> own) {
  for (const char* name : {"id", "status", "tags", "created_at", "updated_at", "revision_number"}) {
    own.push_back(read_only(name));
  }
  own.push_back({"project_id", Form::kText, true, false, "null"});
  own.push_back({"tenant_id", Form::kText, true, false, "null"});
  return own;
}

}  // namespace

void refuse(int status, const std::string& type, const std::string& message) {
  throw Refusal{
      answer(status, {{"NeutronError", {{"type", type}, {"message", message}, {"detail", ""}}}})};
}

json read_object(const Resource& resource, const Call& call, bool is_put) {
  const json body = json::parse(call.request.body, nullptr, false);
  if (!body.is_object()) refuse(400, "HTTPBadRequest", "Body contains invalid data");
  if (body.contains(resource.collection))
    refuse(400, "HTTPBadRequest", "Bulk operation not supported");
  if (!body.contains(resource.member) || !body.at(resource.member).is_object()) {
    refuse(400, "HTTPBadRequest",
           "Unable to find '" + std::string(resource.member) + "' in request body");
  }
  const json& sent = body.at(resource.member);
  const auto& known = resource.attributes;
  for (const auto& [name, value] : sent.items()) {
    const auto attribute = std::find_if(
        known.begin(), known.end(),
        [&, &wanted = name](const Attribute& candidate) { return candidate.name == wanted; });
    if (attribute == known.end())
      refuse(400, "HTTPBadRequest", "Unrecognized attribute(s) '" + name + "'");
    if (is_put && !attribute->put)
      refuse(400, "HTTPBadRequest", "Cannot update read-only attribute " + name);
    if (!is_put && !attribute->post)
      refuse(400, "HTTPBadRequest", "Attribute '" + name + "' not allowed in POST");
  }
  json object = json::object();
  for (const Attribute& attribute : known) {
    if (sent.contains(attribute.name)) {
      check_form(attribute, sent.at(attribute.name));
      object[attribute.name] = sent.at(attribute.name);
    } else if (!is_put && attribute.post) {
      if (attribute.default_value == nullptr) {
        refuse(400, "HTTPBadRequest",
               "Failed to parse request. Required attribute '" + std::string(attribute.name) +
                   "' not specified");
      }
      object[attribute.name] = json::parse(attribute.default_value);
    }
  }
  return object;
}

std::span<const Resource> network_resources() {
  static const std::vector<Resource> kResources = {
      {"network", "networks", "Network", "NetworkNotFound", "Network % could not be found.",
       with_standard({kName,
                      kDescription,
                      kUp,
                      {"shared", Form::kBoolean, true, true, "false", true},
                      {"router:external", Form::kBoolean, true, true, "false", true},
                      {"port_security_enabled", Form::kBoolean, true, true, "true"},
                      {"mtu", Form::kNumber, true, true, "1450"},
                      {"provider:network_type", Form::kText, true, true, "\"vxlan\"", true},
                      {"provider:physical_network", Form::kTextOrNull, true, true, "null", true},
                      {"provider:segmentation_id", Form::kNumberOrNull, true, true, "null", true},
                      {"availability_zone_hints", Form::kList, true, false, "[]"},
                      {"is_default", Form::kBoolean, true, true, "false"},
                      read_only("availability_zones"),
                      read_only("ipv4_address_scope"),
                      read_only("ipv6_address_scope"),
                      read_only("l2_adjacency"),
                      read_only("subnets")})},
      {"subnet", "subnets", "Subnet", "SubnetNotFound", "Subnet % could not be found.",
       with_standard({kName,
                      kDescription,
                      kNetwork,
                      {"ip_version", Form::kNumber, true, false, nullptr},
                      {"cidr", Form::kTextOrNull, true, false, "null"},
                      {"gateway_ip", Form::kTextOrNull, true, true, "\"\""},
                      {"enable_dhcp", Form::kBoolean, true, true, "true"},
                      {"allocation_pools", Form::kList, true, true, "[]"},
                      {"dns_nameservers", Form::kList, true, true, "[]"},
                      {"host_routes", Form::kList, true, true, "[]"},
                      {"service_types", Form::kList, true, true, "[]"},
                      {"subnetpool_id", Form::kTextOrNull, true, false, "null"},
                      {"ipv6_address_mode", Form::kTextOrNull, true, false, "null"},
                      {"ipv6_ra_mode", Form::kTextOrNull, true, false, "null"},
                      read_only("router:external")})},
      {"port", "ports", "Port", "PortNotFound", "Port % could not be found.",
       with_standard({kName,
                      kDescription,
                      kUp,
                      kNetwork,
                      {"fixed_ips", Form::kList, true, true, "null"},
                      {"device_id", Form::kText, true, true, "\"\""},
                      {"device_owner", Form::kText, true, true, "\"\""},
                      {"mac_address", Form::kTextOrNull, true, true, "null"},
                      {"security_groups", Form::kList, true, true, "null"},
                      {"allowed_address_pairs", Form::kList, true, true, "[]"},
                      {"port_security_enabled", Form::kBoolean, true, true, "true"},
                      {"binding:vnic_type", Form::kText, true, true, "\"normal\""},
                      {"extra_dhcp_opts", Form::kList, true, true, "[]"},
                      read_only("ip_allocation"),
                      read_only("trunk_details")})},
      {"router", "routers", "Router", "RouterNotFound", "Router % could not be found",
       with_standard({kName,
                      kDescription,
                      kUp,
                      {"external_gateway_info", Form::kAny, true, true, "null"},
                      {"routes", Form::kList, false, true, "[]"},
                      {"availability_zone_hints", Form::kList, true, false, "[]"},
                      {"flavor_id", Form::kTextOrNull, true, false, "null"},
                      read_only("availability_zones")})},
      {"floatingip", "floatingips", "Floating IP", "FloatingIPNotFound",
       "Floating IP % could not be found",
       with_standard({kDescription,
                      {"floating_network_id", Form::kIdOrNull, true, false, nullptr},
                      {"port_id", Form::kIdOrNull, true, true, "null"},
                      {"fixed_ip_address", Form::kTextOrNull, true, true, "null"},
                      {"floating_ip_address", Form::kTextOrNull, true, false, "null"},
                      {"subnet_id", Form::kIdOrNull, true, false, "null"},
                      read_only("router_id"),
                      read_only("port_details"),
                      read_only("port_forwardings")})},
      {"security_group", "security_groups", "Security group", "SecurityGroupNotFound",
       "Security group % does not exist",
       with_standard({kName,
                      kDescription,
                      {"stateful", Form::kBoolean, true, true, "true"},
                      read_only("shared"),
                      read_only("security_group_rules")})},
      {"security_group_rule", "security_group_rules", "Security group rule",
       "SecurityGroupRuleNotFound", "Security group rule % does not exist",
       with_standard({kDescription,
                      {"security_group_id", Form::kIdOrNull, true, false, nullptr},
                      {"direction", Form::kText, true, false, nullptr},
                      {"ethertype", Form::kTextOrNull, true, false, "\"IPv4\""},
                      {"protocol", Form::kTextOrNull, true, false, "null"},
                      {"port_range_min", Form::kNumberOrNull, true, false, "null"},
                      {"port_range_max", Form::kNumberOrNull, true, false, "null"},
                      {"remote_ip_prefix", Form::kTextOrNull, true, false, "null"},
                      {"remote_group_id", Form::kTextOrNull, true, false, "null"},
                      {"remote_address_group_id", Form::kTextOrNull, true, false, "null"},
                      read_only("normalized_cidr"),
                      read_only("belongs_to_default_sg")})},
  };
  return kResources;
}

const Resource* resource_at(const std::string& segment) {
  std::string collection = segment;
  std::replace(collection.begin(), collection.end(), '-', '_');
  for (const Resource& resource : network_resources()) {
    if (resource.collection == collection) return &resource;
  }
  return nullptr;
}

}  // namespace ccm::openstack_api
