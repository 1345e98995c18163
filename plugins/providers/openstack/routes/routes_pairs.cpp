// Address pairs of the ports to which routes lead.
#include "routes.hpp"

#include <ccm/gather.hpp>

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr std::size_t kPortsAtOnce = 8;
constexpr milliseconds kAuditEvery{600'000};
// Routes of one step of the audit; each listing makes one.
constexpr std::size_t kAuditStep = 100;

Status without_port(const std::string& server) {
  return Status(Code::failed_precondition, ErrorClass::unavailable,
                "no port of server " + server +
                    " on the router's networks has one of its addresses of that family")
      .with_reason("NoPort");
}

// The router has not taken the route.
bool is_refusal(const Status& status) {
  return status.refused() || status.error_class() == ErrorClass::auth ||
         status.error_class() == ErrorClass::not_found;
}

Status on_a_subnet(const std::string& destination, const Cidr& subnet) {
  return Status(Code::failed_precondition, ErrorClass::invalid_spec,
                destination + " overlaps " + subnet.text() +
                    ", a subnet to which the router is connected")
      .with_reason(std::string(kRangeConflict));
}

}  // namespace

Task<Status> Routes::find_ports(Ctx ctx, Batch& batch, std::vector<std::string> addresses,
                                std::vector<std::string> servers) {
  if (addresses.empty() && servers.empty()) co_return Status();
  auto networks = co_await router_.networks(ctx);
  if (!networks.ok()) co_return networks.status();
  batch.subnets = std::move(networks->subnets);
  auto ports =
      co_await pairs_.find(ctx, std::move(networks->ids), std::move(addresses), std::move(servers));
  if (!ports.ok()) co_return ports.status();
  batch.ports = *std::move(ports);
  co_return Status();
}

// The first of the instance's addresses that a port of its own has on the router's networks: with
// several networks that may be any of them (OS-182, occm#3090).
void Routes::choose_next_hop(const Batch& batch, Addition& addition) {
  if (!addition.status.ok()) return;
  const auto range = parse_cidr(addition.route.destination);
  const auto subnet = std::find_if(batch.subnets.begin(), batch.subnets.end(),
                                   [&](const Cidr& one) { return range && one.overlaps(*range); });
  if (subnet != batch.subnets.end()) {
    addition.status = on_a_subnet(addition.route.destination, *subnet);
    return;
  }
  for (const std::string& address : addition.addresses) {
    const auto port = batch.ports.find(address);
    if (port == batch.ports.end() || port->second.server != addition.server) continue;
    addition.route.next_hop = address;
    return;
  }
  addition.status = without_port(addition.server);
}

// OS-186, OS-187.
Task<void> Routes::add_pairs(Ctx ctx, Batch& batch) {
  std::map<std::string, std::vector<Addition*>> by_port;  // one write for both families
  for (Addition& addition : batch.additions) {
    if (!addition.status.ok()) continue;
    by_port[batch.ports.at(addition.route.next_hop).id].push_back(&addition);
  }
  std::vector<std::vector<Addition*>> groups;
  groups.reserve(by_port.size());
  for (auto& [id, group] : by_port) groups.push_back(std::move(group));
  auto change = [this, &ctx, &batch, &groups](std::size_t i) {
    return add_pair(ctx, batch, groups[i]);
  };
  Task<Status> changes = gather(host_.post, groups.size(), kPortsAtOnce, std::move(change));
  const Status ended = co_await std::move(changes);
  if (ended.ok()) co_return;
  for (Addition& addition : batch.additions) {
    if (addition.status.ok()) addition.status = ended;
  }
}

Task<Status> Routes::add_pair(Ctx ctx, const Batch& batch,
                              const std::vector<Addition*>& same_port) {
  PairChange wanted;
  for (const Addition* addition : same_port) wanted.add.insert(addition->route.destination);
  PairPort port = batch.ports.at(same_port.front()->route.next_hop);
  const std::set<std::string> before = port.ranges();
  const Status status =
      co_await pairs_.change(ctx, std::move(port), std::move(wanted), batch.features.if_match);
  for (Addition* addition : same_port) {
    addition->status = status;
    addition->paired = status.ok() && !before.contains(addition->route.destination);
  }
  co_return Status();
}

