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
concept HasLoadBalancerLimits = requires(T& t, Ctx ctx) {
  t.load_balancer_limits(ctx);
};
template <typename T>
concept IsLoadBalancers = HasEnsureLoadBalancer<T> && HasDeleteLoadBalancer<T>;

// `Part` has members `Host host`, `T object` and `BackendLists backends`, what all its calls share;
// `self` of the table points to it.
template <typename T, typename Part>
struct LoadBalancerAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }
  static Ctx ctx(Part& part, const ccm_ctx* raw) { return Ctx(part.host.contexts, raw); }

  static constexpr auto give_load_balancer = [](const LoadBalancer& balancer,
                                                Completion& completion) {
    const LoadBalancerC raw(balancer);
    completion.succeed(raw.get());
  };

  // The request as it came in; operations differ only in the method that they call.
  struct Request {
    Ctx ctx;
    LoadBalancerService service;
    Backends backends;
  };
  // `method(object, request)` calls the provider's method.
  template <typename Method>
  static void apply(void* self, const ccm_ctx* raw, const ccm_service* service,
                    const ccm_backend* const* backends, size_t count, ccm_completion done,
                    const char* name, Method method) noexcept {
    Part& p = part(self);
    const auto call = [&] {
      return method(p.object, Request{ctx(p, raw), service_from_c(p.host.objects, *service),
                                      p.backends.read(p.host.objects, backends, count)});
    };
    operate(p.host, name, done, call, give_load_balancer);
  }

  static void observe(void* self, const ccm_ctx* raw, const ccm_service* service,
                      const ccm_backend* const* backends, size_t count,
                      ccm_completion done) noexcept {
    apply(self, raw, service, backends, count, done, "observe_load_balancer",
          [](T& provider, Request request) {
            return provider.observe_load_balancer(request.ctx, std::move(request.service),
                                                  std::move(request.backends));
          });
  }
  static void ensure(void* self, const ccm_ctx* raw, const ccm_service* service,
                     const ccm_backend* const* backends, size_t count,
                     ccm_completion done) noexcept {
    apply(self, raw, service, backends, count, done, "ensure_load_balancer",
          [](T& provider, Request request) {
            return provider.ensure_load_balancer(request.ctx, std::move(request.service),
                                                 std::move(request.backends));
          });
  }
  static void update_backends(void* self, const ccm_ctx* raw, const ccm_service* service,
                              const ccm_backend* const* backends, size_t count,
                              ccm_completion done) noexcept {
    apply(self, raw, service, backends, count, done, "update_load_balancer",
          [](T& provider, Request request) {
            return provider.update_load_balancer(request.ctx, std::move(request.service),
                                                 std::move(request.backends));
          });
  }
  static void remove(void* self, const ccm_ctx* raw, const ccm_service* service,
                     ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&] {
      return p.object.delete_load_balancer(ctx(p, raw), service_from_c(p.host.objects, *service));
    };
    operate(p.host, "delete_load_balancer", done, call, NoResult());
  }
  static void name(void* self, const ccm_ctx* raw, const ccm_service* service,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&] {
      return p.object.load_balancer_name(ctx(p, raw), service_from_c(p.host.objects, *service));
    };
    const auto give = [](const std::string& text, Completion& completion) {
      const ccm_str raw_text = c_str(text);
      completion.succeed(&raw_text);
    };
    operate(p.host, "load_balancer_name", done, call, give);
  }
  static void limits(void* self, const ccm_ctx* raw, ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const LoadBalancerLimits& limits, Completion& completion) {
      const ccm_load_balancer_limits raw_limits{sizeof(raw_limits), 0, limits.load_balancers,
                                                limits.backends, c_str(limits.id_annotation)};
      completion.succeed(&raw_limits);
    };
    operate(
        p.host, "load_balancer_limits", done,
        [&] { return p.object.load_balancer_limits(ctx(p, raw)); }, give);
  }

  static const ccm_cloud_loadbalancers* table() {
    static const ccm_cloud_loadbalancers table = [] {
      ccm_cloud_loadbalancers slots{};
      slots.size = sizeof(slots);
      slots.ensure = &ensure;
      slots.remove = &remove;
      if constexpr (HasObserveLoadBalancer<T>) slots.observe = &observe;
      if constexpr (HasUpdateLoadBalancer<T>) slots.update_backends = &update_backends;
      if constexpr (HasLoadBalancerName<T>) slots.name = &name;
      if constexpr (HasLoadBalancerLimits<T>) slots.limits = &limits;
      return slots;
    }();
    return &table;
  }
};

}  // namespace ccm::detail
