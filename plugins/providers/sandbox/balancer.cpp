#include "balancer.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::LoadBalancerService;
using ccm::Result;
using ccm::Status;

constexpr std::string_view kPrefix = "sandbox.cloud/";
constexpr std::chrono::milliseconds kShortestPoll{50};
constexpr std::chrono::milliseconds kLongestPoll{5'000};

// An annotation, or else the parameter of the Service's class.
std::string setting(const LoadBalancerService& service, std::string_view name) {
  const std::string pointer =
      "/metadata/annotations" + ccm::pointer_segment(std::string(kPrefix) + std::string(name));
  if (const auto text = service.object.at(pointer).text()) return std::string(*text);
  for (const ccm::Label& parameter : service.parameters) {
    if (parameter.key == name) return parameter.value;
  }
  return {};
}

Status invalid(std::string_view name, const std::string& value, const std::string& rule) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "annotation " + std::string(kPrefix) + std::string(name) + "=\"" + value + "\" " +
                    rule)
      .with_reason("InvalidAnnotation");
}

// "80/TCP=example.com/Busy,81/UDP=PortTaken"
bool read_port_errors(std::string_view text, std::vector<ccm::IngressPort>& errors) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t slash = item.find('/');
    const std::size_t equals = item.find('=');
    if (slash == item.npos || equals == item.npos || slash > equals) return false;
    ccm::IngressPort error;
    const char* end = item.data() + slash;
    const auto [stop, fault] = std::from_chars(item.data(), end, error.port);
    if (fault != std::errc() || stop != end) return false;
    error.protocol = item.substr(slash + 1, equals - slash - 1);
    error.error = item.substr(equals + 1);
    if (error.protocol.empty() || error.error.empty()) return false;
    errors.push_back(std::move(error));
  }
  return true;
}

Status read_settings(const LoadBalancerService& service, BalancerSpec& spec) {
  spec.hostname = setting(service, "hostname");
  spec.ip_mode = setting(service, "ip-mode");
  if (!spec.ip_mode.empty() && spec.ip_mode != "VIP" && spec.ip_mode != "Proxy") {
    return invalid("ip-mode", spec.ip_mode, "has to be VIP or Proxy");
  }
  const std::string internal = setting(service, "internal");
  if (!internal.empty() && internal != "true" && internal != "false") {
    return invalid("internal", internal, "has to be true or false");
  }
  spec.internal = internal == "true";
  const std::string errors = setting(service, "port-errors");
  if (!read_port_errors(errors, spec.port_errors)) {
    return invalid("port-errors", errors, "has to be like 80/TCP=Reason,81/UDP=example.com/Reason");
  }
  return {};
}

void note(std::string& text, bool differs, const char* what) {
  if (!differs) return;
  if (!text.empty()) text += ", ";
  text += what;
}

}  // namespace

Result<BalancerSpec> wanted_balancer(const LoadBalancerService& service, MachineIds backends) {
  BalancerSpec spec;
  spec.name = service.default_name;
  spec.owner_cluster = service.cluster_name;
  spec.owner_uid = service.uid;
  spec.ports = service.ports;
  for (ccm::ServicePort& port : spec.ports) port.app_protocol.clear();
  spec.backends = std::move(backends);
  spec.source_ranges = service.source_ranges;
  spec.ip_families = service.ip_families;
  spec.health_port = service.local_traffic ? service.health_check_node_port : 0;
  spec.client_ip_affinity = service.client_ip_affinity;
  spec.affinity_timeout_s = service.client_ip_affinity ? service.affinity_timeout.count() : 0;
  spec.requested_ip = service.requested_ip;
  Status read = read_settings(service, spec);
  if (!read.ok()) return read;
  return spec;
}

std::string difference(const BalancerSpec& wanted, const BalancerSpec& actual) {
  std::string text;
  note(text, wanted.name != actual.name, "name");
  note(text, wanted.owner_cluster != actual.owner_cluster || wanted.owner_uid != actual.owner_uid,
       "owner");
  note(text, wanted.ports != actual.ports, "ports");
  note(text, *wanted.backends != *actual.backends, "backends");
  note(text, wanted.source_ranges != actual.source_ranges, "source ranges");
  note(text, wanted.ip_families != actual.ip_families, "IP families");
  note(text, wanted.health_port != actual.health_port, "health check");
  note(text,
       wanted.client_ip_affinity != actual.client_ip_affinity ||
           wanted.affinity_timeout_s != actual.affinity_timeout_s,
       "session affinity");
  note(text,
       wanted.hostname != actual.hostname || wanted.ip_mode != actual.ip_mode ||
           wanted.internal != actual.internal || wanted.requested_ip != actual.requested_ip,
       "address");
  note(text, wanted.port_errors != actual.port_errors, "port errors");
  return text;
}

ccm::LoadBalancer shown(const Balancer& balancer, std::string difference) {
  ccm::LoadBalancer result;
  result.state = balancer.status == "active" ? ccm::LoadBalancerState::active
                                             : ccm::LoadBalancerState::pending;
  result.id = balancer.id;
  result.name = balancer.spec.name;
  result.difference = std::move(difference);
  if (const std::chrono::milliseconds left(balancer.ready_in_ms);
      result.state == ccm::LoadBalancerState::pending && left.count() > 0) {
    result.retry_after = std::clamp(left, kShortestPoll, kLongestPoll);
  }
  for (const std::string& ip : balancer.ips) {
    ccm::Ingress ingress;
    ingress.ip = ip;
    ingress.ip_mode = balancer.spec.ip_mode;
    ingress.ports = balancer.spec.port_errors;
    result.ingress.push_back(std::move(ingress));
  }
  for (const std::string& hostname : balancer.hostnames) {
    ccm::Ingress ingress;
    ingress.hostname = hostname;
    ingress.ports = balancer.spec.port_errors;
    result.ingress.push_back(std::move(ingress));
  }
  return result;
}

}  // namespace sandbox
