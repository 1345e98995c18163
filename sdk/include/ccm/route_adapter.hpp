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
concept HasOffersRoutes = requires(T& t) {
  { t.offers_routes() } -> std::same_as<bool>;
};
template <typename T>
concept IsRoutes = HasListRoutes<T> && HasApplyRoutes<T>;

// `Part` has members `Host host` and `T object`; `self` of the table points to it.
template <typename T, typename Part>
struct RouteAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }
  static Ctx ctx(Part& part, const ccm_ctx* raw) { return Ctx(part.host.contexts, raw); }

  static bool offered(Part& part) noexcept {
    if constexpr (HasOffersRoutes<T>) {
      try {
        return part.object.offers_routes();
      } catch (...) {
        return false;
      }
    }
    return true;
  }

  static void list(void* self, const ccm_ctx* raw, ccm_str cluster_name,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const std::vector<Route>& routes, Completion& completion) {
      const RoutesC raw_routes(routes);
      completion.succeed(raw_routes.list());
    };
    const auto call = [&] {
      return p.object.list_routes(ctx(p, raw), std::string(view(cluster_name)));
    };
    operate(p.host, "list_routes", done, call, give);
  }
  static void apply(void* self, const ccm_ctx* raw, ccm_str cluster_name,
                    const ccm_route* const* removals, size_t removal_count,
                    const ccm_route* const* additions, size_t addition_count,
                    ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const std::vector<Status>& statuses, Completion& completion) {
      const RouteResultsC raw_results(statuses);
      completion.succeed(raw_results.get());
    };
    const auto call = [&] {
      return p.object.apply_routes(ctx(p, raw), std::string(view(cluster_name)),
                                   routes_from_c(p.host.objects, removals, removal_count),
                                   routes_from_c(p.host.objects, additions, addition_count));
    };
    operate(p.host, "apply_routes", done, call, give);
  }
  static void limits(void* self, const ccm_ctx* raw, ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const RouteLimits& limits, Completion& completion) {
      const ccm_route_limits raw_limits{sizeof(raw_limits),
                                        bit_if(limits.uses_addresses, CCM_ROUTES_USE_ADDRESSES),
                                        limits.routes, limits.batch};
      completion.succeed(&raw_limits);
    };
    operate(
        p.host, "route_limits", done, [&] { return p.object.route_limits(ctx(p, raw)); }, give);
  }

  static const ccm_cloud_routes* table() {
    static const ccm_cloud_routes table = [] {
      ccm_cloud_routes slots{};
      slots.size = sizeof(slots);
      slots.list = &list;
      slots.apply = &apply;
      if constexpr (HasRouteLimits<T>) slots.limits = &limits;
      return slots;
    }();
    return &table;
  }
};

}  // namespace ccm::detail
