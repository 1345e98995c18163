#include "routes.hpp"

#include <utility>

namespace ccm::openstack {
namespace {

// Of one apply: its body stays short, and its ports' changes within the host's time for it.
constexpr int64_t kChangesAtOnce = 100;
constexpr std::size_t kShortTag = 60;
constexpr std::size_t kLongTag = 255;
constexpr milliseconds kAskForCluster{10'000};

}  // namespace

RouteLimits Routes::limits() { return {0, kChangesAtOnce, true}; }

void Routes::configure(const std::string& router_id) {
  if (router_id != router_.id()) known_.clear();
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

// Once a route was right it stays this cluster's, also when its Node goes.
void Routes::remember(const Router& router, const RouteNodes& nodes, const RouteMarks& marks) {
  std::map<ExtraRoute, std::string> known;
  for (const ExtraRoute& route : router.routes) {
    const ExtraRoute normal = normal_form(route);
    const RouteNode* node = nodes.target_of(route);
    const auto before = known_.find(normal);
    if (node != nullptr && node->ranges.contains(normal.destination)) {
      known[normal] = node->name;
    } else if (before != known_.end()) {
      known.insert(*before);
    } else if (marks.has(route)) {
      known[normal] = node != nullptr ? node->name : "";
    }
  }
  known_ = std::move(known);
}

Route Routes::listed(const ExtraRoute& route, const RouteNodes& nodes,
                     const RouteMarks& marks) const {
  Route out;
  out.id = route.next_hop;
  out.destination_cidr = route.destination;
  out.owned = is_ours(route, marks);
  if (const RouteNode* node = nodes.target_of(route)) {
    out.target_node = node->name;
    out.target_addresses = node->addresses;
    return out;
  }
  out.target_addresses = {{"InternalIP", route.next_hop}};
  const auto before = known_.find(normal_form(route));
  if (before != known_.end()) out.target_node = before->second;
  out.blackhole = out.owned && out.target_node.empty();
  return out;
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
  remember(*router, nodes, marks);
  std::vector<Route> routes;
  for (const ExtraRoute& route : router->routes) routes.push_back(listed(route, nodes, marks));
  co_await adopt(ctx, *features, *router, marks);
  co_await audit_pairs(ctx, *features, *router, nodes);
  co_return routes;
}

}  // namespace ccm::openstack
