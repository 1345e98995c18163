#include "routes.hpp"

#include "openstack/compute/provider_id.hpp"

#include <ccm/cidr.hpp>
#include <ccm/gather.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ccm::openstack {
namespace {

// Changes in one apply: its body stays short, and its ports' changes within the host's time for it.
constexpr int64_t kChangesAtOnce = 100;
constexpr std::size_t kShortTag = 60;
constexpr std::size_t kLongTag = 255;
constexpr milliseconds kAskForCluster{10'000};
// A route that leads elsewhere than to the Node with its range is looked at again.
constexpr milliseconds kLookAgain{600'000};

bool is_v6_range(const std::string& text) { return text.find(':') != std::string::npos; }

Status without_address(const std::string& range) {
  return Status(Code::failed_precondition, ErrorClass::waiting,
                std::string("the instance has no InternalIP of ") +
                    (is_v6_range(range) ? "IPv6" : "IPv4"))
      .with_reason("NoAddress");
}

Status without_server(const Status& why) {
  return Status(Code::failed_precondition, ErrorClass::waiting,
                "the route names no instance of this cloud: " + why.message())
      .with_reason("NoInstance");
}

Status not_ours(const ExtraRoute& route) {
  return Status(Code::failed_precondition,
                "the route to " + route.destination + " is not recorded as this cluster's")
      .with_reason("NotOwned");
}

// Whether the router may take some of the routes when it refuses all of them.
bool may_take_some(const Status& status) {
  return status.error_class() == ErrorClass::quota ||
         status.error_class() == ErrorClass::invalid_spec;
}

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

// By which of its names the record has the route; empty = by none.
std::string recorder_of(const std::vector<std::string>& clusters, const Router& router,
                        const ExtraRoute& route) {
  const auto found = std::find_if(clusters.begin(), clusters.end(), [&](const std::string& name) {
    return RouteMarks(name, router.tags).has(route);
  });
  return found == clusters.end() ? std::string() : *found;
}

std::string text_of_route(const ExtraRoute& route) {
  return route.destination + " via " + route.next_hop;
}

}  // namespace

Routes::Routes(Host& host, Api& api)
    : host_(host),
      router_(api),
      pairs_(api),
      ranges_(RoutableRanges::of_flags(
          [&host](std::string_view name) { return host.config.flag(name); })) {}

RouteLimits Routes::limits() { return {0, kChangesAtOnce, true}; }

void Routes::configure(const std::string& router_id) {
  if (router_id != router_.id()) {
    known_.clear();
    strangers_.clear();
  }
  router_.configure(router_id);
  audit_at_ = milliseconds(0);
  audited_ = 0;
}

Task<Result<std::string>> Routes::cluster(Ctx ctx, std::string cluster_name) {
  if (cluster_) co_return *cluster_;
  KubeReference reference;
  reference.resource = "v1/namespaces";
  reference.name = "kube-system";
  const auto found =
      co_await host_.kube.get(ctx.with_timeout(kAskForCluster), std::move(reference));
  if (found.ok()) {
    cluster_ = found->uid();
  } else if (found.status().code() == Code::permission_denied) {
    host_.log.info(
        "The UID of the namespace kube-system cannot be read, so the record of routes names the "
        "cluster by --cluster-name: grant \"get\" on this namespace when clusters of one name "
        "share a router",
        {{"cluster", cluster_name}});
    cluster_ = std::move(cluster_name);
  } else {
    co_return found.status().with_context("the UID of the namespace kube-system");
  }
  co_return *cluster_;
}

bool Routes::is_ours(const ExtraRoute& route, const RouteMarks& marks) const {
  return known_.contains(normal_form(route)) || marks.has(route);
}

// A former manager left no record, or it was lost. A kubelet chooses range and server of its Node,
// so only within the cluster's own ranges, and by the port to which the route leads.
Task<Status> Routes::recognise(Ctx ctx, const Router& router, const RouteNodes& nodes,
                               const RouteMarks& marks) {
  std::set<ExtraRoute> known;
  std::vector<ExtraRoute> unknown;
  std::vector<std::string> addresses;
  const milliseconds now = host_.timer.now();
  if (now >= strangers_until_) strangers_.clear();
  for (const ExtraRoute& route : router.routes) {
    const ExtraRoute normal = normal_form(route);
    if (is_ours(route, marks)) {
      known.insert(normal);
      continue;
    }
    const auto range = parse_cidr(normal.destination);
    if (!range || !ranges_.contains(*range) || strangers_.contains(normal)) continue;
    if (!nodes.has_range(normal.destination)) continue;
    addresses.push_back(normal.next_hop);
    unknown.push_back(normal);
  }
  known_ = std::move(known);
  if (unknown.empty()) co_return Status();
  Batch batch;
  Status status = co_await find_ports(ctx, batch, std::move(addresses), {});
  if (!status.ok()) co_return status;
  if (strangers_.empty()) strangers_until_ = now + kLookAgain;
  for (const ExtraRoute& route : unknown) {
    const auto port = batch.ports.find(route.next_hop);
    const bool ours =
        port != batch.ports.end() && nodes.has(route.destination, port->second.server);
    (ours ? known_ : strangers_).insert(route);
  }
  co_return Status();
}

Task<Status> Routes::record(Ctx ctx, const RouterFeatures& features, const RouteMarks& marks,
                            std::set<ExtraRoute> routes) {
  if (!features.tags) co_return Status();
  const auto change = marks.record(routes, features.long_tags ? kLongTag : kShortTag);
  for (const std::string& tag : change.add) {
    Status status = co_await router_.add_tag(ctx, tag);
    if (!status.ok()) co_return status;
  }
  for (const std::string& tag : change.remove) {
    const Status status = co_await router_.remove_tag(ctx, tag);
    if (!status.ok()) host_.log.v(2, "An old tag of the router was not removed", {{"err", status}});
  }
  co_return Status();
}

// A former manager's routes, and those of a record that was lost.
Task<void> Routes::adopt(Ctx ctx, const RouterFeatures& features, const Router& router,
                         const RouteMarks& marks) {
  std::set<ExtraRoute> ours;
  for (const ExtraRoute& route : router.routes) {
    if (is_ours(route, marks)) ours.insert(normal_form(route));
  }
  const Status status = co_await record(ctx, features, marks, std::move(ours));
  if (!status.ok() && !std::exchange(record_failed_, true)) {
    host_.log.warning(
        "Routes could not be recorded in the router's tags, so they stay when their Nodes go while "
        "no manager runs",
        {{"err", status}});
  }
  if (status.ok()) record_failed_ = false;
}

Task<Result<std::vector<Route>>> Routes::list(Ctx ctx, std::string cluster_name) {
  const auto features = co_await router_.features(ctx);
  if (!features.ok()) co_return features.status();
  if (!features->extra_routes) {
    co_return Status(Code::unimplemented, ErrorClass::unsupported,
                     "[Route] router-id: this cloud's routers have no extra routes (Neutron's "
                     "extension extraroute)");
  }
  const auto name = co_await cluster(ctx, std::move(cluster_name));
  if (!name.ok()) co_return name.status();
  const auto router = co_await router_.read(ctx);
  if (!router.ok()) co_return router.status();
  const RouteNodes nodes(host_.kube);
  const RouteMarks marks(*name, router->tags);
  const Status recognised = co_await recognise(ctx, *router, nodes, marks);
  if (!recognised.ok()) co_return recognised;
  std::vector<Route> routes;
  for (const ExtraRoute& route : router->routes) {
    Route& listed = routes.emplace_back();
    listed.id = route.next_hop;
    listed.destination_cidr = route.destination;
    listed.target_addresses = {{"InternalIP", route.next_hop}};
    listed.owned = is_ours(route, marks);
  }
  co_await adopt(ctx, *features, *router, marks);
  co_await audit_pairs(ctx, *features, *router, nodes, marks);
  co_return routes;
}

Routes::Batch Routes::make_batch(const std::vector<Route>& removals,
                                 const std::vector<Route>& additions) {
  Batch batch;
  for (const Route& route : additions) {
    Addition& addition = batch.additions.emplace_back();
    addition.route = normal_form({route.destination_cidr, {}});
    const auto id = parse_provider_id(route.target_provider_id);
    if (!id.ok()) {
      addition.status = without_server(id.status());
      continue;
    }
    addition.server = id->server;
    // Addresses of the range's family (OS-182, OS-193).
    for (const NodeAddress& address : route.target_addresses) {
      if (address.type != "InternalIP") continue;
      if (is_v6_range(address.address) != is_v6_range(route.destination_cidr)) continue;
      addition.addresses.push_back(normal_form({{}, address.address}).next_hop);
    }
    if (addition.addresses.empty()) addition.status = without_address(route.destination_cidr);
  }
  for (const Route& route : removals) {
    batch.removals.push_back(normal_form({route.destination_cidr, route.id}));
  }
  return batch;
}

// All that does not touch a route yet. The record precedes the routes, so that none of ours is
// without it, whenever the manager ends.
Task<Status> Routes::prepare(Ctx ctx, std::string cluster_name, Batch& batch) {
  const auto features = co_await router_.features(ctx);
  if (!features.ok()) co_return features.status();
  batch.features = *features;
  const auto name = co_await cluster(ctx, std::move(cluster_name));
  if (!name.ok()) co_return name.status();
  const auto router = co_await router_.read(ctx);
  if (!router.ok()) co_return router.status();
  const RouteMarks marks(*name, router->tags);
  for (const ExtraRoute& route : router->routes) {
    (is_ours(route, marks) ? batch.owned : batch.foreign).insert(normal_form(route));
  }
  std::vector<std::string> servers;
  for (const Addition& addition : batch.additions) {
    if (addition.status.ok()) servers.push_back(addition.server);
  }
  std::vector<std::string> addresses;
  if (features->pairs) {
    for (const ExtraRoute& route : batch.removals) addresses.push_back(route.next_hop);
  }
  Status found = co_await find_ports(ctx, batch, std::move(addresses), std::move(servers));
  if (!found.ok()) co_return found;
  for (Addition& addition : batch.additions) choose_next_hop(batch, addition);
  if (features->pairs) co_await add_pairs(ctx, batch);
  std::set<ExtraRoute> recorded = batch.owned;
  for (const Addition& addition : batch.additions) {
    if (addition.status.ok()) recorded.insert(addition.route);
  }
  Status status = co_await record(ctx, batch.features, marks, std::move(recorded));
  if (!status.ok()) co_return std::move(status).with_context("record routes in the router's tags");
  co_return status;
}

// The outcome of all removals. A route that is added, too, stays.
Task<Status> Routes::remove(Ctx ctx, Batch& batch) {
  std::vector<ExtraRoute> wrong;
  for (const ExtraRoute& route : batch.removals) {
    const bool added =
        std::any_of(batch.additions.begin(), batch.additions.end(),
                    [&](const Addition& one) { return one.status.ok() && one.route == route; });
    if (!added && !batch.foreign.contains(route)) wrong.push_back(route);
  }
  Status status = co_await router_.remove(ctx, wrong);
  if (!status.ok()) co_return status;
  for (const ExtraRoute& route : wrong) known_.erase(route);
  batch.gone = std::move(wrong);
  co_return status;
}

// All in one call. When the router refuses that, halves are tried, so that one wrong route does not
// keep the others out, and a table fills to its end: the first ones go first.
Task<void> Routes::add(Ctx ctx, Batch& batch) {
  using Range = std::pair<std::size_t, std::size_t>;
  std::vector<Addition*> ready;
  for (Addition& addition : batch.additions) {
    if (addition.status.ok()) ready.push_back(&addition);
  }
  std::vector<Range> left;  // the next one last
  if (!ready.empty()) left.emplace_back(0, ready.size());
  Status stop;  // no further one has a chance
  while (!left.empty()) {
    const auto [begin, end] = left.back();
    left.pop_back();
    std::vector<ExtraRoute> some;
    for (std::size_t i = begin; i < end; ++i) some.push_back(ready[i]->route);
    Status status = stop;
    if (status.ok()) status = co_await router_.add(ctx, std::move(some));
    if (may_take_some(status) && stop.ok() && end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      left.emplace_back(middle, end);
      left.emplace_back(begin, middle);
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      ready[i]->status = status;
      if (status.ok()) known_.insert(ready[i]->route);
    }
    if (!status.ok() && status.error_class() != ErrorClass::invalid_spec) stop = status;
  }
}

Task<Routes::Statuses> Routes::apply(Ctx ctx, std::string cluster_name, std::vector<Route> removals,
                                     std::vector<Route> additions) {
  Batch batch = make_batch(removals, additions);
  const Status prepared = co_await prepare(ctx, std::move(cluster_name), batch);
  if (!prepared.ok()) {
    for (Addition& addition : batch.additions) {
      if (addition.status.ok()) addition.status = prepared;
    }
    if (batch.features.pairs) co_await remove_pairs(ctx, batch);
    co_return prepared;
  }
  const Status removed = co_await remove(ctx, batch);
  co_await add(ctx, batch);
  if (batch.features.pairs) co_await remove_pairs(ctx, batch);
  std::vector<Status> statuses;
  statuses.reserve(batch.removals.size() + batch.additions.size());
  for (const ExtraRoute& route : batch.removals) {
    statuses.push_back(batch.foreign.contains(route) ? not_ours(route) : removed);
  }
  for (const Addition& addition : batch.additions) statuses.push_back(addition.status);
  co_return statuses;
}

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

Task<Result<std::vector<OwnedObject>>> Routes::recorded(Ctx ctx,
                                                        std::vector<std::string> clusters) {
  std::vector<OwnedObject> objects;
  if (router_.id().empty()) co_return objects;
  const auto router = co_await router_.read(ctx);
  if (!router.ok()) co_return router.status();
  for (const ExtraRoute& route : router->routes) {
    std::string cluster = recorder_of(clusters, *router, route);
    if (cluster.empty()) continue;
    OwnedObject& object = objects.emplace_back();
    object.kind = CCM_OWNED_ROUTE;
    object.id = text_of_route(route);
    object.cluster = std::move(cluster);
    object.address = route.next_hop;
    object.destination_cidr = route.destination;
  }
  co_return objects;
}

Task<Status> Routes::remove_recorded(Ctx ctx, std::vector<std::string> clusters,
                                     OwnedObject object) {
  const auto features = co_await router_.features(ctx);
  if (!features.ok()) co_return features.status();
  const auto router = co_await router_.read(ctx);
  if (!router.ok()) co_return router.status();
  for (const ExtraRoute& route : router->routes) {
    if (text_of_route(route) != object.id) continue;
    if (recorder_of(clusters, *router, route).empty()) {
      co_return Status(Code::failed_precondition,
                       "the route " + object.id + " is not recorded as this cluster's")
          .with_reason(CCM_REASON_NOT_OWNED);
    }
    Batch batch;
    batch.features = *features;
    batch.removals.push_back(route);
    if (features->pairs) {
      std::vector<std::string> addresses(1, route.next_hop);
      Status found = co_await find_ports(ctx, batch, std::move(addresses), {});
      if (!found.ok()) co_return found;
    }
    Status removed = co_await remove(ctx, batch);
    if (removed.ok() && features->pairs) co_await remove_pairs(ctx, batch);
    co_return removed;
  }
  co_return Status();
}

}  // namespace ccm::openstack
