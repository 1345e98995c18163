// Load balancers of the cloud from a controller's side: the host's broker stands before the
// provider.
#pragma once

#include <ccm/abi/loadbalancers.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/limits_call.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <string>
#include <utility>

namespace ccm {

// Load balancers from a controller's side. Empty when the provider has none.
class LoadBalancers {
  using Host = Service<ccm_cloud_loadbalancers>;
  using Function = decltype(ccm_cloud_loadbalancers::ensure);

  // A call that takes a Service without its backends.
  struct ServiceCall {
    Host host;
    Ctx ctx;
    LoadBalancerService service;
    Status start_of(Function ccm_cloud_loadbalancers::*function, const char* name,
                    ccm_completion done) const {
      const detail::LoadBalancerServiceC raw(service);
      return detail::begin_call(host, function, CCM_CLOUD_LOADBALANCERS, name, ctx,
                                detail::load_balancer_request(raw), done);
    }
  };

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
      const detail::LoadBalancerServiceC raw(service);
      const ccm_load_balancer_request request = detail::load_balancer_request(raw, backends);
      return detail::begin_call(host, function, CCM_CLOUD_LOADBALANCERS, function_name, ctx,
                                request, done);
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
  struct Remove : ServiceCall {
    using Output = Status;
    Status start(ccm_completion done) const {
      return start_of(&ccm_cloud_loadbalancers::remove, "remove", done);
    }
    Output decode(Status status, const void*) const { return status; }
  };
  struct Name : ServiceCall {
    using Output = Result<std::string>;
    Status start(ccm_completion done) const {
      return start_of(&ccm_cloud_loadbalancers::name, "name", done);
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "a name is missing");
      return std::string(view(known(static_cast<const ccm_load_balancer_name*>(result)).name));
    }
  };
  struct Lane : ServiceCall {
    using Output = Result<std::string>;
    Status start(ccm_completion done) const {
      return start_of(&ccm_cloud_loadbalancers::lane, "lane", done);
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "a lane is missing");
      return std::string(view(known(static_cast<const ccm_load_balancer_lane*>(result)).lane));
    }
  };
  struct Limits
      : detail::LimitsCall<ccm_cloud_loadbalancers, LoadBalancerLimits, ccm_load_balancer_limits,
                           detail::load_balancer_limits_from_c> {
    Status start(ccm_completion done) const { return start_of(CCM_CLOUD_LOADBALANCERS, done); }
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
