#include "wanted.hpp"

#include <ccm/object.hpp>

#include <algorithm>
#include <string_view>

namespace ccm::openstack {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::string_view kInternalAnnotation =
    "service.beta.kubernetes.io/openstack-internal-load-balancer";

std::string cut(std::string name) {
  if (name.size() > kLongestName) name.resize(kLongestName);
  return name;
}

std::string family_of(const LoadBalancerService& service) {
  return service.ip_families.empty() ? std::string() : service.ip_families.front();
}

bool of_family(const std::string& address, const std::string& family) {
  const bool v6 = address.find(':') != std::string::npos;
  return family.empty() || v6 == (family == "IPv6");
}

// OS-246. Octavia refuses a range whose family no VIP has (OS-248).
std::vector<std::string> allowed_ranges(const LoadBalancerService& service) {
  std::vector<std::string> ranges;
  const std::string family = family_of(service).empty() ? "IPv4" : family_of(service);
  for (const std::string& range : service.source_ranges) {
    if (of_family(range, family)) ranges.push_back(range);
  }
  if (service.source_ranges.empty()) ranges.push_back(family == "IPv6" ? "::/0" : "0.0.0.0/0");
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

// OS-279. Local traffic always has one: without it Nodes without Pods would get packets (OS-421).
std::optional<Monitor> monitor_for(const LoadBalancerService& service, const std::string& protocol,
                                   const LoadBalancerSettings& settings) {
  if (!settings.create_monitor && service.health_check_node_port == 0) return std::nullopt;
  Monitor monitor;
  monitor.type = service.health_check_node_port != 0 ? "HTTP"
                 : protocol == "UDP"                 ? "UDP-CONNECT"
                                                     : protocol;
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  monitor.delay = duration_cast<seconds>(settings.monitor_delay).count();
  monitor.timeout = duration_cast<seconds>(settings.monitor_timeout).count();
  monitor.max_retries = settings.monitor_max_retries;
  monitor.max_retries_down = settings.monitor_max_retries_down;
  return monitor;
}

std::vector<Member> members_of(const LoadBalancerService& service, const ServicePort& port,
                               const Backends& backends, const std::string& subnet_id) {
  std::vector<Member> members;
  if (port.node_port == 0) return members;
  for (const Backend& backend : backends) {
    Member member;
    member.name = backend.name;
    member.address = member_address(backend, family_of(service));
    member.subnet_id = subnet_id;
    member.port = port.node_port;
    member.monitor_port = service.health_check_node_port;
    if (!member.address.empty()) members.push_back(std::move(member));
  }
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace

std::string load_balancer_name(const LoadBalancerService& service) {
  return cut("kube_service_" + service.cluster_name + "_" + service.namespace_name + "_" +
             service.name);
}

std::string service_mark(const LoadBalancerService& service) {
  return "ccm-service:" + service.uid;
}

std::string floating_ip_description(const LoadBalancerService& service) {
  return cut("Floating IP for Kubernetes external service " + service.namespace_name + "/" +
             service.name + " from cluster " + service.cluster_name);
}

std::string member_address(const Backend& backend, const std::string& family) {
  for (const char* type : {"InternalIP", "ExternalIP"}) {
    for (const NodeAddress& address : backend.addresses) {
      if (address.type == type && of_family(address.address, family)) return address.address;
    }
  }
  return {};
}

Result<WantedLoadBalancer> wanted_load_balancer(const LoadBalancerService& service,
                                                const Backends& backends,
                                                const LoadBalancerSettings& settings,
                                                const std::string& subnet_id) {
  if (service.ports.empty()) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, "the Service has no ports");
  }
  WantedLoadBalancer wanted;
  wanted.name = load_balancer_name(service);
  wanted.description = cut("Kubernetes external service " + service.namespace_name + "/" +
                           service.name + " from cluster " + service.cluster_name);
  wanted.provider = settings.lb_provider;
  wanted.mark = service_mark(service);
  wanted.subnet_id = subnet_id;
  wanted.network_id = settings.network_id;
  wanted.internal =
      settings.internal_lb ||
      service.object.text("/metadata/annotations" + pointer_segment(kInternalAnnotation)) == "true";
  if (wanted.internal || family_of(service) == "IPv6") wanted.address = service.requested_ip;
  const std::string member_subnet =
      settings.member_subnet_id.empty() ? subnet_id : settings.member_subnet_id;
  for (const ServicePort& port : service.ports) {
    WantedPort& out = wanted.ports.emplace_back();
    out.protocol = port.protocol;
    out.port = port.port;
    out.allowed_cidrs = allowed_ranges(service);
    out.method = settings.lb_method;
    out.source_ip = service.client_ip_affinity;
    out.members = members_of(service, port, backends, member_subnet);
    out.monitor = monitor_for(service, port.protocol, settings);
  }
  return wanted;
}

}  // namespace ccm::openstack
