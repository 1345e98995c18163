#include "wanted.hpp"

#include <ccm/node_ports.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace ccm::openstack {
namespace {

constexpr std::size_t kLongestCloudName = 255;
constexpr const char* kOnlyMethod = "SOURCE_IP_PORT";  // of ovn
// Limits of one Service. Octavia has a listener and a pool for each port, and each of them has all
// source ranges and all Nodes, so the products with the number of ports have a limit, too.
constexpr std::size_t kMostPorts = 1'000;
constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostWatchedLabels = 64;
constexpr std::size_t kLongestLabelKey = 317;

std::string cut(std::string name) {
  if (name.size() > kLongestCloudName) name.resize(kLongestCloudName);
  return name;
}

bool of_family(const std::string& address, const std::string& family) {
  const bool v6 = address.find(':') != std::string::npos;
  return family.empty() || v6 == (family == "IPv6");
}

// OS-246. Octavia refuses a range whose family no VIP has (OS-248), and an empty list lets
// everybody in.
Result<std::vector<std::string>> allowed_ranges(const LoadBalancerService& service,
                                                const std::string& family, bool dual_stack) {
  std::vector<std::string> ranges;
  for (const std::string& range : service.source_ranges) {
    if (dual_stack || of_family(range, family)) ranges.push_back(range);
  }
  if (service.source_ranges.empty()) {
    if (dual_stack || family != "IPv6") ranges.emplace_back("0.0.0.0/0");
    if (dual_stack || family == "IPv6") ranges.emplace_back("::/0");
  }
  if (ranges.empty()) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "spec.loadBalancerSourceRanges has no range of " + family +
                      ", the family of the load balancer's address");
  }
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

class PortBuilder {
 public:
  PortBuilder(const LoadBalancerService& service, const BuildOptions& build,
              const std::vector<const Backend*>& nodes)
      : service_(service), build_(build), options_(build.options), nodes_(nodes) {}

  [[nodiscard]] WantedPort build(const ServicePort& port,
                                 const std::vector<std::string>& ranges) const {
    const bool http = port.protocol == "TCP" && build_.features.http;
    WantedPort out;
    out.port = port.port;
    out.protocol = port.protocol;
    out.connection_limit = options_.connection_limit;
    out.x_forwarded_for = http && options_.x_forwarded_for;
    if (http) out.tls_container_ref = options_.tls_container_ref;
    if (out.x_forwarded_for) out.protocol = "HTTP";
    if (!out.tls_container_ref.empty()) out.protocol = "TERMINATED_HTTPS";
    // OS-269; PROXY for TCP only: Octavia refuses it for UDP (OS-427).
    out.pool_protocol = out.protocol == "TERMINATED_HTTPS" ? "HTTP" : out.protocol;
    if (http && !options_.proxy_protocol.empty()) out.pool_protocol = options_.proxy_protocol;
    if (build_.features.timeouts) out.timeouts = options_.timeouts;
    if (build_.features.allowed_cidrs) out.allowed_cidrs = ranges;
    out.method = build_.features.methods ? options_.method : kOnlyMethod;
    out.source_ip = service_.client_ip_affinity;
    out.monitor = monitor(port.protocol);
    const bool over_http = out.monitor && out.monitor->type == "HTTP";
    out.members = members(port, over_http ? service_.health_check_node_port : 0);
    return out;
  }

 private:
  // OS-279. Local traffic has one unless an annotation refuses it: without it Nodes without Pods
  // would get packets (OS-421).
  [[nodiscard]] std::optional<Monitor> monitor(const std::string& protocol) const {
    const MonitorOptions& wanted = options_.monitor;
    const bool local = service_.health_check_node_port != 0 && !wanted.refused;
    if (!wanted.enabled && !local) return std::nullopt;
    const Features& can = build_.features;
    const bool http = local && can.http_monitor && (protocol != "UDP" || can.http_monitor_of_udp);
    Monitor out;
    out.type = http ? "HTTP" : protocol == "UDP" ? "UDP-CONNECT" : protocol;
    out.delay = wanted.delay;
    out.timeout = wanted.timeout;
    out.max_retries = wanted.max_retries;
    out.max_retries_down = wanted.max_retries_down;
    return out;
  }

