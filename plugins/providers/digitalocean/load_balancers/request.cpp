#include "request.hpp"

#include "forwarding_rules.hpp"
#include "health_check.hpp"
#include "ownership.hpp"

#include <ccm/host_name.hpp>
#include <ccm/lower_case.hpp>
#include <ccm/namespace_rules.hpp>
#include <ccm/trim.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace ccm::digitalocean {
namespace {

// An empty value equals absence (DO-166).
std::string one_of(const Annotations& annotations, std::string_view name,
                   std::initializer_list<std::string_view> known, const char* refusal) {
  const std::string_view value = annotations.text(name);
  if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) {
    return std::string(value);
  }
  refuse(refusal);
}

// Its droplets get this tag, and with it all firewalls and databases open to the tag. So it must be
// the administrator's, or a tag that is used for load balancers alone.
std::string target_tag(const Annotations& annotations, const Settings& settings) {
  const auto asked = annotations.find(annotation::kTargetTag);
  if (!asked || *asked == settings.target_tag) return settings.target_tag;
  if (asked->empty()) return {};
  if (is_tag(*asked) && settings.is_own_tag(*asked) && !marked_service(*asked)) {
    return std::string(*asked);
  }
  refuse("invalid tag " + go_quoted(*asked) + " specified in annotation " +
         go_quoted(annotation::kTargetTag) +
         ": only the tag of --digitalocean-target-tag may be used, or one that begins with the "
         "cluster's own " +
         go_quoted("k8s:" + (settings.cluster().empty() ? "ID" : settings.cluster()) + ":"));
}

LoadBalancerTraits traits_of(const LoadBalancerService& service, const Annotations& annotations,
                             const Settings& settings) {
  LoadBalancerTraits traits;
  traits.name = annotations.text(annotation::kName);
  if (traits.name.empty()) traits.name = service.default_name;
  traits.type = one_of(annotations, annotation::kType, {kRegional, kRegionalNetwork},
                       "only LB types supported are (REGIONAL, REGIONAL_NETWORK)");
  traits.type_asked = !traits.type.empty();
  if (!traits.type_asked) traits.type = settings.default_lb_type;
  traits.network = one_of(annotations, annotation::kNetwork, {kExternal, kInternal},
                          "only LB networks supported are (EXTERNAL, INTERNAL)");
  traits.network_asked = !traits.network.empty();
  if (!traits.network_asked) traits.network = kExternal;
  traits.network_stack = one_of(annotations, annotation::kNetworkStack, {kIpv4, kDualStack},
                                "only LB network stacks supported are (IPV4, DUALSTACK)");
  traits.certificate_id = annotations.text(annotation::kCertificateId);
  if (traits.certificate_id.empty()) {
    traits.certificate_name = annotations.text(annotation::kCertificateName);
  }
  traits.target_tag = target_tag(annotations, settings);
  traits.hostname = lower_case(annotations.text(annotation::kHostname));
  return traits;
}

// It becomes the Service's status, which Kubernetes refuses as a whole for a wrong one.
void check_host_name(const std::string& name) {
  if (name.empty() || is_host_name(name)) return;
  refuse("invalid LB hostname provided: " + go_quoted(name) + " is no RFC 1123 name");
}

// DO-142..DO-144
void read_size(const Annotations& annotations, WantedLoadBalancer& wanted) {
  const std::string_view slug = annotations.text(annotation::kSizeSlug);
  if (!slug.empty()) {
    if (slug != "lb-small" && slug != "lb-medium" && slug != "lb-large") {
      refuse("invalid LB size slug provided: " + std::string(slug));
    }
    wanted.size = slug;
  }
  const std::string_view unit = annotations.text(annotation::kSizeUnit);
  if (unit.empty()) return;
  const int64_t units = atoi(unit, "invalid LB size unit " + go_quoted(unit) + " provided: ");
  if (units < 0) {
    refuse("LB size unit must be non-negative. " + std::to_string(units) + " provided");
  }
  if (units == 0) return;
  if (wanted.size) refuse("only one of LB size slug and size unit can be provided");
  wanted.size_unit = units;
}

