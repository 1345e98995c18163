// From a provider's load balancer methods, which ccm/provider.hpp lists, to the ABI's table.
#pragma once

#include <ccm/abi/loadbalancers.h>
#include <ccm/component.hpp>
#include <ccm/load_balancer.hpp>

#include <concepts>
#include <string>
#include <utility>

namespace ccm::detail {

template <typename T>
concept HasEnsureLoadBalancer = requires(T& t, Ctx ctx, LoadBalancerService service,
                                         Backends backends) {
  t.ensure_load_balancer(ctx, std::move(service), std::move(backends));
};
template <typename T>
concept HasDeleteLoadBalancer = requires(T& t, Ctx ctx, LoadBalancerService service) {
  t.delete_load_balancer(ctx, std::move(service));
};
template <typename T>
concept HasObserveLoadBalancer = requires(T& t, Ctx ctx, LoadBalancerService service,
                                          Backends backends) {
  t.observe_load_balancer(ctx, std::move(service), std::move(backends));
};
template <typename T>
concept HasUpdateLoadBalancer = requires(T& t, Ctx ctx, LoadBalancerService service,
                                         Backends backends) {
  t.update_load_balancer(ctx, std::move(service), std::move(backends));
};
template <typename T>
concept HasLoadBalancerName = requires(T& t, Ctx ctx, LoadBalancerService service) {
  t.load_balancer_name(ctx, std::move(service));
};
template <typename T>
concept HasLoadBalancerLane = requires(T& t, Ctx ctx, LoadBalancerService service) {
  t.load_balancer_lane(ctx, std::move(service));
};
template <typename T>
concept HasLoadBalancerLimits = requires(T& t, Ctx ctx) {
  t.load_balancer_limits(ctx);
};
template <typename T>
concept IsLoadBalancers = HasEnsureLoadBalancer<T> && HasDeleteLoadBalancer<T>;

struct GiveLoadBalancer {
  void operator()(const LoadBalancer& balancer, const Pass& pass) const {
    const LoadBalancerC raw(balancer);
    pass(raw.get());
  }
};

// `Part` has members `Host host`, `T object` and `BackendLists backends`, what all its calls share;
// `self` of the table points to it.
template <typename T, typename Part>
struct LoadBalancerAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }
  static Ctx ctx(Part& part, ccm_ctx raw) { return Ctx(part.host.contexts, raw); }

  // Operations that take the backends too; they differ in the method that they call.
  // `method(object, ctx, service, backends)` calls it.
  template <Partial Given, typename Method>
  static void with_backends(void* self, ccm_ctx raw, const ccm_load_balancer_request* request,
                            ccm_completion done, const char* name, Method method) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_load_balancer_request& known_request) {
      const ObjectHost objects = p.host.objects;
      return method(p.object, ctx(p, raw), service_from_c(objects, *known_request.service),
                    p.backends.read(objects, known_request.backends, known_request.backend_count));
    };
    operate_on<Given>(p.host, name, request, done, call, GiveLoadBalancer());
  }

  static void observe(void* self, ccm_ctx raw, const ccm_load_balancer_request* request,
                      ccm_completion done) noexcept {
    const auto method = [](T& provider, Ctx ctx, LoadBalancerService service, Backends backends) {
      return provider.observe_load_balancer(ctx, std::move(service), std::move(backends));
    };
    with_backends<Partial::ignored>(self, raw, request, done, "observe_load_balancer", method);
  }
  static void ensure(void* self, ccm_ctx raw, const ccm_load_balancer_request* request,
                     ccm_completion done) noexcept {
    const auto method = [](T& provider, Ctx ctx, LoadBalancerService service, Backends backends) {
      return provider.ensure_load_balancer(ctx, std::move(service), std::move(backends));
    };
    with_backends<Partial::given>(self, raw, request, done, "ensure_load_balancer", method);
  }
  static void update_backends(void* self, ccm_ctx raw, const ccm_load_balancer_request* request,
                              ccm_completion done) noexcept {
    const auto method = [](T& provider, Ctx ctx, LoadBalancerService service, Backends backends) {
      return provider.update_load_balancer(ctx, std::move(service), std::move(backends));
    };
    with_backends<Partial::given>(self, raw, request, done, "update_load_balancer", method);
  }
  static void remove(void* self, ccm_ctx raw, const ccm_load_balancer_request* request,
                     ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_load_balancer_request& known_request) {
      return p.object.delete_load_balancer(ctx(p, raw),
                                           service_from_c(p.host.objects, *known_request.service));
    };
    operate_on(p.host, "delete_load_balancer", request, done, call, NoResult());
  }
  static void name(void* self, ccm_ctx raw, const ccm_load_balancer_request* request,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_load_balancer_request& known_request) {
      return p.object.load_balancer_name(ctx(p, raw),
                                         service_from_c(p.host.objects, *known_request.service));
    };
    const auto give = [](const std::string& text, const Pass& pass) {
      ccm_load_balancer_name result = sized<ccm_load_balancer_name>();
      result.name = c_str(text);
      pass(&result);
    };
    operate_on(p.host, "load_balancer_name", request, done, call, give);
  }
  static void lane(void* self, ccm_ctx raw, const ccm_load_balancer_request* request,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_load_balancer_request& known_request) {
      return p.object.load_balancer_lane(ctx(p, raw),
                                         service_from_c(p.host.objects, *known_request.service));
    };
    const auto give = [](const std::string& text, const Pass& pass) {
      ccm_load_balancer_lane result = sized<ccm_load_balancer_lane>();
      result.lane = c_str(text);
      pass(&result);
    };
    operate_on(p.host, "load_balancer_lane", request, done, call, give);
  }
  static void limits(void* self, ccm_ctx raw, const ccm_limits_request* request,
                     ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_limits_request&) {
      return p.object.load_balancer_limits(ctx(p, raw));
    };
    const auto give = [](const LoadBalancerLimits& limits, const Pass& pass) {
      const ccm_load_balancer_limits raw_limits = limits_to_c(limits);
      pass(&raw_limits);
    };
    operate_on(p.host, "load_balancer_limits", request, done, call, give);
  }

  static const ccm_cloud_loadbalancers* table() {
    static const ccm_cloud_loadbalancers table = [] {
      ccm_cloud_loadbalancers slots = sized<ccm_cloud_loadbalancers>();
      slots.ensure = &ensure;
      slots.remove = &remove;
      if constexpr (HasObserveLoadBalancer<T>) slots.observe = &observe;
      if constexpr (HasUpdateLoadBalancer<T>) slots.update_backends = &update_backends;
      if constexpr (HasLoadBalancerName<T>) slots.name = &name;
      if constexpr (HasLoadBalancerLane<T>) slots.lane = &lane;
      if constexpr (HasLoadBalancerLimits<T>) slots.limits = &limits;
      return slots;
    }();
    return &table;
  }
};

}  // namespace ccm::detail