  [[nodiscard]] std::vector<Member> members(const ServicePort& port, int32_t monitor_port) const {
    std::vector<Member> list;
    for (const Backend* node : nodes_) {
      Member member;
      member.address = member_address(*node, build_.members);
      if (member.address.empty()) continue;
      member.name = node->name;
      member.subnet_id = build_.member_subnet_id;
      member.port = port.node_port;
      member.monitor_port = monitor_port;
      if (build_.settings.provider_requires_serial_api_calls) {  // OS-219, OS-278
        member.name = cut("member_" + node->name + "_" + member.address + "_" +
                          std::to_string(port.node_port));
        member.monitor_port = 0;
        member.subnet_id.clear();
      }
      list.push_back(std::move(member));
    }
    std::sort(list.begin(), list.end(), &before);
    // Two Nodes may have one address, when an instance took another's place. Octavia refuses a
    // member that is there twice.
    const auto same = [](const Member& one, const Member& other) {
      return one.address == other.address && one.port == other.port;
    };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
    return list;
  }

  const LoadBalancerService& service_;
  const BuildOptions& build_;
  const ServiceOptions& options_;
  const std::vector<const Backend*>& nodes_;
};

// OS-247, OS-249, OS-333.
void tell_unsupported(const LoadBalancerService& service, const BuildOptions& build,
                      std::vector<Problem>& problems) {
  const ServiceOptions& options = build.options;
  const Features& can = build.features;
  const auto tell = [&](bool unsupported, const std::string& what) {
    if (unsupported) problems.push_back({"LoadBalancerOptionIgnored", what});
  };
  const std::string lacks = ": this Octavia or its provider does not have ";
  if (!service.source_ranges.empty() && !can.allowed_cidrs &&
      !build.settings.manage_security_groups) {
    problems.push_back({"LoadBalancerSourceRangesIgnored", "spec.loadBalancerSourceRanges" + lacks +
                                                               "them, so everybody may connect"});
  }
  tell(!options.flavor_id.empty() && !can.flavors, "flavor-id" + lacks + "flavors");
  if (!options.availability_zone.empty() && !can.availability_zones) {
    problems.push_back(
        {"LoadBalancerAvailabilityZonesIgnored", "availability-zone" + lacks + "zones"});
  }
  tell(!can.timeouts && options.timeouts != Timeouts(), "timeout-..." + lacks + "timeouts");
  tell(!can.methods && options.method_asked && options.method != kOnlyMethod,
       "lb-method" + lacks + options.method);
  tell(!options.proxy_protocol.empty() && !can.http,
       "proxy-protocol" + lacks + "the PROXY protocol");
  tell(options.x_forwarded_for && !can.http, "x-forwarded-for" + lacks + "HTTP");
  tell(!options.tls_container_ref.empty() && !can.http,
       "default-tls-container-ref" + lacks + "TLS");
  if (!can.http) return;
  const bool others = std::any_of(service.ports.begin(), service.ports.end(),
                                  [](const ServicePort& port) { return port.protocol != "TCP"; });
  tell(others && !options.proxy_protocol.empty(),
       "proxy-protocol: only ports of TCP have it, the others go without");
}

// OS-238: a member on another subnet is reached by way of a router, if at all.
void tell_off_subnet(const std::vector<const Backend*>& nodes, const MemberRule& rule,
                     std::vector<Problem>& problems) {
  constexpr std::size_t kMost = 3;
  if (!rule.subnet) return;
  std::string names;
  std::size_t count = 0;
  for (const Backend* node : nodes) {
    const auto address = parse_address(member_address(*node, rule));
    if (!address || rule.subnet->contains(*address)) continue;
    if (++count <= kMost) names += (names.empty() ? "" : ", ") + node->name;
  }
  if (count == 0) return;
  if (count > kMost) names += " and " + std::to_string(count - kMost) + " more";
  problems.push_back({"LoadBalancerMembersOffSubnet",
                      "Nodes without an address on member-subnet-id (" + rule.subnet->text() +
                          ") are members with their first one, which the load balancer may not "
                          "reach: " +
                          names});
}

std::string why_no_members(const WantedLoadBalancer& wanted, const Backends& backends,
                           const std::vector<const Backend*>& nodes, const BuildOptions& build) {
  if (backends.empty()) return {};
  if (nodes.empty()) {
    return "no Node has the labels of node-selector, " + selector_text(build.options.node_selector);
  }
  const bool any = std::any_of(wanted.ports.begin(), wanted.ports.end(),
                               [](const WantedPort& port) { return !port.members.empty(); });
  const bool addressed = std::any_of(nodes.begin(), nodes.end(), [&](const Backend* node) {
    return !member_address(*node, build.members).empty();
  });
  if (any || addressed) return {};
  std::string families;
  for (const std::string& family : build.members.families) {
    families += (families.empty() ? "" : " or ") + family;
  }
  return "no Node has an " + families + " address, the Service's family";
}

