// Load balancers of the cloud from a controller's side: the host's broker stands before the
// provider.
#pragma once

#include <ccm/abi/loadbalancers.h>
#include <ccm/ctx.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <string>
#include <utility>

namespace ccm {

// Load balancers from a controller's side. Empty when the provider has none.
class LoadBalancers {
  using Host = Service<ccm_cloud_loadbalancers>;
  using Function = decltype(ccm_cloud_loadbalancers::ensure);

 public:
  // observe, ensure and update_backends.
  struct Apply {
    using Output = Result<LoadBalancer>;
    Host host;
    Function ccm_cloud_loadbalancers::*function;
    const char* function_name;
    Ctx ctx;
    LoadBalancerService service;
    Backends backends;
    Status start(ccm_completion done) const {
      const auto fn = host.get(function);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_LOADBALANCERS, function_name);
      const detail::LoadBalancerServiceC raw(service);
      const ccm_load_balancer_request request = detail::load_balancer_request(raw, backends);
      fn(host.self(), ctx.get(), &request, done);
      return {};
    }
    Output decode(Status status, const void* result) const {
      const auto* raw = static_cast<const ccm_load_balancer*>(result);
      // A failure may carry what was made before it.
      if (!status.ok() && raw == nullptr) return status;
      if (!status.ok()) return Output(std::move(status), detail::load_balancer_from_c(*raw));
      if (raw == nullptr) return Status(Code::internal, "a load balancer is missing");
      return detail::load_balancer_from_c(*raw);
    }
  };
  struct Remove {
    using Output = Status;
    Host host;
    Ctx ctx;
    LoadBalancerService service;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_cloud_loadbalancers::remove);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_LOADBALANCERS, "remove");
      const detail::LoadBalancerServiceC raw(service);
      const ccm_load_balancer_request request = detail::load_balancer_request(raw);
      fn(host.self(), ctx.get(), &request, done);
      return {};
    }
    Output decode(Status status, const void*) const { return status; }
  };
  struct Name {
    using Output = Result<std::string>;
    Host host;
    Ctx ctx;
    LoadBalancerService service;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_cloud_loadbalancers::name);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_LOADBALANCERS, "name");
      const detail::LoadBalancerServiceC raw(service);
      const ccm_load_balancer_request request = detail::load_balancer_request(raw);
      fn(host.self(), ctx.get(), &request, done);
      return {};
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "a name is missing");
      return std::string(view(known(static_cast<const ccm_load_balancer_name*>(result)).name));
    }
  };
  struct Lane {
    using Output = Result<std::string>;
    Host host;
    Ctx ctx;
    LoadBalancerService service;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_cloud_loadbalancers::lane);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_LOADBALANCERS, "lane");
      const detail::LoadBalancerServiceC raw(service);
      const ccm_load_balancer_request request = detail::load_balancer_request(raw);
      fn(host.self(), ctx.get(), &request, done);
      return {};
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "a lane is missing");
      return std::string(view(known(static_cast<const ccm_load_balancer_lane*>(result)).lane));
    }
  };
  struct Limits {
    using Output = Result<LoadBalancerLimits>;
    Host host;
    Ctx ctx;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_cloud_loadbalancers::limits);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_LOADBALANCERS, "limits");
      const auto request = sized<ccm_limits_request>();
      fn(host.self(), ctx.get(), &request, done);
      return {};
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "limits are missing");
      return detail::load_balancer_limits_from_c(
          *static_cast<const ccm_load_balancer_limits*>(result));
    }
  };

  LoadBalancers() = default;
  explicit LoadBalancers(Host host) : host_(host) {}
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(host_); }

  // The Service's load balancer in the cloud, and its differences from the one ensure would make.
  [[nodiscard]] Operation<Apply> observe(Ctx ctx, LoadBalancerService service,
                                         Backends backends) const {
    return apply(&ccm_cloud_loadbalancers::observe, "observe", std::move(ctx), std::move(service),
                 std::move(backends));
  }
  // Makes it be what the Service asks for. A failure may carry what was made so far (`partial`).
  [[nodiscard]] Operation<Apply> ensure(Ctx ctx, LoadBalancerService service,
                                        Backends backends) const {
    return apply(&ccm_cloud_loadbalancers::ensure, "ensure", std::move(ctx), std::move(service),
                 std::move(backends));
  }
  // Changes the backends only.
  [[nodiscard]] Operation<Apply> update_backends(Ctx ctx, LoadBalancerService service,
                                                 Backends backends) const {
    return apply(&ccm_cloud_loadbalancers::update_backends, "update_backends", std::move(ctx),
                 std::move(service), std::move(backends));
  }
  // Success and ErrorClass::not_found alike mean that nothing is left.
  [[nodiscard]] Operation<Remove> remove(Ctx ctx, LoadBalancerService service) const {
    return Operation<Remove>(Remove{host_, std::move(ctx), std::move(service)});
  }
  [[nodiscard]] Operation<Name> name(Ctx ctx, LoadBalancerService service) const {
    return Operation<Name>(Name{host_, std::move(ctx), std::move(service)});
  }
  // Operations with the same one run one at a time; the host sees to that.
  [[nodiscard]] Operation<Lane> lane(Ctx ctx, LoadBalancerService service) const {
    return Operation<Lane>(Lane{host_, std::move(ctx), std::move(service)});
  }
  [[nodiscard]] Operation<Limits> limits(Ctx ctx) const {
    return Operation<Limits>(Limits{host_, std::move(ctx)});
  }

 private:
  Operation<Apply> apply(Function ccm_cloud_loadbalancers::*function, const char* name, Ctx ctx,
                         LoadBalancerService service, Backends backends) const {
    return Operation<Apply>(
        Apply{host_, function, name, std::move(ctx), std::move(service), std::move(backends)});
  }

  Host host_;
};

}  // namespace ccm
