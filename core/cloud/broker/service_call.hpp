// The common part of all functions of a cloud service: begin an operation for the calling
// component, have the broker perform it, and give the component the outcome in the ABI's form.
#pragma once

#include "plugin/host_services/host_operation.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/status.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace ccm::plugin {

using ServiceOperation = std::shared_ptr<HostOperation>;

// A service in front of a broker.
template <typename Broker>
class CloudService : public HostService {
 public:
  CloudService(const std::shared_ptr<LiveComponent>& component, std::shared_ptr<Broker> broker)
      : HostService(component), broker_(std::move(broker)) {}

 protected:
  // `self` is the service that the component called. `start(broker, operation)` runs on the loop,
  // unless the request is `wrong`: then the operation ends with that.
  template <typename Start>
  static void call(void* self, ccm_ctx ctx, ccm_completion done, std::string_view name,
                   Status wrong, Start start) {
    auto& service = *static_cast<HostService*>(self);
    auto& cloud = static_cast<CloudService&>(service);
    const auto component = cloud.component();
    if (!component) return;
    HostOperation::begin(component, ctx, done, name,
                         [broker = cloud.broker_, wrong = std::move(wrong),
                          start = std::move(start)](const ServiceOperation& running) {
                           if (!wrong.ok()) return running->end(wrong);
                           start(*broker, running);
                         });
  }

 private:
  const std::shared_ptr<Broker> broker_;
};

// A callback of the broker that ends the operation: with the failure, or as `succeed(operation,
// value)` does. Nothing happens when the operation has ended meanwhile.
template <typename T, typename Succeed>
auto ending_with(const ServiceOperation& running, Succeed succeed) {
  return [running, succeed = std::move(succeed)](const Result<T>& outcome) {
    if (running->ended()) return;
    if (!outcome.ok()) return running->end(outcome.status());
    succeed(*running, *outcome);
  };
}

}  // namespace ccm::plugin
