// From a provider's route methods, which ccm/provider.hpp lists, to the ABI's table.
#pragma once

#include <ccm/abi/routes.h>
#include <ccm/component.hpp>
#include <ccm/route.hpp>

#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace ccm::detail {

template <typename T>
concept HasListRoutes = requires(T& t, Ctx ctx, std::string cluster_name) {
  t.list_routes(ctx, std::move(cluster_name));
};
template <typename T>
concept HasApplyRoutes = requires(T& t, Ctx ctx, std::string cluster_name,
                                  std::vector<Route> routes) {
  t.apply_routes(ctx, std::move(cluster_name), routes, routes);
};
template <typename T>
concept HasRouteLimits = requires(T& t, Ctx ctx) {
  t.route_limits(ctx);
};
template <typename T>
concept IsRoutes = HasListRoutes<T> && HasApplyRoutes<T>;

// `Part` has members `Host host` and `T object`; `self` of the table points to it.
template <typename T, typename Part>
struct RouteAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }
  static Ctx ctx(Part& part, ccm_ctx raw) { return Ctx(part.host.contexts, raw); }

  static void list(void* self, ccm_ctx raw, const ccm_list_routes_request* request,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const std::vector<Route>& routes, const Pass& pass) {
      const RoutesC raw_routes(routes);
      pass(raw_routes.list());
    };
    const auto call = [&](const ccm_list_routes_request& known_request) {
      return p.object.list_routes(ctx(p, raw), std::string(view(known_request.cluster_name)));
    };
    operate_on(p.host, "list_routes", request, done, call, give);
  }
  static void apply(void* self, ccm_ctx raw, const ccm_apply_routes_request* request,
                    ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const std::vector<Status>& statuses, const Pass& pass) {
      const RouteResultsC raw_results(statuses);
      pass(raw_results.get());
    };
    const auto call = [&](const ccm_apply_routes_request& changes) {
      const ObjectHost objects = p.host.objects;
      return p.object.apply_routes(ctx(p, raw), std::string(view(changes.cluster_name)),
                                   routes_from_c(objects, changes.remove, changes.remove_count),
                                   routes_from_c(objects, changes.add, changes.add_count));
    };
    operate_on(p.host, "apply_routes", request, done, call, give);
  }
  static void limits(void* self, ccm_ctx raw, const ccm_limits_request* request,
                     ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const RouteLimits& limits, const Pass& pass) {
      const ccm_route_limits raw_limits = limits_to_c(limits);
      pass(&raw_limits);
    };
    const auto call = [&](const ccm_limits_request&) { return p.object.route_limits(ctx(p, raw)); };
    operate_on(p.host, "route_limits", request, done, call, give);
  }

  static const ccm_cloud_routes* table() {
    static const ccm_cloud_routes table = [] {
      ccm_cloud_routes slots = sized<ccm_cloud_routes>();
      slots.list = &list;
      slots.apply = &apply;
      if constexpr (HasRouteLimits<T>) slots.limits = &limits;
      return slots;
    }();
    return &table;
  }
};

}  // namespace ccm::detail
