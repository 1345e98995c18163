#include "finder.hpp"

#include "openstack/compute/provider_id.hpp"

#include <ccm/namespace_rules.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ccm::openstack {
namespace {

std::array<std::string, 2> possible_names(const LoadBalancerService& service) {
  return {load_balancer_name(service), service.default_name};
}

// How many members serves_nodes() looks for in Neutron.
constexpr std::size_t kAskedPorts = 3;

// With two families each Node is a member twice.
std::size_t members_of_a_family(const std::map<std::string, const Member*>& by_address) {
  const auto v6 = static_cast<std::size_t>(std::count_if(
      by_address.begin(), by_address.end(),
      [](const auto& member) { return member.first.find(':') != std::string::npos; }));
  return std::max(v6, by_address.size() - v6);
}

Status not_shared(std::string why) {
  return Status(Code::failed_precondition, ErrorClass::invalid_spec, std::move(why))
      .with_reason("LoadBalancerNotShared");
}

}  // namespace

Task<Result<LoadBalancerFinder::Found>> LoadBalancerFinder::find(
    Ctx ctx, const LoadBalancerService& service) {
  const std::string id = service.adopt_id.empty() ? service.id : service.adopt_id;
  Found foreign;
  if (!id.empty()) {  // one that is gone is made again (OS-259, OS-428)
    auto found = co_await octavia_.find(ctx, id);
    if (!found.ok()) co_return found;
    if (*found) {
      const auto whose = co_await claim(ctx, service, **found);
      if (!whose.ok()) co_return whose.status();
      if (*whose != Claim::none) co_return found;
      foreign = *std::move(found);
    }
  }
  auto marked = co_await octavia_.with_tag(ctx, service_mark(service));
  if (!marked.ok()) co_return marked.status();
  if (marked->empty()) {
    auto named = co_await find_by_name(ctx, service);
    if (!named.ok() || *named) co_return named;
    co_return foreign;
  }
  // One that is being deleted counts last.
  const auto place = std::find_if(marked->begin(), marked->end(),
                                  [](const auto& one) { return one.status != "PENDING_DELETE"; });
  co_return Found(place != marked->end() ? *place : marked->front());
}

// OS-226. The name alone proves nothing (OS-229): a cluster of the same name may have it.
Task<Result<LoadBalancerFinder::Found>> LoadBalancerFinder::find_by_name(
    Ctx ctx, const LoadBalancerService& service) {
  const std::array<std::string, 2> names = possible_names(service);
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const auto all = co_await octavia_.with_name(ctx, name);
    if (!all.ok()) co_return all.status();
    for (const ExistingLoadBalancer& balancer : *all) {
      if (balancer.status == "PENDING_DELETE") continue;
      const auto whose = co_await claim(ctx, service, balancer);
      if (!whose.ok()) co_return whose.status();
      if (*whose == Claim::owner) co_return Found(balancer);
    }
  }
  co_return Found();
}

Task<Result<Claim>> LoadBalancerFinder::claim(Ctx ctx, const LoadBalancerService& service,
                                              const ExistingLoadBalancer& balancer) {
  const Claim by_mark = claim_of(service, balancer);
  if (by_mark == Claim::owner || !name_needs_proof(service, balancer)) co_return by_mark;
  const auto known = proven_.find(service.uid);
  bool ours = known != proven_.end() && known->second == balancer.id;
  if (!ours) {
    const auto proven = co_await is_this_clusters(ctx, service, balancer);
    if (!proven.ok()) co_return proven.status();
    ours = *proven;
  }
  if (ours) proven_[service.uid] = balancer.id;
  co_return claim_of(service, balancer, ours);
}

// A Service of the Go manager has one load balancer alone: one that has its own by a mark cannot
// get another one by what its status shows.
Task<Result<bool>> LoadBalancerFinder::is_this_clusters(Ctx ctx, const LoadBalancerService& service,
                                                        const ExistingLoadBalancer& balancer) {
  const auto marked = co_await octavia_.with_tag(ctx, service_mark(service));
  if (!marked.ok()) co_return marked.status();
  if (!marked->empty()) co_return false;
  const auto floating = co_await addresses_.floating_address(ctx, balancer);
  if (!floating.ok()) co_return floating.status();
  if (status_shows(service, balancer, *floating)) co_return true;
  if (service.id != balancer.id) co_return false;
  auto serves = co_await serves_nodes(ctx, balancer);
  co_return serves;
}

