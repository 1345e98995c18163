#include "openstack_api/load_balancer/fields.hpp"

#include "openstack_api/network/addresses.hpp"

#include <algorithm>
#include <regex>

namespace ccm::openstack_api {
namespace {

constexpr int64_t kLongestTimeout = 31536000000;

using F = FieldForm;

const Field kName = {"name", F::kText};
const Field kDescription = {"description", F::kText};
const Field kUp = {"admin_state_up", F::kBoolean};
const Field kTags = {"tags", F::kTags};
const Field kProject = {"project_id", F::kText};

std::string shown(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "None" : value.dump();
}

// A list of texts as Python shows it.
std::string python_list(const json& list) {
  std::string out = "[";
  for (const json& item : list) out += (out.size() > 1 ? ", '" : "'") + shown(item) + "'";
  return out + "]";
}

void check_text(const std::string& name, const json& value, const std::string& whole) {
  if (!value.is_string()) refuse_field(name, whole, "Value should be string");
  if (value.get_ref<const std::string&>().size() > 255) {
    refuse_field(name, whole, "Value should have a maximum character requirement of 255");
  }
}

void check_number(const Field& field, const json& value) {
  if (!value.is_number_integer()) refuse_field(field.name, shown(value), "Value should be integer");
  const int64_t number = value;
  if (number < field.least) {
    refuse_field(field.name, shown(value),
                 "Value should be greater or equal to " + std::to_string(field.least));
  }
  if (number > field.most) {
    refuse_field(field.name, shown(value),
                 "Value should be lower or equal to " + std::to_string(field.most));
  }
}

void check_word(const Field& field, const json& value) {
  if (std::find(field.words.begin(), field.words.end(), value) != field.words.end()) return;
  std::string words;
  for (const std::string& word : field.words) words += (words.empty() ? "" : ", ") + word;
  refuse_field(field.name, shown(value), "Value should be one of: " + words);
}

void check_list(const Field& field, const json& value) {
  if (value.is_array()) return;
  refuse_field(field.name, shown(value), "Value not a valid list: " + shown(value));
}

void check_field(const Field& field, const json& value) {
  static const std::regex kUuid("[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}");
  // Null is what is not sent; PUT sets the default by it.
  if (value.is_null() && !field.required) return;
  switch (field.form) {
    case F::kText:
    case F::kUrl:
      return check_text(field.name, value, shown(value));
    case F::kUuid:
      if (!value.is_string() || !std::regex_match(value.get_ref<const std::string&>(), kUuid)) {
        refuse_field(field.name, shown(value), "Value should be UUID format");
      }
      return;
    case F::kAddress:
      if (!value.is_string() || !parse_address(value)) {
        refuse_field(field.name, shown(value), "Value should be IPv4 or IPv6 format");
      }
      return;
    case F::kBoolean:
      if (!value.is_boolean()) refuse_field(field.name, shown(value), "Value should be boolean");
      return;
    case F::kNumber:
      return check_number(field, value);
    case F::kWord:
      return check_word(field, value);
    case F::kCidrs:
      check_list(field, value);
      for (const json& cidr : value) {
        const bool is =
            cidr.is_string() && cidr.get_ref<const std::string&>().find('/') != std::string::npos;
        if (!is || !parse_range(cidr)) {
          refuse_field(field.name, python_list(value), "Value should be IPv4 or IPv6 CIDR format");
        }
      }
      return;
    case F::kTags:
      check_list(field, value);
      for (const json& tag : value) check_text(field.name, tag, python_list(value));
      return;
    case F::kHeaders:
      if (!value.is_object())
        refuse_field(field.name, shown(value), "Value should be a dictionary");
      return;
    case F::kList:
      return check_list(field, value);
    case F::kAny:
      return;
  }
}

}  // namespace

void refuse_octavia(int status, const std::string& message) {
  throw Refusal{answer(status, {{"faultcode", status < 500 ? "Client" : "Server"},
                                {"faultstring", message},
                                {"debuginfo", nullptr}})};
}

void refuse_field(const std::string& name, const std::string& value, const std::string& reason) {
  refuse_octavia(
      400, "Invalid input for field/attribute " + name + ". Value: '" + value + "'. " + reason);
}

void check_fields(const json& object, const std::string& argument, const Fields& fields) {
  for (const auto& [name, value] : object.items()) {
    const bool known =
        std::any_of(fields.begin(), fields.end(),
                    [&, &wanted = name](const Field& field) { return field.name == wanted; });
    if (!known) refuse_octavia(400, "Unknown attribute for argument " + argument + ": " + name);
  }
  for (const Field& field : fields) {
    if (object.contains(field.name)) check_field(field, object.at(field.name));
    if (field.required && !object.contains(field.name))
      refuse_field(field.name, "None", "Mandatory field missing.");
  }
}

json read_fields(const Request& request, const char* member, const std::string& argument,
                 const Fields& fields) {
  const json body = json::parse(request.body, nullptr, false);
  if (body.is_discarded()) refuse_octavia(400, "Request is not in valid JSON format");
  if (!body.is_object() || body.empty()) {
    refuse_octavia(500, "'UnsetType' object has no attribute 'project_id'");
  }
  if (!body.contains(member) || !body.at(member).is_object()) {
    refuse_field(argument, body.dump(), "unable to convert to the request's type");
  }
  const json& object = body.at(member);
  check_fields(object, argument + "." + member, fields);
  return object;
}

const Fields& load_balancer_fields(bool create) {
  static const Fields kPut = {
      kName, kDescription, kUp, kTags, {"vip_qos_policy_id", F::kUuid}, {"vip_sg_ids", F::kList}};
  static const Fields kPost = [] {
    Fields fields = kPut;
    fields.insert(fields.end(), {kProject,
                                 {"tenant_id", F::kText},
                                 {"vip_address", F::kAddress},
                                 {"vip_port_id", F::kUuid},
                                 {"vip_subnet_id", F::kUuid},
                                 {"vip_network_id", F::kUuid},
                                 {"additional_vips", F::kList},
                                 {"listeners", F::kList},
                                 {"pools", F::kList},
                                 {"provider", F::kText},
                                 {"flavor_id", F::kUuid},
                                 {"availability_zone", F::kText}});
    return fields;
  }();
  return create ? kPost : kPut;
}

const Fields& listener_fields(bool create, bool nested) {
  static const Fields kPut = {kName,
                              kDescription,
                              kUp,
                              kTags,
                              {"connection_limit", F::kNumber, false, -1, INT32_MAX},
                              {"default_tls_container_ref", F::kUrl},
                              {"sni_container_refs", F::kList},
                              {"insert_headers", F::kHeaders},
                              {"default_pool_id", F::kUuid},
                              {"timeout_client_data", F::kNumber, false, 0, kLongestTimeout},
                              {"timeout_member_connect", F::kNumber, false, 0, kLongestTimeout},
                              {"timeout_member_data", F::kNumber, false, 0, kLongestTimeout},
                              {"timeout_tcp_inspect", F::kNumber, false, 0, kLongestTimeout},
                              {"client_ca_tls_container_ref", F::kUrl},
                              {"client_authentication", F::kText},
                              {"client_crl_container_ref", F::kUrl},
                              {"allowed_cidrs", F::kCidrs},
                              {"tls_ciphers", F::kText},
                              {"tls_versions", F::kList},
                              {"alpn_protocols", F::kList},
                              {"hsts_max_age", F::kNumber, false, 0, INT32_MAX},
                              {"hsts_include_subdomains", F::kBoolean},
                              {"hsts_preload", F::kBoolean}};
  static const Fields kNested = [] {
    Fields fields = kPut;
    fields.insert(fields.end(),
                  {{"protocol",
                    F::kWord,
                    true,
                    0,
                    0,
                    {"TCP", "HTTP", "HTTPS", "TERMINATED_HTTPS", "UDP", "SCTP", "PROMETHEUS"}},
                   {"protocol_port", F::kNumber, true, 1, 65535},
                   {"default_pool", F::kAny},
                   {"l7policies", F::kList}});
    return fields;
  }();
  static const Fields kPost = [] {
    Fields fields = kNested;
    fields.insert(fields.end(),
                  {kProject, {"tenant_id", F::kText}, {"loadbalancer_id", F::kUuid, true}});
    return fields;
  }();
  return nested ? kNested : create ? kPost : kPut;
}

const Fields& pool_fields(bool create, bool nested) {
  static const std::vector<std::string> kAlgorithms = {"ROUND_ROBIN", "LEAST_CONNECTIONS",
                                                       "SOURCE_IP", "SOURCE_IP_PORT"};
  static const Fields kCommon = {kName,
                                 kDescription,
                                 kUp,
                                 kTags,
                                 {"session_persistence", F::kAny},
                                 {"tls_container_ref", F::kUrl},
                                 {"ca_tls_container_ref", F::kUrl},
                                 {"crl_container_ref", F::kUrl},
                                 {"tls_enabled", F::kBoolean},
                                 {"tls_ciphers", F::kText},
                                 {"tls_versions", F::kList},
                                 {"alpn_protocols", F::kList}};
  static const Fields kPut = [] {
    Fields fields = kCommon;
    fields.push_back({"lb_algorithm", F::kWord, false, 0, 0, kAlgorithms});
    return fields;
  }();
  static const Fields kNested = [] {
    Fields fields = kCommon;
    fields.insert(fields.end(), {{"protocol",
                                  F::kWord,
                                  true,
                                  0,
                                  0,
                                  {"TCP", "HTTP", "HTTPS", "PROXY", "PROXYV2", "UDP", "SCTP"}},
                                 {"lb_algorithm", F::kWord, true, 0, 0, kAlgorithms},
                                 {"healthmonitor", F::kAny},
                                 {"members", F::kList}});
    return fields;
  }();
  static const Fields kPost = [] {
    Fields fields = kNested;
    fields.insert(fields.end(), {kProject,
                                 {"tenant_id", F::kText},
                                 {"loadbalancer_id", F::kUuid},
                                 {"listener_id", F::kUuid}});
    return fields;
  }();
  return nested ? kNested : create ? kPost : kPut;
}

const Fields& member_fields(bool create) {
  static const Fields kPut = {kName,
                              kUp,
                              kTags,
                              {"weight", F::kNumber, false, 0, 256},
                              {"backup", F::kBoolean},
                              {"monitor_address", F::kAddress},
                              {"monitor_port", F::kNumber, false, 1, 65535}};
  static const Fields kPost = [] {
    Fields fields = kPut;
    fields.insert(fields.end(), {{"address", F::kAddress, true},
                                 {"protocol_port", F::kNumber, true, 1, 65535},
                                 {"subnet_id", F::kUuid},
                                 {"vnic_type", F::kText},
                                 kProject,
                                 {"tenant_id", F::kText}});
    return fields;
  }();
  return create ? kPost : kPut;
}

const Fields& monitor_fields(bool create, bool nested) {
  static const Fields kCommon = {kName,
                                 kUp,
                                 kTags,
                                 {"max_retries_down", F::kNumber, false, 1, 10},
                                 {"http_method", F::kText},
                                 {"http_version", F::kAny},
                                 {"url_path", F::kText},
                                 {"expected_codes", F::kText},
                                 {"domain_name", F::kText}};
  static const auto kWithNumbers = [](bool required) {
    Fields fields = kCommon;
    fields.insert(fields.end(), {{"delay", F::kNumber, required, 0, INT32_MAX},
                                 {"timeout", F::kNumber, required, 0, INT32_MAX},
                                 {"max_retries", F::kNumber, required, 1, 10}});
    return fields;
  };
  static const Fields kPut = kWithNumbers(false);
  static const Fields kNested = [] {
    Fields fields = kWithNumbers(true);
    fields.push_back({"type",
                      F::kWord,
                      true,
                      0,
                      0,
                      {"HTTP", "HTTPS", "PING", "TCP", "TLS-HELLO", "UDP-CONNECT", "SCTP"}});
    return fields;
  }();
  static const Fields kPost = [] {
    Fields fields = kNested;
    fields.insert(fields.end(), {{"pool_id", F::kUuid, true}, kProject, {"tenant_id", F::kText}});
    return fields;
  }();
  return nested ? kNested : create ? kPost : kPut;
}

}  // namespace ccm::openstack_api
