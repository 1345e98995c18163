// The provider's load balancers for all controllers: every operation has a deadline and is counted,
// one runs at a time for each Service, and deletions pass the brake unless the Service itself shows
// that it gave its load balancer up. Loop thread.
#pragma once

#include "plugin/broker/load_balancer_values.hpp"
#include "plugin/broker/provider_timeouts.hpp"
#include "plugin/broker/turns.hpp"
#include "plugin/deletion/absence_gate.hpp"
#include "plugin/live_component.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin {

class LoadBalancersBroker {
 public:
  using Request = std::shared_ptr<const LoadBalancerRequest>;
  using BalancerDone = std::function<void(Result<LoadBalancer>)>;
  using WithBackends = decltype(ccm_cloud_loadbalancers::ensure);

  // `gate` must outlive it.
  LoadBalancersBroker(std::shared_ptr<LiveComponent> provider, ccm_interface interface,
                      ProviderTimeouts timeouts, AbsenceGate& gate);
  // The provider has the two functions without which there are no load balancers.
  [[nodiscard]] bool usable() const;

  // Each `done` is called once, not inside the call, except that nothing more comes once `context`
  // ended: its operation has ended with it. An operation that outlives its ctx inside the provider
  // keeps the Service's turn until the provider completes it.
  void observe(Request request, std::shared_ptr<Context> context, BalancerDone done);
  void ensure(Request request, std::shared_ptr<Context> context, BalancerDone done);
  void update_backends(Request request, std::shared_ptr<Context> context, BalancerDone done);
  void remove(Request request, std::shared_ptr<Context> context, std::function<void(Status)> done);
  void name(Request request, std::shared_ptr<Context> context,
            std::function<void(Result<std::string>)> done);
  void limits(std::shared_ptr<Context> context,
              std::function<void(Result<LoadBalancerLimits>)> done);

 private:
  void change(const char* operation, WithBackends function, Request request,
              std::shared_ptr<Context> context, BalancerDone done);
  void begin_remove(const Request& request, const std::shared_ptr<Context>& context,
                    const std::function<void(Status)>& done, Turns::Turn turn);

  const std::shared_ptr<LiveComponent> provider_;
  void* const self_;
  const ccm_cloud_loadbalancers table_;  // what lies beyond its size is NULL
  const ProviderTimeouts timeouts_;
  AbsenceGate& gate_;
  Turns turns_;
};

}  // namespace ccm::plugin
