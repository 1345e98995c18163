#include "network.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ccm::aws {
namespace {

std::string transport_of(const std::string& protocol) {
  if (protocol == "UDP") return "udp";
  return "tcp";  // TLS as well (AWS-152)
}

// "TCP" and "UDP" of one front port.
struct FrontPort {
  const ServicePort* tcp = nullptr;
  const ServicePort* udp = nullptr;

  [[nodiscard]] const ServicePort& any() const { return tcp != nullptr ? *tcp : *udp; }
  [[nodiscard]] std::string protocol(const ServiceOptions& options) const {
    if (tcp == nullptr) return "UDP";
    if (udp != nullptr) return "TCP_UDP";
    return ends_tls(options, *tcp) ? "TLS" : "TCP";
  }
};

Status cannot_share_port(const FrontPort& port, const ServiceOptions& options) {
  const std::string both = "port " + std::to_string(port.tcp->port) + " of TCP and UDP";
  if (port.tcp->node_port != port.udp->node_port) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  both + " needs one node port for both: set spec.ports[].nodePort to the same");
  }
  if (ends_tls(options, *port.tcp)) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, both + " cannot end TLS");
  }
  return {};
}

Result<std::map<int32_t, FrontPort>> front_ports(const LoadBalancerService& service,
                                                 const ServiceOptions& options) {
  std::map<int32_t, FrontPort> ports;
  for (const ServicePort& port : service.ports) {
    if (port.node_port == 0) continue;  // the Service is told
    FrontPort& front = ports[port.port];
    (port.protocol == "UDP" ? front.udp : front.tcp) = &port;
  }
  for (const auto& [number, front] : ports) {
    if (front.tcp == nullptr || front.udp == nullptr) continue;
    if (Status fits = cannot_share_port(front, options); !fits.ok()) return fits;
  }
  return ports;
}

WantedListener wanted_listener(const FrontPort& front, const LoadBalancerService& service,
                               const ServiceOptions& options, const Cluster& cluster) {
  WantedListener out;
  const ServicePort& port = front.any();
  out.port = port.port;
  out.protocol = front.protocol(options);
  out.group.protocol = out.protocol;
  if (out.protocol == "TLS") {
    out.certificates = options.certificates;
    out.ssl_policy = options.ssl_policy;
    out.alpn_policy = options.alpn_policy;
    out.group.protocol = options.backend_protocol == "ssl" ? "TLS" : "TCP";
  }
  out.group.port = port.node_port;
  out.group.health = options.health;
  out.own_health_port = options.own_health_port;
  out.group.name = target_group_name({cluster.id, service.namespace_name, service.name, port.port,
                                      port.node_port, out.group.protocol, options.health.protocol,
                                      options.health.interval});
  return out;
}

std::vector<std::string> transports(const std::string& protocol) {
  if (protocol == "TCP_UDP") return {"tcp", "udp"};
  return {transport_of(protocol)};
}

int32_t health_port(const WantedListener& listener) {
  const std::string& port = listener.group.health.port;
  return port == kTrafficPort ? static_cast<int32_t>(listener.group.port) : std::stoi(port);
}

std::vector<std::string> ranges_of(const std::vector<Subnet>& subnets) {
  std::vector<std::string> ranges;
  for (const Subnet& subnet : subnets) {
    if (!subnet.cidr.empty()) ranges.push_back(subnet.cidr);
  }
  return ranges;
}

// The node ports of traffic over TCP.
std::set<int64_t> tcp_ports(const std::vector<WantedListener>& listeners) {
  std::set<int64_t> open;
  for (const WantedListener& listener : listeners) {
    if (listener.protocol != "UDP") open.insert(listener.group.port);
  }
  return open;
}

// AWS-109: clients from everywhere let the checks in as well.
bool checks_need_rules(const std::vector<WantedListener>& listeners,
                       const std::vector<std::string>& clients) {
  const bool everybody = std::find(clients.begin(), clients.end(), "0.0.0.0/0") != clients.end();
  if (!everybody) return true;
  const std::set<int64_t> open = tcp_ports(listeners);
  return !std::all_of(listeners.begin(), listeners.end(), [&](const WantedListener& listener) {
    return open.contains(health_port(listener));
  });
}

}  // namespace

Result<NetworkBalancer> read_network_balancer(XmlElement member) {
  NetworkBalancer out;
  out.arn = member.text("LoadBalancerArn");
  out.name = member.text("LoadBalancerName");
  if (out.arn.empty() || out.name.empty()) return bad_answer("has a load balancer without ARN");
  out.dns_name = member.text("DNSName");
  out.type = member.text("Type");
  out.state = member.child("State").text("Code");
  out.vpc_id = member.text("VpcId");
  out.internal = member.text("Scheme") == "internal";
  out.dual_stack = member.text("IpAddressType") == "dualstack";
  out.source_nat = member.text("EnablePrefixForIpv6SourceNat") == "on";
  for (const XmlElement zone : member.list("AvailabilityZones")) {
    const std::string subnet = zone.text("SubnetId");
    out.subnets.push_back(subnet);
    for (const XmlElement address : zone.list("LoadBalancerAddresses")) {
      std::string allocation = address.text("AllocationId");
      std::string chosen = address.text("PrivateIPv4Address");
      if (!allocation.empty()) out.allocations[subnet] = std::move(allocation);
      if (!chosen.empty()) out.addresses[subnet] = std::move(chosen);
    }
  }
  for (const XmlElement group : member.list("SecurityGroups")) {
    out.groups.emplace_back(group.text());
  }
  return out;
}

