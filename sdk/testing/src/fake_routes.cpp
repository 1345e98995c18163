#include "ccm/testing/fake_routes.hpp"

#include <algorithm>
#include <utility>

namespace ccm::testing {

struct FakeRoutes::Table {
  static FakeRoutes& owner(void* self) { return *static_cast<FakeRoutes*>(self); }

  static void list(void* self, const ccm_ctx* ctx, ccm_str cluster_name, ccm_completion done) {
    FakeRoutes& cloud = owner(self);
    cloud.record({"list", std::string(view(cluster_name)), {}, {}});
    cloud.serve("list", ctx, done, [&cloud]() -> Answer {
      return [routes = cloud.table_of_cloud](ccm_completion completion) {
        const ccm_status ok = Status().to_c();
        const detail::RoutesC raw(routes);
        completion.fn(completion.owner, completion.operation, &ok, raw.list());
      };
    });
  }

  static void apply(void* self, const ccm_ctx* ctx, ccm_str cluster_name,
                    const ccm_route* const* remove, size_t remove_count,
                    const ccm_route* const* add, size_t add_count, ccm_completion done) {
    FakeRoutes& cloud = owner(self);
    const ObjectHost objects = cloud.objects_.service();
    const RouteCall call{"apply", std::string(view(cluster_name)),
                         detail::routes_from_c(objects, remove, remove_count),
                         detail::routes_from_c(objects, add, add_count)};
    cloud.record(call);
    cloud.serve("apply", ctx, done, [&cloud, call]() -> Answer {
      std::vector<Status> statuses;
      for (const Route& route : call.removals) statuses.push_back(cloud.remove_one(route));
      for (const Route& route : call.additions) statuses.push_back(cloud.add_one(route));
      return [statuses](ccm_completion completion) {
        const ccm_status ok = Status().to_c();
        const detail::RouteResultsC raw(statuses);
        completion.fn(completion.owner, completion.operation, &ok, raw.get());
      };
    });
  }

  static void limits(void* self, const ccm_ctx* ctx, ccm_completion done) {
    FakeRoutes& cloud = owner(self);
    cloud.record({"limits", {}, {}, {}});
    cloud.serve("limits", ctx, done, [limits = cloud.known_limits]() -> Answer {
      return [limits](ccm_completion completion) {
        const ccm_status ok = Status().to_c();
        const ccm_route_limits raw{sizeof(raw),
                                   detail::bit_if(limits.uses_addresses, CCM_ROUTES_USE_ADDRESSES),
                                   limits.routes, limits.batch};
        completion.fn(completion.owner, completion.operation, &ok, &raw);
      };
    });
  }
};

FakeRoutes::FakeRoutes(FakeLoop& loop, FakeObjects& objects, FakeContexts& contexts)
    : FakeCloudScript(loop, contexts), objects_(objects) {
  table_ = {sizeof(table_), 0, Table::list, Table::apply, Table::limits};
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
