// A provider's method with the name of a load balancer or route method and other parameters would
// be left out in silence. The compiler refuses it instead, and says what ccm/provider.hpp lists.
// Overloaded methods are not looked at.
#pragma once

#include <ccm/detail/load_balancer_adapter.hpp>
#include <ccm/detail/owned_adapter.hpp>
#include <ccm/detail/route_adapter.hpp>
#include <ccm/provider.hpp>

namespace ccm::detail {

template <typename T>
consteval void check_provider_methods() {
  static_assert(
      HasEnsureLoadBalancer<T> || !requires { &T::ensure_load_balancer; },
      "ensure_load_balancer takes (Ctx, LoadBalancerService, Backends)");
  static_assert(
      HasObserveLoadBalancer<T> || !requires { &T::observe_load_balancer; },
      "observe_load_balancer takes (Ctx, LoadBalancerService, Backends)");
  static_assert(
      HasUpdateLoadBalancer<T> || !requires { &T::update_load_balancer; },
      "update_load_balancer takes (Ctx, LoadBalancerService, Backends)");
  static_assert(
      HasDeleteLoadBalancer<T> || !requires { &T::delete_load_balancer; },
      "delete_load_balancer takes (Ctx, LoadBalancerService)");
  static_assert(
      HasLoadBalancerName<T> || !requires { &T::load_balancer_name; },
      "load_balancer_name takes (Ctx, LoadBalancerService)");
  static_assert(
      HasLoadBalancerLane<T> || !requires { &T::load_balancer_lane; },
      "load_balancer_lane takes (Ctx, LoadBalancerService)");
  static_assert(
      HasLoadBalancerLimits<T> || !requires { &T::load_balancer_limits; },
      "load_balancer_limits takes (Ctx)");
  static_assert(
      HasListRoutes<T> || !requires { &T::list_routes; },
      "list_routes takes (Ctx, std::string cluster_name)");
  static_assert(
      HasApplyRoutes<T> || !requires { &T::apply_routes; },
      "apply_routes takes (Ctx, std::string cluster_name, std::vector<Route> removals, "
      "std::vector<Route> additions)");
  static_assert(
      HasRouteLimits<T> || !requires { &T::route_limits; }, "route_limits takes (Ctx)");
  static_assert(
      HasListOwned<T> || !requires { &T::list_owned; }, "list_owned takes (Ctx, ClusterNames)");
  static_assert(
      HasRemoveOwned<T> || !requires { &T::remove_owned; },
      "remove_owned takes (Ctx, ClusterNames, OwnedObject)");
  static_assert(
      HasInstanceLimits<T> || !requires { &T::instance_limits; }, "instance_limits takes (Ctx)");
  static_assert(
      HasOffers<T> || !requires { &T::offers; },
      "offers takes (std::string_view) and returns bool");
  static_assert(
      HasShutdown<T> || !requires { &T::shutdown; }, "shutdown takes (Ctx)");
}

}  // namespace ccm::detail