// Whether most members are Nodes of this cluster: a kubelet may register its Node as a server of
// another one, so a single Node proves nothing. Nor does what Nodes say of their addresses, and
// networks may have the same ones: Neutron has to know them on the servers' own ports.
Task<Result<bool>> LoadBalancerFinder::serves_nodes(Ctx ctx, const ExistingLoadBalancer& balancer) {
  ExistingLoadBalancer whole = balancer;
  Status read = co_await octavia_.read_children(ctx, whole);
  if (!read.ok()) co_return read;
  std::map<std::string, const Member*> by_address;
  for (const ExistingPool& pool : whole.pools) {
    for (const Member& member : pool.members) by_address[member.address] = &member;
  }
  const auto candidates = servers_with(by_address);
  if (candidates.size() * 2 <= members_of_a_family(by_address)) co_return false;
  std::size_t asked = 0;
  std::size_t right = 0;
  for (const auto& [server, address] : candidates) {
    if (asked++ == kAskedPorts) break;
    const auto subnet = co_await addresses_.subnet_of(ctx, server, address);
    if (!subnet.ok()) co_return subnet.status();
    const std::string& said = by_address.at(address)->subnet_id;
    if (!subnet->empty() && (said.empty() || said == *subnet)) ++right;
  }
  co_return right * 2 > std::min(asked, kAskedPorts);
}

Task<Status> LoadBalancerFinder::may_join(Ctx ctx, const LoadBalancerService& guest,
                                          const std::string& cluster_uid,
                                          const ExistingLoadBalancer& balancer) {
  const auto users = users_of_cluster(balancer, guest.cluster_name, cluster_uid);
  if (!users) co_return not_shared("the load balancer is another cluster's");
  for (const MarkedService& user : *users) {
    const auto service = co_await user_of(ctx, guest, user, balancer);
    if (!service.ok()) co_return service.status();
    if (!*service) {
      co_return not_shared("the load balancer is of a Service that this cluster does not have");
    }
    if (shares_load_balancer_with(host_.config, *service, guest.namespace_name)) continue;
    co_return not_shared(
        "the load balancer is of a Service in another namespace, whose annotation " +
        std::string(kShareAnnotation) + " does not name the namespace " + guest.namespace_name);
  }
  co_return Status();
}

// The name may be that of a Service of another cluster, so the Service of this cluster has to have
// the mark, or what proves it without one.
Task<Result<Object>> LoadBalancerFinder::user_of(Ctx ctx, const LoadBalancerService& guest,
                                                 MarkedService user,
                                                 const ExistingLoadBalancer& balancer) {
  LoadBalancerService service;
  service.namespace_name = user.namespace_name();
  service.name = user.service.substr(service.namespace_name.size() + 1);
  service.object = host_.kube.cached("v1/services", service.name, service.namespace_name);
  if (!service.object) co_return Object();
  service.uid = service.object.uid();
  service.cluster_name = guest.cluster_name;
  service.id = balancer.id;
  service.requested_ip = service.object.text("/spec/loadBalancerIP");
  const auto whose = co_await claim(ctx, service, balancer);
  if (!whose.ok()) co_return whose.status();
  co_return *whose == Claim::owner ? service.object : Object();
}

// The servers of Nodes that say they have one of these addresses, each with one of them.
std::map<std::string, std::string> LoadBalancerFinder::servers_with(
    const std::map<std::string, const Member*>& addresses) const {
  std::map<std::string, std::string> found;
  host_.kube.cached_each("v1/nodes", {}, [&](const Object& node) {
    const auto id = parse_provider_id(node.text("/spec/providerID"));
    if (!id.ok()) return;
    node.at("/status/addresses").each([&](std::string_view, const Value& entry) {
      const std::string address(entry.text("/address"));
      if (addresses.contains(address)) found.emplace(id->server, address);
    });
  });
  return found;
}

}  // namespace ccm::openstack
