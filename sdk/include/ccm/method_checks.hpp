// A provider's method with the name of a load balancer or route method and other parameters would
// be left out in silence. The compiler refuses it instead, and says what ccm/provider.hpp lists.
// Overloaded methods are not looked at.
#pragma once

#include <ccm/load_balancer_adapter.hpp>
#include <ccm/route_adapter.hpp>

namespace ccm::detail {

template <typename T>
concept NamesEnsureLoadBalancer = requires {
  &T::ensure_load_balancer;
};
template <typename T>
concept NamesObserveLoadBalancer = requires {
  &T::observe_load_balancer;
};
template <typename T>
concept NamesUpdateLoadBalancer = requires {
  &T::update_load_balancer;
};
template <typename T>
concept NamesDeleteLoadBalancer = requires {
  &T::delete_load_balancer;
};
template <typename T>
concept NamesLoadBalancerName = requires {
  &T::load_balancer_name;
};
template <typename T>
concept NamesLoadBalancerLimits = requires {
  &T::load_balancer_limits;
};
template <typename T>
concept NamesListRoutes = requires {
  &T::list_routes;
};
template <typename T>
concept NamesApplyRoutes = requires {
  &T::apply_routes;
};
template <typename T>
concept NamesRouteLimits = requires {
  &T::route_limits;
};

template <typename T>
consteval void check_provider_methods() {
  static_assert(HasEnsureLoadBalancer<T> || !NamesEnsureLoadBalancer<T>,
                "ensure_load_balancer takes (Ctx, LoadBalancerService, Backends)");
  static_assert(HasObserveLoadBalancer<T> || !NamesObserveLoadBalancer<T>,
                "observe_load_balancer takes (Ctx, LoadBalancerService, Backends)");
  static_assert(HasUpdateLoadBalancer<T> || !NamesUpdateLoadBalancer<T>,
                "update_load_balancer takes (Ctx, LoadBalancerService, Backends)");
  static_assert(HasDeleteLoadBalancer<T> || !NamesDeleteLoadBalancer<T>,
                "delete_load_balancer takes (Ctx, LoadBalancerService)");
  static_assert(HasLoadBalancerName<T> || !NamesLoadBalancerName<T>,
                "load_balancer_name takes (Ctx, LoadBalancerService)");
  static_assert(HasLoadBalancerLimits<T> || !NamesLoadBalancerLimits<T>,
                "load_balancer_limits takes (Ctx)");
  static_assert(HasListRoutes<T> || !NamesListRoutes<T>,
                "list_routes takes (Ctx, std::string cluster_name)");
  static_assert(HasApplyRoutes<T> || !NamesApplyRoutes<T>,
                "apply_routes takes (Ctx, std::string cluster_name, std::vector<Route> removals, "
                "std::vector<Route> additions)");
  static_assert(HasRouteLimits<T> || !NamesRouteLimits<T>, "route_limits takes (Ctx)");
}

}  // namespace ccm::detail
