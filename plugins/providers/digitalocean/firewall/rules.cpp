#include "rules.hpp"

#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/health_check.hpp"
#include "digitalocean/load_balancers/model.hpp"
#include "digitalocean/load_balancers/service_view.hpp"

#include <ccm/cidr.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/trim.hpp>

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

using Sources = std::vector<std::string>;

Sources everywhere() { return {"0.0.0.0/0", "::/0"}; }

std::string range_text(const std::string& range) {
  const auto parsed = parse_cidr(trim(range));
  if (!parsed) refuse("\"" + range + "\" is no address range such as 10.0.0.0/24");
  return parsed->text();
}

std::string address_text(const std::string& address) {
  const bool v6 = address.find(':') != std::string::npos;
  const auto parsed = parse_cidr(address + (v6 ? "/128" : "/32"));
  if (!parsed) refuse("\"" + address + "\" is no address");
  const std::string text = parsed->text();
  return text.substr(0, text.find('/'));
}

// As the load balancer's own firewall does: the Service's ranges have precedence (DO-224).
Sources clients(const Object& object, const Annotations& annotations) {
  Sources sources;
  object.at("/spec/loadBalancerSourceRanges").each([&](std::string_view, const Value& value) {
    sources.emplace_back(value.text().value_or(std::string_view()));
  });
  for (std::string& range : sources) range = range_text(range);
  if (sources.empty()) {
    for (const std::string& item : annotations.items(annotation::kAllowRules)) {
      if (item.starts_with("cidr:")) {
        sources.push_back(range_text(item.substr(5)));
      } else if (item.starts_with("ip:")) {
        sources.push_back(address_text(item.substr(3)));
      } else {
        refuse("\"" + item + "\" is neither ip:ADDRESS nor cidr:RANGE");
      }
    }
  }
  if (sources.empty()) return everywhere();
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

// "" for protocols that DigitalOcean's firewalls do not support, such as SCTP.
std::string firewall_protocol(const ServicePort& port) {
  if (port.protocol == "TCP") return "tcp";
  return port.protocol == "UDP" ? "udp" : "";
}

bool one_of_both(std::string_view value, std::string_view one, std::string_view other) {
  return value.empty() || value == one || value == other;
}

// Whether packets reach the nodes from clients directly (DO-257, DO-259).
bool passes_packets(const Annotations& annotations, std::string_view default_type) {
  const std::string_view type = annotations.text(annotation::kType);
  const std::string_view network = annotations.text(annotation::kNetwork);
  if (!one_of_both(type, kRegional, kRegionalNetwork)) {
    refuse("only LB types supported are (REGIONAL, REGIONAL_NETWORK)");
  }
  if (!one_of_both(network, kExternal, kInternal)) {
    refuse("only LB networks supported are (EXTERNAL, INTERNAL)");
  }
  return (type.empty() ? default_type : type) == kRegionalNetwork && network != kInternal;
}

void add_node_ports(const LoadBalancerService& service, ServiceRules& result) {
  for (const ServicePort& port : service.ports) {
    const std::string protocol = firewall_protocol(port);
    if (protocol.empty() || port.node_port <= 0) continue;
    result.rules.push_back({protocol, port.node_port, everywhere(), {}});
  }
}

// Each port has all ranges, so that many of both are too many.
void add_service_ports(const LoadBalancerService& service, const Sources& sources,
                       ServiceRules& result) {
  constexpr size_t kMostPairs = 10'000;
  if (service.ports.size() * sources.size() > kMostPairs) {
    refuse(std::to_string(service.ports.size()) + " ports for " + std::to_string(sources.size()) +
           " ranges each are more than a firewall can have");
  }
  for (const ServicePort& port : service.ports) {
    const std::string protocol = firewall_protocol(port);
    if (!protocol.empty()) result.rules.push_back({protocol, port.port, sources, {}});
  }
}

// From the load balancer alone, so only once it is known (DO-258). The port that it really checks,
// even when annotations name another one (DO-202).
void add_health_check(const LoadBalancerService& service, const Annotations& annotations,
                      ServiceRules& result) {
  const std::string id(annotations.text(annotation::kLoadBalancerId));
  if (id.empty()) return;
  const int32_t port = health_check(service, annotations).port;
  if (port > 0) result.rules.push_back({"tcp", port, {}, {id}});
}

// DO-164: unreadable values count as true.
bool managed(const Annotations& annotations) {
  if (!annotations.has(annotation::kFirewallManaged)) return true;
  try {
    return annotations.boolean(annotation::kFirewallManaged, "firewall managed");
  } catch (const SpecError&) {
    return true;
  }
}

void add_load_balancer(const Object& object, const Annotations& annotations,
                       std::string_view default_type, ServiceRules& result) {
  const bool other_class = object.at("/spec/loadBalancerClass").exists();
  if (other_class && annotations.text(annotation::kLoadBalancerId).empty()) return;
  const LoadBalancerService service = service_view(object);
  try {
    if (!passes_packets(annotations, default_type)) return;
    add_service_ports(service, clients(object, annotations), result);
    add_health_check(service, annotations, result);
  } catch (const SpecError& error) {
    result.doubt = error.status.message();
    result.rules.clear();
    add_service_ports(service, {}, result);
    const std::string id(annotations.text(annotation::kLoadBalancerId));
    if (!id.empty()) result.rules.push_back({"tcp", 0, {}, {id}});
  }
}

}  // namespace

ServiceRules firewall_rules(const Object& service, std::string_view default_type) {
  ServiceRules result;
  const std::string_view type = service.text("/spec/type");
  if (type != "NodePort" && type != "LoadBalancer") return result;
  const Annotations annotations = read_annotations(service);
  if (!managed(annotations)) return result;
  if (type == "NodePort") {
    add_node_ports(service_view(service), result);
  } else {
    add_load_balancer(service, annotations, default_type, result);
  }
  return result;
}

}  // namespace ccm::digitalocean