// DO-145..DO-147
StickySessions sticky_sessions(const Annotations& annotations) {
  StickySessions sticky;
  if (annotations.text(annotation::kStickySessionsType) != "cookies") return sticky;
  sticky.type = "cookies";
  sticky.cookie_name = annotations.text(annotation::kStickySessionsCookieName);
  if (sticky.cookie_name.empty()) {
    refuse("sticky session cookie name not specified, but required");
  }
  const std::string_view ttl = annotations.text(annotation::kStickySessionsCookieTtl);
  if (ttl.empty()) refuse("sticky session cookie ttl not specified, but required");
  sticky.cookie_ttl_seconds = atoi(ttl, "");
  return sticky;
}

// DO-152
std::optional<uint64_t> idle_timeout(const Annotations& annotations) {
  const auto value = annotations.find(annotation::kHttpIdleTimeoutSeconds);
  if (!value) return std::nullopt;
  uint64_t seconds = 0;
  const char* end = value->data() + value->size();
  const auto [stop, fault] = std::from_chars(value->data(), end, seconds);
  if (fault == std::errc() && stop == end) return seconds;
  refuse("failed to parse provided LB HTTP idle timeout seconds value '" + std::string(*value) +
         "': strconv.ParseUint: parsing " + go_quoted(*value) + ": invalid syntax");
}

// "ip:2001:db8::1", "cidr:2001:db8::/32"
bool is_of_ipv6(const std::string& rule) {
  const std::size_t kind = rule.find(':');
  return kind != std::string::npos && rule.find(':', kind + 1) != std::string::npos;
}

// DO-153, DO-224; sorted, unlike the Go manager's (DO-225). As in the Go manager, ranges from
// Kubernetes' annotation do not count (DO-129): load balancers that are open today would close
// after the migration.
void read_firewall(const LoadBalancerService& service, const Annotations& annotations,
                   WantedLoadBalancer& wanted) {
  wanted.allow = annotations.items(annotation::kAllowRules);
  if (has_source_ranges(service.object)) {
    wanted.allow.clear();
    for (const std::string& range : service.source_ranges) wanted.allow.push_back("cidr:" + range);
  }
  wanted.deny = annotations.items(annotation::kDenyRules);
  for (auto* list : {&wanted.allow, &wanted.deny}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  const bool closed = wanted.network_stack == kIpv4 && !wanted.allow.empty() &&
                      std::all_of(wanted.allow.begin(), wanted.allow.end(), is_of_ipv6);
  if (!closed) return;
  const bool of_spec = has_source_ranges(service.object);
  refuse((of_spec ? std::string("spec.loadBalancerSourceRanges")
                  : "annotation " + std::string(annotation::kAllowRules)) +
         " has ranges of IPv6 alone, and the load balancer has an address of IPv4 alone: nobody "
         "could connect. Add ranges of IPv4, or set " +
         std::string(annotation::kNetworkStack) + " to DUALSTACK for a new load balancer");
}

void read_switches(const Annotations& annotations, WantedLoadBalancer& wanted) {
  wanted.redirect_http_to_https =
      annotations.boolean(annotation::kRedirectHttpToHttps, "HTTP-to-HTTPS");
  wanted.disable_lets_encrypt_dns_records = annotations.boolean(
      annotation::kDisableLetsEncryptDnsRecords, "disable lets encrypt dns records");
  wanted.enable_proxy_protocol =
      annotations.boolean(annotation::kEnableProxyProtocol, "proxy protocol");
  wanted.enable_backend_keepalive =
      annotations.boolean(annotation::kEnableBackendKeepalive, "backend keepalive");
}

// They have no effect with TLS passthrough. The API may keep or drop them, so the existing values
// stay.
void keep_what_is_not_read(const ExistingLoadBalancer& existing, WantedLoadBalancer& wanted) {
  wanted.sticky_sessions = existing.sticky_sessions;
  wanted.redirect_http_to_https = existing.redirect_http_to_https;
  wanted.disable_lets_encrypt_dns_records = existing.disable_lets_encrypt_dns_records;
  wanted.enable_proxy_protocol = existing.enable_proxy_protocol;
  wanted.enable_backend_keepalive = existing.enable_backend_keepalive;
  wanted.http_idle_timeout_seconds = existing.http_idle_timeout_seconds;
}

WantedLoadBalancer build(const RequestInput& input) {
  const Annotations& annotations = input.annotations;
  WantedLoadBalancer wanted;
  wanted.name = input.traits.name;
  wanted.type = input.existing != nullptr ? input.existing->type : input.traits.type;
  wanted.network = input.existing != nullptr ? input.existing->network : input.traits.network;
  if (input.existing != nullptr && !input.existing->network_stack.empty()) {
    wanted.network_stack = input.existing->network_stack;
  } else {
    wanted.network_stack =
        network_stack(input.traits.network_stack, wanted.type, wanted.network, input.backends);
  }
  if (annotations.text(annotation::kAlgorithm) == "least_connections") {
    wanted.algorithm = "least_connections";
  }
  wanted.forwarding_rules =
      forwarding_rules(input.service, annotations, wanted.type, input.certificate_id);
  wanted.health_check = health_check(input.service, annotations);
  check_host_name(input.traits.hostname);
  read_size(annotations, wanted);
  wanted.sticky_sessions = sticky_sessions(annotations);
  read_switches(annotations, wanted);
  wanted.http_idle_timeout_seconds = idle_timeout(annotations);
  if (input.existing != nullptr && wanted.type == kRegionalNetwork) {
    keep_what_is_not_read(*input.existing, wanted);
  }
  read_firewall(input.service, annotations, wanted);
  wanted.droplet_ids = input.droplet_ids;
  wanted.target_tag = input.traits.target_tag;
  wanted.cluster_tag = input.settings.cluster_tag();
  const bool says_cluster = input.existing == nullptr && !input.settings.cluster().empty();
  if (says_cluster || wanted.name != input.service.default_name) {
    wanted.mark = input.settings.service_tag(input.service);
    wanted.named_mark = input.settings.named_service_tag(input.service);
  }
  wanted.region = input.region;
  wanted.vpc_uuid = input.settings.vpc_id;
  wanted.subnet_uuid = std::string(trim(annotations.text(annotation::kSubnetUuid)));
  wanted.ip = std::string(trim(annotations.text(annotation::kIp)));
  return wanted;
}

}  // namespace

