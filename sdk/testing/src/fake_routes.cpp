#include "ccm/testing/fake_routes.hpp"

#include "fake_operation.hpp"

#include <algorithm>
#include <utility>

namespace ccm::testing {

struct FakeRoutes::Table {
  static FakeRoutes& owner(void* self) { return *static_cast<FakeRoutes*>(self); }

  static void list(void* self, ccm_ctx ctx, const ccm_list_routes_request* request,
                   ccm_completion done) {
    FakeRoutes& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("routes.list", done);
    cloud.record({"list", std::string(view(known(request).cluster_name)), {}, {}});
    cloud.serve("list", ctx, done, [&cloud]() -> Answer {
      return [routes = cloud.table_of_cloud](ccm_completion completion) {
        const detail::RoutesC raw(routes);
        complete(completion, {}, raw.list());
      };
    });
  }

  static void apply(void* self, ccm_ctx ctx, const ccm_apply_routes_request* request,
                    ccm_completion done) {
    FakeRoutes& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("routes.apply", done);
    const ObjectHost objects = cloud.objects_.service();
    const ccm_apply_routes_request raw = known(request);
    const RouteCall call{"apply", std::string(view(raw.cluster_name)),
                         detail::routes_from_c(objects, raw.remove, raw.remove_count),
                         detail::routes_from_c(objects, raw.add, raw.add_count)};
    cloud.record(call);
    cloud.serve("apply", ctx, done, [&cloud, call]() -> Answer {
      std::vector<Status> statuses;
      for (const Route& route : call.removals) statuses.push_back(cloud.remove_one(route));
      for (const Route& route : call.additions) statuses.push_back(cloud.add_one(route));
      return [statuses](ccm_completion completion) {
        const detail::RouteResultsC results(statuses);
        complete(completion, {}, results.get());
      };
    });
  }

  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) {
    FakeRoutes& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("routes.limits", done);
    cloud.record({"limits", {}, {}, {}});
    cloud.serve("limits", ctx, done, [limits = cloud.known_limits]() -> Answer {
      return [limits](ccm_completion completion) {
        const ccm_route_limits raw = detail::limits_to_c(limits);
        complete(completion, {}, &raw);
      };
    });
  }
};

FakeRoutes::FakeRoutes(FakeLoop& loop, FakeObjects& objects, FakeContexts& contexts)
    : FakeCloudScript(loop, contexts), objects_(objects) {
  table_ = sized<ccm_cloud_routes>();
  table_.list = &Table::list;
  table_.apply = &Table::apply;
  table_.limits = &Table::limits;
}

Status FakeRoutes::remove_one(const Route& route) {
  const auto refused = refusals.find(route.destination_cidr);
  if (refused != refusals.end()) return refused->second;
  const auto removed =
      std::erase_if(table_of_cloud, [&](const Route& existing) { return existing.id == route.id; });
  writes_ += static_cast<int>(removed);
  return {};
}

Status FakeRoutes::add_one(Route route) {
  const auto refused = refusals.find(route.destination_cidr);
  if (refused != refusals.end()) return refused->second;
  const bool exists =
      std::any_of(table_of_cloud.begin(), table_of_cloud.end(), [&](const Route& existing) {
        return existing.destination_cidr == route.destination_cidr &&
               existing.target_node == route.target_node;
      });
  if (exists) return {};
  if (known_limits.routes > 0 &&
      table_of_cloud.size() >= static_cast<std::size_t>(known_limits.routes)) {
    return Status(Code::resource_exhausted, ErrorClass::quota, "the route table is full");
  }
  route.id = "route-" + std::to_string(++added_);
  route.owned = true;
  route.node = Object();
  table_of_cloud.push_back(std::move(route));
  ++writes_;
  return {};
}

void FakeRoutes::record(RouteCall call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
}

std::vector<RouteCall> FakeRoutes::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::vector<RouteCall> FakeRoutes::calls(std::string_view operation) const {
  std::vector<RouteCall> found = calls();
  std::erase_if(found, [&](const RouteCall& call) { return call.operation != operation; });
  return found;
}

void FakeRoutes::clear_calls() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

}  // namespace ccm::testing
