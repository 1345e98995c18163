#include "classic.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <iterator>

namespace ccm::aws {
namespace {

std::set<std::string> read_names(XmlElement parent, std::string_view list) {
  std::set<std::string> names;
  for (const XmlElement element : parent.list(list)) names.emplace(element.text());
  return names;
}

std::vector<std::string> read_texts(XmlElement parent, std::string_view list) {
  std::vector<std::string> texts;
  for (const XmlElement element : parent.list(list)) texts.emplace_back(element.text());
  return texts;
}

ClassicListener read_classic_listener(XmlElement described) {
  const XmlElement listener = described.child("Listener");
  ClassicListener out;
  out.port = listener.number("LoadBalancerPort").value_or(0);
  out.protocol = listener.text("Protocol");
  out.instance_port = listener.number("InstancePort").value_or(0);
  out.instance_protocol = listener.text("InstanceProtocol");
  out.certificate = listener.text("SSLCertificateId");
  out.policies = read_names(described, "PolicyNames");
  return out;
}

ClassicHealth read_classic_health(XmlElement health) {
  return {health.text("Target"), health.number("Interval").value_or(0),
          health.number("Timeout").value_or(0), health.number("HealthyThreshold").value_or(0),
          health.number("UnhealthyThreshold").value_or(0)};
}

// AWS-82: what the front and the instances speak.
void set_protocols(ClassicListener& listener, const ServiceOptions& options, bool tls) {
  const std::string& backend = options.backend_protocol;
  const bool http = backend == "http" || (tls && backend == "https");
  if (!tls) {
    listener.protocol = listener.instance_protocol = http ? "HTTP" : "TCP";
    return;
  }
  listener.protocol = http ? "HTTPS" : "SSL";
  listener.instance_protocol = backend == "http"    ? "HTTP"
                               : backend == "https" ? "HTTPS"
                               : backend == "ssl"   ? "SSL"
                                                    : "TCP";
  listener.certificate = options.certificates.front();
}

// AWS-87.
ClassicHealth wanted_health(const HealthCheck& check, int32_t first_node_port) {
  const std::string port =
      check.port == kTrafficPort ? std::to_string(first_node_port) : check.port;
  return {check.protocol + ":" + port + check.path, check.interval, check.timeout, check.healthy,
          check.unhealthy};
}

}  // namespace

Result<ClassicBalancer> read_classic_balancer(XmlElement member) {
  ClassicBalancer out;
  out.name = member.text("LoadBalancerName");
  if (out.name.empty()) return bad_answer("has a load balancer without name");
  out.dns_name = member.text("DNSName");
  out.vpc_id = member.text("VPCId");
  out.internal = member.text("Scheme") == "internal";
  for (const XmlElement described : member.list("ListenerDescriptions")) {
    ClassicListener listener = read_classic_listener(described);
    out.listeners[listener.port] = std::move(listener);
  }
  out.subnets = read_texts(member, "Subnets");
  out.groups = read_texts(member, "SecurityGroups");
  for (const XmlElement instance : member.list("Instances")) {
    out.instances.insert(instance.text("InstanceId"));
  }
  out.health = read_classic_health(member.child("HealthCheck"));
  out.policies = read_names(member.child("Policies"), "OtherPolicies");
  for (const XmlElement server : member.list("BackendServerDescriptions")) {
    out.port_policies[server.number("InstancePort").value_or(0)] =
        read_names(server, "PolicyNames");
  }
  return out;
}

Result<WantedClassic> wanted_classic(const LoadBalancerService& service,
                                     const ServiceOptions& options) {
  constexpr std::size_t kMostListeners = 100;
  WantedClassic out;
  int32_t first = 0;
  for (const ServicePort& port : service.ports) {
    if (port.node_port == 0) continue;  // the Service is told
    if (first == 0) first = port.node_port;
    ClassicListener& listener = out.listeners[port.port];
    listener.port = port.port;
    listener.instance_port = port.node_port;
    set_protocols(listener, options, ends_tls(options, port));
    if (options.proxy_protocol) out.proxy_ports.insert(port.node_port);
  }
  out.health = wanted_health(options.health, first);
  out.ssl_policy = options.ssl_policy;
  if (out.listeners.size() <= kMostListeners) return out;
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "a classic load balancer has at most 100 listeners");
}

std::string ssl_policy_name(const std::string& policy) {
  return "k8s-SSLNegotiationPolicy-" + policy;
}

Rules classic_front_rules(const WantedClassic& wanted, const std::vector<std::string>& clients) {
  Rules rules;
  for (const auto& [port, listener] : wanted.listeners) {
    allow_port(rules, "tcp", static_cast<int32_t>(port), clients, "");
  }
  allow_path_mtu(rules, clients, "");
  return rules;
}

SubnetSteps subnet_steps(const std::vector<std::string>& existing,
                         const std::vector<std::string>& wanted,
                         const std::map<std::string, std::string, std::less<>>& zones) {
  const auto zone_of = [&](const std::string& subnet) {
    const auto found = zones.find(subnet);
    return found != zones.end() ? found->second : std::string();
  };
  const std::set<std::string> have(existing.begin(), existing.end());
  const std::set<std::string> want(wanted.begin(), wanted.end());
  std::set<std::string> taken;
  for (const std::string& subnet : have) taken.insert(zone_of(subnet));
  SubnetSteps steps;
  for (const std::string& subnet : want) {
    if (have.contains(subnet)) continue;
    const bool free = !taken.contains(zone_of(subnet));
    (free ? steps.attach_first : steps.attach_last).push_back(subnet);
  }
  std::copy_if(have.begin(), have.end(), std::back_inserter(steps.detach),
               [&](const std::string& subnet) { return !want.contains(subnet); });
  if (steps.detach.size() < have.size() || !steps.attach_first.empty()) return steps;
  for (const std::string& kept : steps.detach) {
    const auto waits = [&](const std::string& subnet) { return zone_of(subnet) == zone_of(kept); };
    auto& last = steps.attach_last;
    if (std::all_of(last.begin(), last.end(), waits)) continue;
    std::copy_if(last.begin(), last.end(), std::back_inserter(steps.attach_for_kept), waits);
    std::erase_if(last, waits);
    steps.detach_kept = {kept};
    std::erase(steps.detach, steps.detach_kept.front());
    return steps;
  }
  return {};
}

}  // namespace ccm::aws
