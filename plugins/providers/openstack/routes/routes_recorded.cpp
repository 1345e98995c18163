// The routes that the record of a cluster names, for tools: without the Nodes, and without changing
// the record.
#include "routes.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

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
