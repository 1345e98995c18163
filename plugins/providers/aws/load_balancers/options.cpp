#include "options.hpp"

#include <ccm/cidr.hpp>
#include <ccm/hexadecimal.hpp>
#include <ccm/lower_case.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace ccm::aws {
namespace {

constexpr std::string_view kNetworkClass = "service.k8s.aws/nlb";
constexpr int64_t kMostPort = 65'535;

// All that one reading needs.
struct OptionReading {
  const LoadBalancerService& service;
  const Settings& settings;
  Annotations given;
  ServiceOptions out;

  [[nodiscard]] bool network() const { return out.kind == Kind::network; }
  void warn(std::string_view name, std::string_view why) {
    std::string text(name);
    text.append(": ").append(why);
    out.problems.push_back({"AnnotationNotFollowed", std::move(text)});
  }
  void refuse_if_new(std::string_view name, std::string_view why) {
    warn(name, why);
    if (out.refused_if_new.ok()) out.refused_if_new = given.refusal(name, why);
  }
};

bool is_all(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// "sg-" and 8 or 17 hexadecimal digits; the same of other prefixes.
bool is_resource_id(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  const std::string_view digits = text.substr(prefix.size());
  return (digits.size() == 8 || digits.size() == 17) && is_all(digits, kHexadecimalDigits);
}

bool is_arn(std::string_view text) {
  return text.starts_with("arn:") && std::count(text.begin(), text.end(), ':') >= 5 &&
         text.size() <= 2048 && text.find_first_of(" \t\r\n\"<>") == std::string_view::npos;
}

void check_ids(OptionReading& reading, std::string_view name, std::string_view prefix,
               const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    if (!is_resource_id(id, prefix)) {
      reading.given.refuse(name, "\"" + shown_value(id) + "\" is no id " + std::string(prefix) +
                                     "0123456789abcdef0");
    }
  }
}

// Scheme: of the controller of AWS, and before the Go manager's own (AWS-70, 96).
void read_scheme(OptionReading& reading) {
  const std::string internal = reading.given.text_or_empty(annotation::kInternal);
  reading.out.internal = !internal.empty() && internal != "false";
  const std::string scheme = reading.given.text_or_empty(annotation::kScheme);
  if (scheme.empty()) return;
  if (scheme != "internal" && scheme != "internet-facing") {
    reading.refuse_if_new(annotation::kScheme, "it is neither internal nor internet-facing");
    return;
  }
  reading.out.internal = scheme == "internal";
}

bool is_reserved_tag(std::string_view key) {
  return key.starts_with(kClusterTagPrefix) || key == kServiceTag || key == kLegacyClusterTag ||
         key.starts_with("aws:") || key.starts_with("cloud-controller-manager/");
}

// Other controllers take what bears their tags for what they may use or delete: Karpenter gives
// Nodes such a security group.
bool is_other_controllers_tag(std::string_view key) {
  const std::string domain = "." + std::string(key.substr(0, key.find('/')));
  return domain.ends_with(".karpenter.sh") || domain.ends_with(".k8s.io") ||
         domain.ends_with(".k8s.aws");
}

// Users cannot write the tags that say whose a load balancer is (AWS-68).
void read_tags(OptionReading& reading) {
  constexpr std::size_t kMostTags = 40;  // of 50, and some are ours
  constexpr std::size_t kLongestKey = 128;
  constexpr std::size_t kLongestValue = 256;
  const std::string_view name = annotation::kAdditionalResourceTags;
  for (auto& [key, value] : reading.given.pairs(name)) {
    if (is_reserved_tag(key)) {
      reading.warn(name, "the tag " + shown_value(key) + " is the manager's own");
    } else if (is_other_controllers_tag(key)) {
      reading.warn(name, "the tag " + shown_value(key) + " is another controller's");
    } else if (key.size() > kLongestKey || value.size() > kLongestValue) {
      reading.given.refuse(name, "a tag has a key of more than 128 or a value of more than 256");
    } else {
      reading.out.tags[key] = value;
    }
  }
  if (reading.out.tags.size() > kMostTags) reading.given.refuse(name, "more than 40 tags");
}

void read_groups(OptionReading& reading) {
  reading.out.security_groups = reading.given.list(annotation::kSecurityGroups);
  if (!reading.network()) {  // whether they count, and are there, the planner knows
    check_ids(reading, annotation::kSecurityGroups, "sg-", reading.out.security_groups);
  }
  reading.out.extra_security_groups = reading.given.list(annotation::kExtraSecurityGroups);
  check_ids(reading, annotation::kExtraSecurityGroups, "sg-", reading.out.extra_security_groups);
  if (reading.network() && !reading.out.extra_security_groups.empty()) {
    reading.given.refuse(annotation::kExtraSecurityGroups,
                         "it is not supported for a Network Load Balancer");
  }
}

// An empty list is an error, as it is for the Go manager (AWS-75).
void read_subnets(OptionReading& reading) {
  constexpr std::size_t kMostSubnets = 50;
  const std::string_view name = annotation::kSubnets;
  reading.out.subnets = reading.given.list(name);
  if (reading.given.text(name) && reading.out.subnets.empty()) {
    reading.given.refuse(name, "unable to resolve empty subnet slice");
  }
  if (reading.out.subnets.size() > kMostSubnets) reading.given.refuse(name, "more than 50 subnets");
}

void read_tls(OptionReading& reading) {
  constexpr std::size_t kMostCertificates = 25;
  const std::string_view name = annotation::kSslCert;
  reading.out.certificates = reading.given.list(name);
  for (const std::string& arn : reading.out.certificates) {
    if (!is_arn(arn)) reading.given.refuse(name, "\"" + shown_value(arn) + "\" is no ARN");
  }
  if (!reading.network() && reading.out.certificates.size() > 1) {
    reading.given.refuse(name, "a classic load balancer takes one certificate");
  }
  if (reading.out.certificates.size() > kMostCertificates) {
    reading.given.refuse(name, "more than 25 certificates");
  }
  reading.out.ssl_policy = reading.given.text_or_empty(annotation::kSslNegotiationPolicy);
  reading.out.backend_protocol = reading.given.text_or_empty(annotation::kBackendProtocol);
  const auto ports = reading.given.list(annotation::kSslPorts);
  if (ports.empty() || (ports.size() == 1 && ports.front() == "*")) return;
  reading.out.ssl_ports.emplace();
  for (const std::string& port : ports) reading.out.ssl_ports->insert(lower_case(port));
}

void check_backend_protocol(OptionReading& reading) {
  const std::string& protocol = reading.out.backend_protocol;
  if (protocol.empty()) return;
  for (const std::string_view known : {"http", "https", "ssl", "tcp"}) {
    if (protocol == known) return;
  }
  if (reading.network() || reading.out.certificates.empty()) {  // as the Go manager has it
    reading.warn(annotation::kBackendProtocol, "it is none of http, https, ssl, tcp");
    return;
  }
  reading.given.refuse(annotation::kBackendProtocol, "Invalid backend protocol " +
                                                         shown_value(protocol) + " for " +
                                                         reading.out.certificates.front());
}

// Over which attributes of target groups a Service decides, and their values (AWS-102).
struct KnownAttribute {
  std::string_view key;
  int64_t least;  // least == most: true, false
  int64_t most;
};
constexpr std::array<KnownAttribute, 13> kGroupAttributes{{
    {"preserve_client_ip.enabled", 0, 0},
    {"proxy_protocol_v2.enabled", 0, 0},
    {"deregistration_delay.connection_termination.enabled", 0, 0},
    {"deregistration_delay.timeout_seconds", 0, 3600},
    {"stickiness.enabled", 0, 0},
    {"stickiness.type", 0, 0},
    {"target_group_health.dns_failover.minimum_healthy_targets.count", 1, 5000},
    {"target_group_health.dns_failover.minimum_healthy_targets.percentage", 1, 100},
    {"target_group_health.unhealthy_state_routing.minimum_healthy_targets.count", 1, 5000},
    {"target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage", 1, 100},
    {"target_health_state.unhealthy.connection_termination.enabled", 0, 0},
    {"target_health_state.unhealthy.draining_interval_seconds", 0, 360'000},
    {"load_balancing.cross_zone.enabled", 1, 1},  // also use_load_balancer_configuration
}};
constexpr std::array<KnownAttribute, 5> kBalancerAttributes{{
    {"load_balancing.cross_zone.enabled", 0, 0},
    {"deletion_protection.enabled", 0, 0},
    {"ipv6.deny_all_igw_traffic", 0, 0},
    {"secondary_ips.auto_assigned.per_subnet", 0, 7},
    {"zonal_shift.config.enabled", 0, 0},
}};

bool is_boolean_word(std::string_view text) { return text == "true" || text == "false"; }

bool fits(const KnownAttribute& attribute, const std::string& value) {
  if (attribute.key == "stickiness.type") return value == "source_ip";
  if (value == "off" && attribute.key.starts_with("target_group_health.")) return true;
  if (attribute.least == 1 && attribute.most == 1) {
    return is_boolean_word(value) || value == "use_load_balancer_configuration";
  }
  if (attribute.least == attribute.most) return is_boolean_word(value);
  constexpr std::size_t kMostDigits = 9;
  if (value.size() > kMostDigits || !is_all(value, "0123456789")) return false;
  const int64_t number = std::stoll(value);
  return number >= attribute.least && number <= attribute.most;
}

void take_attribute(OptionReading& reading, std::string_view name, const KnownAttribute* known,
                    const std::string& key, const std::string& value, Tags& out) {
  std::string why;
  if (known == nullptr) {
    why = "the attribute \"" + shown_value(key) +
          "\" is not supported by the controller or is invalid";
  } else if (!fits(*known, value)) {
    why = "\"" + shown_value(value) + "\" is no value of " + key;
  } else {
    out[key] = value;
    return;
  }
  if (name == annotation::kAttributes) {
    reading.refuse_if_new(name, why);
  } else {
    reading.given.refuse(name, why);
  }
}

template <typename Known>
const KnownAttribute* find_attribute(const Known& known, std::string_view key) {
  for (const KnownAttribute& attribute : known) {
    if (attribute.key == key) return &attribute;
  }
  return nullptr;
}

bool has_udp(const LoadBalancerService& service) {
  return std::any_of(service.ports.begin(), service.ports.end(),
                     [](const ServicePort& port) { return port.protocol == "UDP"; });
}

void read_group_attributes(OptionReading& reading) {
  const std::string_view name = annotation::kTargetGroupAttributes;
  const auto pairs = reading.given.pairs(name);
  if (!reading.network()) {
    if (!pairs.empty()) reading.given.refuse(name, "it needs a Network Load Balancer");
    return;
  }
  for (const auto& [key, value] : pairs) {
    take_attribute(reading, name, find_attribute(kGroupAttributes, key), key, value,
                   reading.out.group_attributes);
  }
  Tags& out = reading.out.group_attributes;
  if (has_udp(reading.service) && out.contains("preserve_client_ip.enabled") &&
      out["preserve_client_ip.enabled"] == "false") {
    reading.given.refuse(name, "preserve_client_ip.enabled cannot be false for UDP");
  }
}

// "*" is what the controller of AWS takes, and of a classic one all that there is (AWS-85, 102).
void read_proxy_protocol(OptionReading& reading) {
  const auto given = reading.given.text(annotation::kProxyProtocol);
  if (!given || given->empty()) return;
  if (*given != "*" && reading.network()) {
    reading.refuse_if_new(annotation::kProxyProtocol, "currently only \"*\" is supported");
  } else if (*given != "*") {
    reading.given.refuse(annotation::kProxyProtocol, "currently only \"*\" is supported");
  } else if (reading.network()) {
    reading.out.group_attributes.try_emplace("proxy_protocol_v2.enabled", "true");
  } else {
    reading.out.proxy_protocol = true;
  }
}

void read_access_log(OptionReading& reading) {
  Annotations& given = reading.given;
  ClassicAttributes& log = reading.out.classic;
  log.access_log = given.boolean(annotation::kAccessLogEnabled, false);
  if (!reading.network()) {
    log.emit_interval = given.integer(annotation::kAccessLogEmitInterval, 60, 5, 60);
  }
  if (log.emit_interval != 5 && log.emit_interval != 60) {
    given.refuse(annotation::kAccessLogEmitInterval, "it is neither 5 nor 60");
  }
  log.bucket = given.text_or_empty(annotation::kAccessLogS3BucketName);
  log.prefix = given.text_or_empty(annotation::kAccessLogS3BucketPrefix);
  if (log.access_log && log.bucket.empty()) {
    given.refuse(annotation::kAccessLogEnabled, "it needs access-log-s3-bucket-name");
  }
}

void read_attributes(OptionReading& reading) {
  Annotations& given = reading.given;
  ClassicAttributes& classic = reading.out.classic;
  read_access_log(reading);
  classic.cross_zone = given.boolean(annotation::kCrossZoneLoadBalancingEnabled, false);
  if (reading.network()) return;
  classic.draining = given.boolean(annotation::kConnectionDrainingEnabled, false);
  classic.draining_timeout = given.integer(annotation::kConnectionDrainingTimeout, 300, 1, 3600);
  classic.idle_timeout = given.integer(annotation::kConnectionIdleTimeout, 60, 1, 4000);
}

// AWS-103; bucket and prefix count only while there is a log.
void read_network_attributes(OptionReading& reading) {
  const ClassicAttributes& log = reading.out.classic;
  Tags& out = reading.out.attributes;
  out["load_balancing.cross_zone.enabled"] = log.cross_zone ? "true" : "false";
  out["access_logs.s3.enabled"] = log.access_log ? "true" : "false";
  if (log.access_log) {
    out["access_logs.s3.bucket"] = log.bucket;
    out["access_logs.s3.prefix"] = log.prefix;
  }
  const std::string_view name = annotation::kAttributes;
  for (const auto& [key, value] : reading.given.pairs(name)) {
    if (key == "dns_record.client_routing_policy") {
      constexpr std::array<std::string_view, 3> kPolicies{"availability_zone_affinity",
                                                          "partial_availability_zone_affinity",
                                                          "any_availability_zone"};
      if (std::find(kPolicies.begin(), kPolicies.end(), value) == kPolicies.end()) {
        reading.refuse_if_new(name, "\"" + shown_value(value) + "\" is no value of " + key);
      } else {
        out[key] = value;
      }
    } else if (key.starts_with("access_logs.s3.")) {
      out[key] = value;
    } else {
      take_attribute(reading, name, find_attribute(kBalancerAttributes, key), key, value, out);
    }
  }
}

void read_addresses(OptionReading& reading) {
  reading.out.allocations = reading.given.list(annotation::kEipAllocations);
  check_ids(reading, annotation::kEipAllocations, "eipalloc-", reading.out.allocations);
  reading.out.private_addresses = reading.given.list(annotation::kPrivateIpv4Addresses);
  for (const std::string& address : reading.out.private_addresses) {
    const auto parsed = parse_address(address);
    if (!parsed || parsed->v6) {
      reading.given.refuse(annotation::kPrivateIpv4Addresses,
                           "\"" + shown_value(address) + "\" is no IPv4 address");
    }
  }
  if (!reading.out.private_addresses.empty() && !reading.out.internal) {
    reading.given.refuse(annotation::kPrivateIpv4Addresses, "it needs an internal load balancer");
  }
  if (!reading.out.allocations.empty() && reading.out.internal) {
    reading.given.refuse(annotation::kEipAllocations, "it needs a load balancer of the internet");
  }
}

// AWS-146: both families of the Service, or the word of the controller of AWS.
void read_address_type(OptionReading& reading) {
  reading.out.dual_stack = reading.service.ip_families.size() == 2;
  const std::string type = reading.given.text_or_empty(annotation::kIpAddressType);
  reading.out.address_type_said = type == "ipv4" || type == "dualstack";
  if (reading.out.address_type_said) {
    reading.out.dual_stack = type == "dualstack";
  } else if (!type.empty()) {
    reading.refuse_if_new(annotation::kIpAddressType, "it is neither ipv4 nor dualstack");
  }
  const auto& families = reading.service.ip_families;
  if (families.size() != 1 || families.front() != "IPv6") return;
  const std::string why =
      "targets of a Network Load Balancer are of IPv4, and the Service is of IPv6 "
      "alone: its Pods get no traffic";
  reading.out.problems.push_back({"FamilyNotServed", why});
  if (reading.out.refused_if_new.ok()) {
    reading.out.refused_if_new = Status(Code::invalid_argument, ErrorClass::invalid_spec, why);
  }
}

void read_name(OptionReading& reading) {
  const auto name = reading.given.text(annotation::kName);
  if (!name || name->empty()) return;
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
  const bool edge = name->front() == '-' || name->back() == '-';
  if (name->size() > 32 || !is_all(*name, kAllowed) || edge || name->starts_with("internal-") ||
      is_made_name(*name)) {
    reading.refuse_if_new(annotation::kName,
                          "a name has 1 to 32 letters, digits and inner hyphens, does not begin "
                          "with internal-, and is none that the manager makes of an UID");
    return;
  }
  reading.out.name = *name;
}

void read_alpn(OptionReading& reading) {
  const auto policy = reading.given.text(annotation::kAlpnPolicy);
  if (!policy || policy->empty()) return;
  for (const std::string_view known :
       {"HTTP1Only", "HTTP2Only", "HTTP2Optional", "HTTP2Preferred", "None"}) {
    if (*policy == known) {
      reading.out.alpn_policy = *policy;
      return;
    }
  }
  reading.refuse_if_new(annotation::kAlpnPolicy,
                        "it is none of HTTP1Only, HTTP2Only, HTTP2Optional, HTTP2Preferred, None");
}

// The check before annotations (AWS-21, 87, 101).
HealthCheck default_health(OptionReading& reading) {
  const LoadBalancerService& service = reading.service;
  const Settings& settings = reading.settings;
  const std::string& mode = settings.health_probe_mode;
  const bool shared = mode == "Shared" && !service.local_traffic;
  if (reading.network() && !mode.empty() && mode != "Shared" && mode != "ServiceNodePort") {
    reading.given.refuse(annotation::kType,
                         "Unsupported ClusterServiceLoadBalancerHealthProbeMode " + mode);
  }
  HealthCheck check{"TCP", std::string(kTrafficPort), "", 30, 0, 3, 3};
  if (service.local_traffic) {
    check = {"HTTP", std::to_string(service.health_check_node_port), "/healthz", 10, 0, 2, 2};
  } else if (shared) {
    check.protocol = "HTTP";
    check.port = std::to_string(settings.shared_health_probe_port);
    check.path = settings.shared_health_probe_path;
  }
  if (reading.network()) return check;
  check.interval = 10;
  check.timeout = 5;
  check.healthy = 2;
  check.unhealthy = 6;
  const std::string& backend = reading.out.backend_protocol;
  if (check.protocol == "TCP" && (backend == "https" || backend == "ssl")) check.protocol = "SSL";
  return check;
}

bool takes_path(const HealthCheck& check) {
  return check.protocol == "HTTP" || check.protocol == "HTTPS";
}

void read_health_target(OptionReading& reading, HealthCheck& check) {
  Annotations& given = reading.given;
  if (const auto protocol = given.text(annotation::kHealthcheckProtocol); protocol) {
    std::string upper = *protocol;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    const bool known = upper == "TCP" || upper == "HTTP" || upper == "HTTPS" ||
                       (upper == "SSL" && !reading.network());
    if (!known) {
      given.refuse(annotation::kHealthcheckProtocol,
                   "Unsupported health check protocol " + shown_value(upper));
    }
    check.protocol = upper;
  }
  const std::string port = given.text_or_empty(annotation::kHealthcheckPort);
  if (port == kTrafficPort) {
    check.port = port;
  } else if (!port.empty()) {
    check.port = std::to_string(given.integer(annotation::kHealthcheckPort, 1, 1, kMostPort));
  }
  if (takes_path(check)) {
    const auto path = given.text(annotation::kHealthcheckPath);
    if (path) check.path = *path;
    if (check.path.empty()) check.path = "/";
    if (check.path.front() != '/' || check.path.size() > 1024) {
      given.refuse(annotation::kHealthcheckPath, "a path begins with \"/\" and has at most 1024");
    }
  } else {
    check.path.clear();
  }
}

// Whoever writes a Service may name any port in its annotation, that of the kubelet say.
bool is_own_port(const OptionReading& reading, const std::string& port) {
  if (port == kTrafficPort) return true;
  const LoadBalancerService& service = reading.service;
  if (port == std::to_string(reading.settings.shared_health_probe_port)) return true;
  if (port == std::to_string(service.health_check_node_port)) return true;
  return std::any_of(service.ports.begin(), service.ports.end(), [&](const ServicePort& own) {
    return own.node_port != 0 && port == std::to_string(own.node_port);
  });
}

// In shared mode the target is the operator's (AWS-101).
void read_health(OptionReading& reading) {
  HealthCheck check = default_health(reading);
  const bool shared =
      reading.settings.health_probe_mode == "Shared" && !reading.service.local_traffic;
  if (!shared || !reading.network()) read_health_target(reading, check);
  Annotations& given = reading.given;
  const bool network = reading.network();
  check.interval = given.integer(annotation::kHealthcheckInterval, check.interval, 5, 300);
  Annotations apart(reading.service.object);  // the Go manager does not use that of a network one
  check.timeout =
      (network ? apart : given)
          .integer(annotation::kHealthcheckTimeout, check.timeout, 2, network ? 120 : 60);
  check.healthy = given.integer(annotation::kHealthcheckHealthyThreshold, check.healthy, 2, 10);
  check.unhealthy =
      given.integer(annotation::kHealthcheckUnhealthyThreshold, check.unhealthy, 2, 10);
  if (!network && check.timeout >= check.interval) {
    given.refuse(annotation::kHealthcheckTimeout, "it is not below the interval");
  }
  if (network && (!apart.failure().ok() || check.timeout > check.interval)) {
    check.timeout = 0;
    reading.refuse_if_new(annotation::kHealthcheckTimeout,
                          "it is no number from 2 to 120, or above the interval");
  }
  reading.out.own_health_port = is_own_port(reading, check.port);
  reading.out.health = check;
}

// Each once: every Node is looked at for each of them.
void read_node_labels(OptionReading& reading) {
  constexpr std::size_t kMostLabels = 64;  // the host takes no more in an answer
  const std::string_view name = annotation::kTargetNodeLabels;
  KeyValues& labels = reading.out.node_labels;
  labels = reading.given.pairs(name);
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  if (labels.size() > kMostLabels) reading.given.refuse(name, "more than 64 labels");
}

// Annotations that count for the other kind alone.
void warn_of_other_kind(OptionReading& reading) {
  constexpr std::array<std::string_view, 7> kNetworkAlone{
      annotation::kEipAllocations, annotation::kPrivateIpv4Addresses, annotation::kIpAddressType,
      annotation::kName,           annotation::kAttributes,           annotation::kAlpnPolicy,
      annotation::kNlbTargetType};
  constexpr std::array<std::string_view, 4> kClassicAlone{
      annotation::kAccessLogEmitInterval, annotation::kConnectionDrainingEnabled,
      annotation::kConnectionDrainingTimeout, annotation::kConnectionIdleTimeout};
  const auto warn_of = [&](const auto& names) {
    for (const std::string_view name : names) {
      if (reading.given.text(name))
        reading.warn(name, "a " + name_of(reading.out.kind) + " does not have that");
    }
  };
  if (reading.network()) {
    warn_of(kClassicAlone);
  } else {
    warn_of(kNetworkAlone);
  }
}

void warn_of_unknown(OptionReading& reading) {
  constexpr std::size_t kMostNamed = 10;
  auto names = reading.given.unknown();
  if (names.size() > kMostNamed) names.resize(kMostNamed);
  for (const std::string& name : names)
    reading.warn(shown_value(name), "this manager does not use it");
  const auto target = reading.given.text(annotation::kNlbTargetType);
  if (reading.network() && target && !target->empty() && *target != "instance") {
    reading.warn(annotation::kNlbTargetType, "targets are instances");
  }
}

// What a Service may not ask for whatever its annotations (AWS-63, 145).
Status check_service(const LoadBalancerService& service, Kind kind) {
  const auto refused = [](std::string why) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(why));
  };
  if (service.client_ip_affinity) return refused("unsupported load balancer affinity: ClientIP");
  if (service.ports.empty()) return refused("requested load balancer with no ports");
  if (!service.requested_ip.empty()) {
    return refused("LoadBalancerIP cannot be specified for AWS ELB");
  }
  for (const ServicePort& port : service.ports) {
    const bool udp = port.protocol == "UDP" && kind == Kind::network;
    if (port.protocol != "TCP" && !udp) {
      return refused("Protocol " + port.protocol + " not supported by LoadBalancer");
    }
  }
  for (const ServicePort& port : service.ports) {
    if (port.node_port != 0) return {};
  }
  return refused("no port has a node port: set spec.allocateLoadBalancerNodePorts");
}

}  // namespace

