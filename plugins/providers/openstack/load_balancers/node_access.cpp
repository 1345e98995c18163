#include "node_access.hpp"

#include "openstack/compute/provider_id.hpp"

#include <set>
#include <utility>

namespace ccm::openstack {
namespace {

std::set<std::string> client_ranges(const LoadBalancerService& service, bool v6) {
  std::set<std::string> ranges;
  for (const std::string& range : service.source_ranges) {  // OS-320
    if ((range.find(':') != std::string::npos) == v6) ranges.insert(range);
  }
  if (service.source_ranges.empty()) ranges.insert(v6 ? "::/0" : "0.0.0.0/0");
  return ranges;
}

std::string protocol_word(const std::string& protocol) {
  return protocol == "UDP" ? "udp" : protocol == "SCTP" ? "sctp" : "tcp";
}

}  // namespace

WantedGroup wanted_group(const LoadBalancerService& service, const Backends& backends,
                         const ServiceOptions& options, const MemberRule& rule,
                         const Subnet& members, bool keeps_clients,
                         const std::string& cluster_uid) {
  WantedGroup group;
  group.name = security_group_name(service);
  group.description = security_group_description(service, cluster_uid);
  group.subnet_id = members.id;
  group.namespace_name = service.namespace_name;
  const bool v6 = members.ip_version == 6;
  const std::string family = v6 ? "IPv6" : "IPv4";
  const std::set<std::string> subnet = {members.cidr};
  const std::set<std::string> sources = keeps_clients ? client_ranges(service, v6) : subnet;
  for (const ServicePort& port : service.ports) {
    if (port.node_port == 0) continue;
    for (const std::string& range : sources) {
      group.rules.insert({protocol_word(port.protocol), family, range, port.node_port});
    }
  }
  if (service.health_check_node_port != 0) {
    group.rules.insert({"tcp", family, members.cidr, service.health_check_node_port});
  }
  for (const Backend& backend : backends) {
    const auto id = parse_provider_id(backend.provider_id);
    const std::string address = member_address(backend, rule);
    if (!id.ok() || address.empty() || !selected(backend, options.node_selector)) continue;
    group.server_by_address[address] = id->server;  // others are left out (OS-323)
  }
  return group;
}

Task<Result<bool>> NodeAccess::apply(Ctx ctx, const LoadBalancerService& service,
                                     const Backends& backends, const ServiceOptions& options,
                                     const MemberRule& rule, std::string member_subnet_id,
                                     bool keeps_clients, bool write) {
  const auto cluster = co_await cluster_.get(ctx);
  if (!cluster.ok()) co_return cluster.status();
  const auto members = co_await networks_.subnet(ctx, std::move(member_subnet_id));
  if (!members.ok()) co_return members.status().with_context("subnet of the members");
  const WantedGroup wanted =
      wanted_group(service, backends, options, rule, *members, keeps_clients, *cluster);
  auto differed = co_await groups_.apply(ctx, wanted, write);
  if (!differed.ok()) co_return differed.status().with_context("security group");
  co_return differed;
}

Task<Status> NodeAccess::remove(Ctx ctx, const LoadBalancerService& service) {
  Status gone = co_await groups_.remove(ctx, security_group_name(service), service.namespace_name);
  co_return gone;
}

}  // namespace ccm::openstack