Result<TargetGroup> read_target_group(XmlElement member) {
  TargetGroup out;
  out.arn = member.text("TargetGroupArn");
  out.name = member.text("TargetGroupName");
  if (out.arn.empty() || out.name.empty()) return bad_answer("has a target group without ARN");
  out.protocol = member.text("Protocol");
  out.port = member.number("Port").value_or(0);
  out.vpc_id = member.text("VpcId");
  out.health.protocol = member.text("HealthCheckProtocol");
  out.health.port = member.text("HealthCheckPort");
  out.health.path = member.text("HealthCheckPath");
  out.health.interval = member.number("HealthCheckIntervalSeconds").value_or(0);
  out.health.timeout = member.number("HealthCheckTimeoutSeconds").value_or(0);
  out.health.healthy = member.number("HealthyThresholdCount").value_or(0);
  out.health.unhealthy = member.number("UnhealthyThresholdCount").value_or(0);
  for (const XmlElement arn : member.list("LoadBalancerArns")) {
    out.balancers.emplace_back(arn.text());
  }
  return out;
}

Result<Listener> read_listener(XmlElement member) {
  Listener out;
  out.arn = member.text("ListenerArn");
  out.port = member.number("Port").value_or(0);
  if (out.arn.empty() || out.port == 0) return bad_answer("has a listener without ARN or port");
  out.protocol = member.text("Protocol");
  out.ssl_policy = member.text("SslPolicy");
  for (const XmlElement certificate : member.list("Certificates")) {
    if (out.certificate.empty()) out.certificate = certificate.text("CertificateArn");
  }
  for (const XmlElement policy : member.list("AlpnPolicy")) out.alpn_policy = policy.text();
  for (const XmlElement action : member.list("DefaultActions")) {
    if (action.text("Type") == "forward") out.target_group = action.text("TargetGroupArn");
  }
  return out;
}

Result<std::vector<WantedListener>> wanted_listeners(const LoadBalancerService& service,
                                                     const ServiceOptions& options,
                                                     const Cluster& cluster) {
  constexpr std::size_t kMostListeners = 50;
  const auto ports = front_ports(service, options);
  if (!ports.ok()) return ports.status();
  std::vector<WantedListener> out;
  for (const auto& [number, front] : *ports) {
    out.push_back(wanted_listener(front, service, options, cluster));
  }
  if (out.size() <= kMostListeners) return out;
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "a Network Load Balancer has at most 50 listeners");
}

bool differs(const WantedListener& wanted, const Listener& listener) {
  if (wanted.protocol != listener.protocol) return true;
  if (wanted.protocol != "TLS") return false;
  return wanted.certificates.front() != listener.certificate ||
         (!wanted.ssl_policy.empty() && wanted.ssl_policy != listener.ssl_policy) ||
         (!wanted.alpn_policy.empty() && wanted.alpn_policy != listener.alpn_policy);
}

bool differs(const HealthCheck& wanted, const HealthCheck& existing) {
  const bool path =
      (wanted.protocol == "HTTP" || wanted.protocol == "HTTPS") && wanted.path != existing.path;
  return path || wanted.port != existing.port || wanted.healthy != existing.healthy ||
         wanted.unhealthy != existing.unhealthy ||
         (wanted.timeout != 0 && wanted.timeout != existing.timeout);
}

Rules node_rules(const std::vector<WantedListener>& listeners, const std::string& load_balancer,
                 const std::vector<std::string>& clients, const std::vector<Subnet>& subnets,
                 bool hidden) {
  Rules rules;
  for (const WantedListener& listener : listeners) {
    for (const std::string& transport : transports(listener.protocol)) {
      allow_port(rules, transport, static_cast<int32_t>(listener.group.port), clients,
                 std::string(kClientRule) + load_balancer);
    }
  }
  if (!checks_need_rules(listeners, clients)) return rules;
  const std::set<int64_t> open = tcp_ports(listeners);
  for (const WantedListener& listener : listeners) {
    if (!listener.own_health_port) continue;  // the Service is told
    if (hidden && open.contains(health_port(listener))) continue;
    allow_port(rules, "tcp", health_port(listener), ranges_of(subnets),
               std::string(kHealthRule) + load_balancer);
  }
  return rules;
}

Rules node_rules_from(const std::string& group_id, const std::vector<WantedListener>& listeners,
                      const std::string& load_balancer) {
  Subnet itself;
  itself.cidr = group_id;
  Rules rules = node_rules(listeners, load_balancer, {group_id}, {itself});
  allow_path_mtu(rules, {group_id}, std::string(kClientRule) + load_balancer);
  return rules;
}

Rules front_rules(const std::vector<WantedListener>& listeners,
                  const std::vector<std::string>& clients) {
  Rules rules;
  for (const WantedListener& listener : listeners) {
    for (const std::string& transport : transports(listener.protocol)) {
      allow_port(rules, transport, static_cast<int32_t>(listener.port), clients, "");
    }
  }
  return rules;
}

}  // namespace ccm::aws