std::string name_of(Kind kind) {
  return kind == Kind::network ? "Network Load Balancer" : "classic load balancer";
}

bool ClassicAttributes::operator==(const ClassicAttributes& other) const {
  const bool logs = access_log == other.access_log &&
                    (!access_log || (emit_interval == other.emit_interval &&
                                     bucket == other.bucket && prefix == other.prefix));
  const bool drains =
      draining == other.draining && (!draining || draining_timeout == other.draining_timeout);
  return logs && drains && idle_timeout == other.idle_timeout && cross_zone == other.cross_zone;
}

std::optional<Kind> kind_of(const LoadBalancerService& service) {
  const std::string type = Annotations(service.object).text_or_empty(annotation::kType);
  if (type == "external" || type == "nlb-ip") return std::nullopt;
  if (type == "nlb" || service.class_name == kNetworkClass) return Kind::network;
  return Kind::classic;
}

Result<ServiceOptions> read_options(const LoadBalancerService& service, const Settings& settings,
                                    Kind kind) {
  if (Status possible = check_service(service, kind); !possible.ok()) return possible;
  OptionReading reading{service, settings, Annotations(service.object), {}};
  reading.out.kind = kind;
  for (const ServicePort& port : service.ports) {
    if (port.node_port != 0) continue;
    reading.out.problems.push_back({"PortNotFollowed", "port " + std::to_string(port.port) +
                                                           " has no node port, and is left out"});
  }
  if (!service.parameters.empty()) {
    reading.out.problems.push_back(
        {"ParametersNotFollowed",
         "parameters of load balancer class " + service.class_name + " have no effect on AWS"});
  }
  read_scheme(reading);
  read_tags(reading);
  read_groups(reading);
  read_subnets(reading);
  read_tls(reading);
  check_backend_protocol(reading);
  read_health(reading);
  read_attributes(reading);
  read_group_attributes(reading);
  read_proxy_protocol(reading);
  if (kind == Kind::network) {
    read_addresses(reading);
    read_address_type(reading);
    read_name(reading);
    read_network_attributes(reading);
    read_alpn(reading);
  }
  read_node_labels(reading);
  warn_of_other_kind(reading);
  warn_of_unknown(reading);
  if (!reading.given.failure().ok()) return reading.given.failure();
  return std::move(reading.out);
}

bool ends_tls(const ServiceOptions& options, const ServicePort& port) {
  if (options.certificates.empty() || port.protocol == "UDP") return false;
  if (!options.ssl_ports) return true;
  return options.ssl_ports->contains(std::to_string(port.port)) ||
         (!port.name.empty() && options.ssl_ports->contains(lower_case(port.name)));
}

}  // namespace ccm::aws
