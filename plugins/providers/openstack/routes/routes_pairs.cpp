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

Status without_port(const std::string& address) {
  return Status(Code::failed_precondition, ErrorClass::unavailable,
                "no port on the router's networks has the address " + address)
      .with_reason("NoPort");
}

}  // namespace

Task<Result<std::map<std::string, PairPort>>> Routes::find_ports(
    Ctx ctx, std::vector<std::string> addresses) {
  std::map<std::string, PairPort> none;
  if (addresses.empty()) co_return none;
  auto networks = co_await router_.networks(ctx);
  if (!networks.ok()) co_return networks.status();
  auto ports = co_await pairs_.find(ctx, *std::move(networks), std::move(addresses));
  co_return ports;
}

// OS-186, OS-187: a route to an address without a port leads nowhere.
Task<void> Routes::add_pairs(Ctx ctx, Batch& batch) {
  std::map<std::string, std::vector<Addition*>> by_port;  // one write for both families
  for (Addition& addition : batch.additions) {
    if (!addition.status.ok()) continue;
    const auto port = batch.ports.find(addition.route.next_hop);
    if (port == batch.ports.end()) {
      addition.status = without_port(addition.route.next_hop);
    } else {
      by_port[port->second.id].push_back(&addition);
    }
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
  const Status status =
      co_await pairs_.change(ctx, std::move(port), std::move(wanted), batch.features.if_match);
  for (Addition* addition : same_port) addition->status = status;
  co_return Status();
}

// OS-191.
Task<void> Routes::remove_pairs(Ctx ctx, const Batch& batch) {
  std::map<std::string, PairChange> by_address;
  for (const ExtraRoute& route : batch.gone) {
    if (!batch.ports.contains(route.next_hop)) continue;
    by_address[route.next_hop].remove.insert(route.destination);
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
  for (const std::string& range : change.add) port.pairs.push_back({range, {}});
  const Status status =
      co_await pairs_.change(ctx, std::move(port), std::move(change), batch.features.if_match);
  if (!status.ok() && status.error_class() != ErrorClass::not_found) {
    host_.log.warning("An address pair of a route that is gone was not removed from its port",
                      {{"address", address}, {"err", status}});
  }
  co_return Status();
}

// OS-195. In steps, so that a listing stays short.
Task<void> Routes::audit_pairs(Ctx ctx, const RouterFeatures& features, const Router& router,
                               const RouteNodes& nodes) {
  const milliseconds now = host_.timer.now();
  if (!features.pairs || (audited_ == 0 && now < audit_at_)) co_return;
  if (audited_ == 0) audit_at_ = now + kAuditEvery;
  Batch batch;
  batch.features = features;
  std::vector<std::string> addresses;
  std::size_t at = audited_;
  for (; at < router.routes.size() && at < audited_ + kAuditStep; ++at) {
    const ExtraRoute route = normal_form(router.routes[at]);
    const RouteNode* node = nodes.target_of(route);
    if (node == nullptr || !node->ranges.contains(route.destination)) continue;
    batch.additions.push_back({route, node->name, Status()});
    addresses.push_back(route.next_hop);
  }
  audited_ = at < router.routes.size() ? at : 0;
  auto ports = co_await find_ports(ctx, std::move(addresses));
  if (!ports.ok()) {
    host_.log.warning("The ports to which routes lead could not be read",
                      {{"err", ports.status()}});
    co_return;
  }
  batch.ports = *std::move(ports);
  co_await add_pairs(ctx, batch);
  for (const Addition& addition : batch.additions) {
    if (addition.status.ok()) continue;
    host_.log.warning("The route to a Node does not work",
                      {{"node", addition.node},
                       {"destination", addition.route.destination},
                       {"err", addition.status}});
  }
}

}  // namespace ccm::openstack
