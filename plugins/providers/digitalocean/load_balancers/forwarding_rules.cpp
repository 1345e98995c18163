#include "forwarding_rules.hpp"

#include "digitalocean/text.hpp"

#include <ccm/node_ports.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ccm::digitalocean {
namespace {

constexpr int32_t kHttpsPort = 443;
constexpr std::string_view kHttp3Context = "failed to construct http3 forwarding rule: ";

// DO-137: unlike all other booleans, unreadable values are false.
bool tls_passthrough(const Annotations& annotations) {
  try {
    return annotations.boolean(annotation::kTlsPassthrough, "TLS passthrough");
  } catch (const SpecError&) {
    return false;
  }
}

std::string default_protocol(const Annotations& annotations) {
  const auto value = annotations.find(annotation::kProtocol);
  if (!value) return "tcp";
  for (const char* known : {"tcp", "http", "https", "http2", "http3"}) {
    if (*value == known) return std::string(*value);
  }
  refuse("invalid protocol " + go_quoted(*value) + " specified in annotation " +
         go_quoted(annotation::kProtocol));
}

// By port, the protocol of the annotation that lists it.
class ListedPorts {
 public:
  // DO-170
  explicit ListedPorts(const Annotations& annotations) {
    std::set<std::string> shared;
    for (const auto& [name, protocol] :
         {std::pair{annotation::kHttpPorts, "http"}, std::pair{annotation::kTlsPorts, "https"},
          std::pair{annotation::kHttp2Ports, "http2"}}) {
      for (const int64_t port : annotations.ports(name)) {
        if (!by_port_.emplace(port, protocol).second) shared.insert(std::to_string(port));
      }
    }
    if (shared.empty()) return;
    refuse("ports from annotations \"" + std::string(annotation::kPrefix) +
           "*-ports\" cannot be shared but found: " + joined(shared));
  }

  [[nodiscard]] bool any(std::string_view protocol) const {
    return std::any_of(by_port_.begin(), by_port_.end(),
                       [&](const auto& listed) { return listed.second == protocol; });
  }
  // Empty for a port that no list has.
  [[nodiscard]] std::string_view protocol(int64_t port) const {
    const auto place = by_port_.find(port);
    return place != by_port_.end() ? place->second : std::string_view();
  }

 private:
  std::map<int64_t, std::string_view> by_port_;
};

class RegionalRules {
 public:
  RegionalRules(const Annotations& annotations, const std::string& certificate_id)
      : certificate_id_(certificate_id),
        passthrough_(tls_passthrough(annotations)),
        default_protocol_(default_protocol(annotations)),
        listed_(annotations) {
    const bool secure = passthrough_ || !certificate_id_.empty();
    if (secure && !listed_.any("https") && listed_.protocol(kHttpsPort) != "http2") {
      https_by_default_ = true;  // DO-171
    }
  }

  ForwardingRule rule(const ServicePort& port) const {
    ForwardingRule rule;
    rule.entry_protocol = protocol(port);  // DO-168
    rule.target_protocol = rule.entry_protocol;
    rule.entry_port = port.port;
    rule.target_port = port.node_port;
    if (rule.entry_protocol == "https" || rule.entry_protocol == "http2") secure(rule);
    return rule;
  }

  // DO-175, DO-176; nothing when the Service does not have the port.
  void add_http3(const LoadBalancerService& service, int64_t port,
                 std::vector<ForwardingRule>& rules) const {
    if (passthrough_) {
      refuse(std::string(kHttp3Context) +
             "TLS passthrough is not allowed to be used in conjunction with HTTP3");
    }
    if (certificate_id_.empty()) {
      refuse(std::string(kHttp3Context) + "certificate ID is required for HTTP3");
    }
    for (const ServicePort& candidate : service.ports) {
      if (candidate.port != port) continue;
      rules.push_back(
          {"http3", candidate.port, "http", candidate.node_port, certificate_id_, false});
      return;
    }
  }

 private:
  std::string protocol(const ServicePort& port) const {
    if (port.protocol == "UDP") return "udp";
    if (https_by_default_ && port.port == kHttpsPort) return "https";
    const std::string_view listed = listed_.protocol(port.port);
    return listed.empty() ? default_protocol_ : std::string(listed);
  }

  // DO-172, DO-173
  void secure(ForwardingRule& rule) const {
    const std::string context = "failed to build TLS part(s) of forwarding rule: ";
    if (certificate_id_.empty() && !passthrough_) {
      refuse(context + "must set certificate id or enable tls pass through");
    }
    if (!certificate_id_.empty() && passthrough_) {
      refuse(context + "either certificate id should be set or tls pass through enabled, not both");
    }
    if (passthrough_) {
      rule.tls_passthrough = true;
    } else {
      rule.certificate_id = certificate_id_;
      rule.target_protocol = "http";
    }
  }

  const std::string& certificate_id_;
  bool passthrough_;
  std::string default_protocol_;
  ListedPorts listed_;
  bool https_by_default_ = false;
};

// DO-169
void check_protocols(const LoadBalancerService& service) {
  for (const ServicePort& port : service.ports) {
    if (port.protocol == "TCP" || port.protocol == "UDP") continue;
    refuse("only TCP or UDP protocol is supported, got: " + go_quoted(port.protocol));
  }
}

// DO-180
std::vector<ForwardingRule> network_rules(const LoadBalancerService& service) {
  std::vector<ForwardingRule> rules;
  for (const ServicePort& port : service.ports) {
    const std::string protocol = port.protocol == "UDP" ? "udp" : "tcp";
    rules.push_back({protocol, port.port, protocol, port.port, "", false});
  }
  return rules;
}

}  // namespace

std::vector<ForwardingRule> forwarding_rules(const LoadBalancerService& service,
                                             const Annotations& annotations, std::string_view type,
                                             const std::string& certificate_id) {
  check_protocols(service);
  if (type == kRegionalNetwork) return network_rules(service);
  if (const std::string without = ports_without_node_port(service); !without.empty()) {  // DO-182
    refuse("no node port, which a REGIONAL load balancer needs, for " + without +
           ": set spec.allocateLoadBalancerNodePorts to true, or " +
           std::string(annotation::kType) + " to REGIONAL_NETWORK");
  }
  const RegionalRules regional(annotations, certificate_id);
  std::vector<ForwardingRule> rules;
  for (const ServicePort& port : service.ports) rules.push_back(regional.rule(port));
  if (const auto http3 = annotations.find(annotation::kHttp3Port)) {
    regional.add_http3(service, atoi(*http3, std::string(kHttp3Context)), rules);
  }
  return rules;
}

}  // namespace ccm::digitalocean
