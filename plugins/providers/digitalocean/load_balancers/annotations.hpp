// The annotations of a Service that DigitalOcean's manager knows (DO-125..DO-166), their table for
// the reference, and the parsing of their values. Any thread.
#pragma once

#include "digitalocean/load_balancers/model.hpp"

#include <ccm/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

namespace annotation {
inline constexpr std::string_view kId = "kubernetes.digitalocean.com/load-balancer-id";
inline constexpr std::string_view kFirewallManaged = "kubernetes.digitalocean.com/firewall-managed";
inline constexpr std::string_view kDisown = "service.kubernetes.io/do-loadbalancer-disown";
inline constexpr std::string_view kPrefix = "service.beta.kubernetes.io/do-loadbalancer-";

#define CCM_DO_ANNOTATION(constant, name) \
  inline constexpr std::string_view constant = "service.beta.kubernetes.io/do-loadbalancer-" name
CCM_DO_ANNOTATION(kName, "name");
CCM_DO_ANNOTATION(kProtocol, "protocol");
CCM_DO_ANNOTATION(kHttpPorts, "http-ports");
CCM_DO_ANNOTATION(kTlsPorts, "tls-ports");
CCM_DO_ANNOTATION(kHttp2Ports, "http2-ports");
CCM_DO_ANNOTATION(kHttp3Port, "http3-port");
CCM_DO_ANNOTATION(kTlsPassthrough, "tls-passthrough");
CCM_DO_ANNOTATION(kCertificateId, "certificate-id");
CCM_DO_ANNOTATION(kCertificateName, "certificate-name");
CCM_DO_ANNOTATION(kHostname, "hostname");
CCM_DO_ANNOTATION(kAlgorithm, "algorithm");
CCM_DO_ANNOTATION(kSizeSlug, "size-slug");
CCM_DO_ANNOTATION(kSizeUnit, "size-unit");
CCM_DO_ANNOTATION(kStickyType, "sticky-sessions-type");
CCM_DO_ANNOTATION(kStickyCookieName, "sticky-sessions-cookie-name");
CCM_DO_ANNOTATION(kStickyCookieTtl, "sticky-sessions-cookie-ttl");
CCM_DO_ANNOTATION(kRedirectHttpToHttps, "redirect-http-to-https");
CCM_DO_ANNOTATION(kDisableLetsEncryptDns, "disable-lets-encrypt-dns-records");
CCM_DO_ANNOTATION(kProxyProtocol, "enable-proxy-protocol");
CCM_DO_ANNOTATION(kBackendKeepalive, "enable-backend-keepalive");
CCM_DO_ANNOTATION(kHttpIdleTimeout, "http-idle-timeout-seconds");
CCM_DO_ANNOTATION(kAllowRules, "allow-rules");
CCM_DO_ANNOTATION(kDenyRules, "deny-rules");
CCM_DO_ANNOTATION(kType, "type");
CCM_DO_ANNOTATION(kNetwork, "network");
CCM_DO_ANNOTATION(kNetworkStack, "network-stack");
CCM_DO_ANNOTATION(kIp, "ip");
CCM_DO_ANNOTATION(kSubnetUuid, "subnet-uuid");
CCM_DO_ANNOTATION(kTargetTag, "target-tag");
CCM_DO_ANNOTATION(kOverrideHealthCheck, "override-health-check");
CCM_DO_ANNOTATION(kHealthCheckPort, "healthcheck-port");
CCM_DO_ANNOTATION(kHealthCheckPath, "healthcheck-path");
CCM_DO_ANNOTATION(kHealthCheckProtocol, "healthcheck-protocol");
CCM_DO_ANNOTATION(kHealthCheckInterval, "healthcheck-check-interval-seconds");
CCM_DO_ANNOTATION(kHealthCheckTimeout, "healthcheck-response-timeout-seconds");
CCM_DO_ANNOTATION(kUnhealthyThreshold, "healthcheck-unhealthy-threshold");
CCM_DO_ANNOTATION(kHealthyThreshold, "healthcheck-healthy-threshold");
#undef CCM_DO_ANNOTATION
}  // namespace annotation

// One line of the reference.
struct AnnotationInfo {
  std::string_view name;
  std::string_view values;         // its values
  std::string_view default_value;  // the default
  std::string_view meaning;
};
// All of them, in the order of the reference.
const std::vector<AnnotationInfo>& known_annotations();

// The annotations of one Service. The getters throw SpecError with the texts of DO-126..DO-166.
class Annotations {
 public:
  Annotations() = default;
  explicit Annotations(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}

  // Nothing when absent.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  // Empty when absent.
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }

  // DO-126. `setting` begins the error: "failed to get SETTING configuration setting: ...".
  [[nodiscard]] bool boolean(std::string_view name, std::string_view setting) const;
  // Go's strconv.Atoi; `fallback` when absent. `what` begins the error when not empty.
  [[nodiscard]] int64_t integer(std::string_view name, int64_t fallback,
                                const std::string& what) const;
  // A list of ports, split at commas without trimming (DO-127); empty when absent.
  [[nodiscard]] std::vector<int64_t> ports(std::string_view name) const;
  // A list split at commas, trimmed, without empty items.
  [[nodiscard]] std::vector<std::string> items(std::string_view name) const;

  // Unknown annotations with DigitalOcean's prefixes, each with the nearest known one ("" when none
  // is near).
  struct Misspelt {
    std::string name;
    std::string_view nearest;
  };
  [[nodiscard]] std::vector<Misspelt> misspelt() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// Those of a Service.
Annotations read_annotations(const Object& service);

// Kubernetes' own; not read on DigitalOcean (DO-129).
inline constexpr std::string_view kSourceRangesAnnotation =
    "service.beta.kubernetes.io/load-balancer-source-ranges";
// Whether spec.loadBalancerSourceRanges limits who may connect.
bool has_source_ranges(const Object& service);

// Go's %q for texts of annotations.
std::string go_quoted(std::string_view text);
// Go's strconv.Atoi. Throws SpecError with `what` and Go's text.
int64_t atoi(std::string_view text, const std::string& what);

}  // namespace ccm::digitalocean