Status check_size(std::size_t ports, std::size_t ranges, std::size_t nodes) {
  const auto too_many = [&](std::size_t count, const char* what) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  std::to_string(ports) + " ports with " + std::to_string(count) + what +
                      " each are more than " + std::to_string(kMostEntries))
        .with_reason("TooManyPorts");
  };
  if (ports > kMostPorts) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "a load balancer may have " + std::to_string(kMostPorts) + " ports, and not " +
                      std::to_string(ports))
        .with_reason("TooManyPorts");
  }
  if (ports * ranges > kMostEntries) return too_many(ranges, " source ranges");
  if (ports * nodes > kMostEntries) return too_many(nodes, " Nodes");
  return {};
}

}  // namespace

bool before(const Member& one, const Member& other) {
  return std::tie(one.address, one.port, one.name) <
         std::tie(other.address, other.port, other.name);
}

std::string family_of(const LoadBalancerService& service) {
  return service.ip_families.empty() ? std::string() : service.ip_families.front();
}

std::string other_family(const std::string& family) { return family == "IPv6" ? "IPv4" : "IPv6"; }

std::string member_address(const Backend& backend, const std::string& family) {
  for (const char* type : {"InternalIP", "ExternalIP"}) {
    for (const NodeAddress& address : backend.addresses) {
      if (address.type == type && of_family(address.address, family)) return address.address;
    }
  }
  return {};
}

std::string member_address(const Backend& backend, const MemberRule& rule) {
  if (rule.subnet) {
    for (const NodeAddress& address : backend.addresses) {
      const auto parsed = parse_address(address.address);
      const bool fits = parsed && rule.subnet->contains(*parsed) &&
                        std::any_of(rule.families.begin(), rule.families.end(),
                                    [&](const auto& f) { return of_family(address.address, f); });
      if (fits) return address.address;
    }
  }
  for (const std::string& family : rule.families) {
    std::string address = member_address(backend, family);
    if (!address.empty()) return address;
  }
  return {};
}

std::string selector_text(const NodeSelector& selector) {
  std::string text;
  for (const auto& [key, value] : selector) {
    text += (text.empty() ? "" : ",") + key + (value ? "=" + *value : "");
  }
  return text;
}

std::vector<std::string> watched_labels(const NodeSelector& selector) {
  std::set<std::string> keys;
  for (const auto& [key, value] : selector) {
    if (key.empty() || key.size() > kLongestLabelKey) continue;
    keys.insert(key);
    if (keys.size() == kMostWatchedLabels) break;
  }
  return {keys.begin(), keys.end()};
}

bool selected(const Backend& backend, const NodeSelector& selector) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& item) {
    const auto& [key, value] = item;
    const auto label = backend.node.at("/metadata/labels" + pointer_segment(key)).text();
    return label && (!value || *label == *value);
  });
}

Result<WantedLoadBalancer> wanted_load_balancer(const LoadBalancerService& service,
                                                const Backends& backends,
                                                const BuildOptions& build) {
  if (service.ports.empty()) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, "the Service has no ports");
  }
  if (Status status = need_node_ports(service); !status.ok()) return status;  // OS-396
  const ServiceOptions& options = build.options;
  WantedLoadBalancer wanted;
  wanted.name = load_balancer_name(service);
  wanted.description = load_balancer_description(service, build.cluster_uid);
  wanted.provider = build.settings.lb_provider;
  wanted.mark = service_mark(service);
  wanted.cluster_mark = cluster_mark(build.cluster_uid);
  wanted.port_id = options.port_id;
  wanted.subnet_id = options.subnet_id;
  wanted.network_id = options.network_id;
  if (options.internal || build.vip_family == "IPv6") wanted.address = service.requested_ip;
  if (build.features.flavors) wanted.flavor_id = options.flavor_id;
  if (build.features.availability_zones) {
    wanted.availability_zone = options.availability_zone;
  }
  wanted.serial = build.settings.provider_requires_serial_api_calls;
  auto ranges = allowed_ranges(service, build.vip_family, build.dual_stack);
  if (!ranges.ok()) return ranges.status();
  std::vector<const Backend*> nodes;
  for (const Backend& backend : backends) {
    if (selected(backend, options.node_selector)) nodes.push_back(&backend);
  }
  Status size = check_size(service.ports.size(), ranges->size(), nodes.size());
  if (!size.ok()) return size;
  const PortBuilder builder(service, build, nodes);
  for (const ServicePort& port : service.ports) {
    wanted.ports.push_back(builder.build(port, *ranges));
  }
  tell_unsupported(service, build, wanted.problems);
  tell_off_subnet(nodes, build.members, wanted.problems);
  wanted.no_members = why_no_members(wanted, backends, nodes, build);
  return wanted;
}

}  // namespace ccm::openstack
