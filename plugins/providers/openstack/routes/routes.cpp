#include "routes.hpp"

#include <ccm/cidr.hpp>

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

}  // namespace ccm::openstack