// OS-188, OS-191: of routes that were removed, and of those that were not made after all.
Task<void> Routes::remove_pairs(Ctx ctx, const Batch& batch) {
  std::map<std::string, PairChange> by_address;
  for (const ExtraRoute& route : batch.gone) {
    if (!batch.ports.contains(route.next_hop)) continue;
    by_address[route.next_hop].remove.insert(route.destination);
  }
  for (const Addition& addition : batch.additions) {
    if (!addition.paired || batch.owned.contains(addition.route)) continue;
    if (!is_refusal(addition.status)) continue;  // it may have been made, or is retried
    by_address[addition.route.next_hop].remove.insert(addition.route.destination);
  }
  for (const Addition& addition : batch.additions) {
    const auto port = batch.ports.find(addition.route.next_hop);
    if (port == batch.ports.end() || !addition.status.ok()) continue;
    for (auto& [address, change] : by_address) {
      if (batch.ports.at(address).id != port->second.id) continue;
      change.add.insert(addition.route.destination);
    }
  }
  const std::vector<std::pair<std::string, PairChange>> changes(by_address.begin(),
                                                                by_address.end());
  auto change = [this, &ctx, &batch, &changes](std::size_t i) {
    return remove_pair(ctx, batch, changes[i].first, changes[i].second);
  };
  Task<Status> all = gather(host_.post, changes.size(), kPortsAtOnce, std::move(change));
  const Status ended = co_await std::move(all);
  if (!ended.ok()) host_.log.warning("Not all address pairs were removed", {{"err", ended}});
}

// A pair that stays is no route, so its failure does not fail the removal.
Task<Status> Routes::remove_pair(Ctx ctx, const Batch& batch, const std::string& address,
                                 PairChange change) {
  PairPort port = batch.ports.at(address);
  // Additions have changed it since it was read.
  for (const Addition& addition : batch.additions) {
    const auto its = batch.ports.find(addition.route.next_hop);
    if (!addition.paired || its == batch.ports.end() || its->second.id != port.id) continue;
    port.pairs.push_back({addition.route.destination, {}});
  }
  const Status status =
      co_await pairs_.change(ctx, std::move(port), std::move(change), batch.features.if_match);
  if (!status.ok() && status.error_class() != ErrorClass::not_found) {
    host_.log.warning("An address pair of a route that is gone was not removed from its port",
                      {{"address", address}, {"err", status}});
  }
  co_return Status();
}

// OS-195. In steps, so that a listing stays short. Only ports of the Nodes that have the ranges: an
// address may belong to somebody else by now.
Task<void> Routes::audit_pairs(Ctx ctx, const RouterFeatures& features, const Router& router,
                               const RouteNodes& nodes, const RouteMarks& marks) {
  const milliseconds now = host_.timer.now();
  if (!features.pairs || (audited_ == 0 && now < audit_at_)) co_return;
  if (audited_ == 0) audit_at_ = now + kAuditEvery;
  Batch batch;
  batch.features = features;
  std::vector<ExtraRoute> ours;
  std::vector<std::string> addresses;
  std::size_t at = audited_;
  for (; at < router.routes.size() && at < audited_ + kAuditStep; ++at) {
    if (!is_ours(router.routes[at], marks)) continue;
    ours.push_back(normal_form(router.routes[at]));
    addresses.push_back(ours.back().next_hop);
  }
  audited_ = at < router.routes.size() ? at : 0;
  const Status found = co_await find_ports(ctx, batch, std::move(addresses), {});
  if (!found.ok()) {
    host_.log.warning("The ports to which routes lead could not be read", {{"err", found}});
    co_return;
  }
  for (const ExtraRoute& route : ours) {
    const auto port = batch.ports.find(route.next_hop);
    if (port == batch.ports.end() || !nodes.has(route.destination, port->second.server)) continue;
    Addition& addition = batch.additions.emplace_back();
    addition.route = route;
    addition.server = port->second.server;
  }
  co_await add_pairs(ctx, batch);
  for (const Addition& addition : batch.additions) {
    if (addition.status.ok()) continue;
    host_.log.warning("The route to a Node does not work",
                      {{"server", addition.server},
                       {"destination", addition.route.destination},
                       {"err", addition.status}});
  }
}

}  // namespace ccm::openstack