Result<LoadBalancerTraits> read_traits(const LoadBalancerService& service,
                                       const Annotations& annotations, const Settings& settings) {
  try {
    return traits_of(service, annotations, settings);
  } catch (const SpecError& error) {
    return error.status;
  }
}

Result<bool> disowned(const Config& config, std::string_view namespace_name,
                      const Annotations& annotations) {
  if (!may_retain_load_balancers(config, namespace_name)) return false;
  try {
    return annotations.boolean(annotation::kDisown, "disown LB");
  } catch (const SpecError& error) {
    return error.status;
  }
}

Result<WantedLoadBalancer> build_request(const RequestInput& input) {
  try {
    return build(input);
  } catch (const SpecError& error) {
    return error.status;
  }
}

Result<EligibleBackends> select_backends(const Backends& backends, std::string_view type,
                                         std::string_view network) {
  try {
    return eligible_backends(backends, type, network);
  } catch (const SpecError& error) {
    return error.status;
  }
}

std::vector<std::string> immutable_differences(const LoadBalancerTraits& traits,
                                               const ExistingLoadBalancer& existing) {
  std::vector<std::string> found;
  const auto compare = [&](const char* what, bool asked, const std::string& wanted,
                           const std::string& is) {
    if (!asked || wanted == is || is.empty()) return;
    found.push_back("the load balancer's " + std::string(what) + " is " + is +
                    " and cannot become " + wanted +
                    "; for that, delete the Service and create it again");
  };
  compare("type", traits.type_asked, traits.type, existing.type);
  compare("network", traits.network_asked, traits.network, existing.network);
  compare("network stack", !traits.network_stack.empty(), traits.network_stack,
          existing.network_stack);
  return found;
}

}  // namespace ccm::digitalocean
