// Changes of the router's routes.
#include "openstack/compute/provider_id.hpp"
#include "routes.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

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

}  // namespace

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

}  // namespace ccm::openstack
