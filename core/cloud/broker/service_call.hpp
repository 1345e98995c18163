// The common part of all functions of a cloud service: begin an operation for the calling
// component, have the broker perform it, and give the component the outcome in the ABI's form.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/status.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace ccm::plugin {

// A service in front of a broker.
template <typename Broker>
class CloudService : public HostService {
 public:
  CloudService(const std::shared_ptr<LiveComponent>& component, std::string_view id,
               const void* table, std::shared_ptr<Broker> broker)
      : HostService(component, id, table), broker_(std::move(broker)) {}

 protected:
  // HostOperation::begin for the service that the component called: `start(broker, operation)` runs
  // on the loop.
  template <typename Start>
  static void call(void* self, ccm_ctx ctx, ccm_completion done, std::string_view name,
                   Status wrong, Start start) {
    auto& service = *static_cast<HostService*>(self);
    auto& cloud = static_cast<CloudService&>(service);
    const auto component = cloud.component();
    if (!component) return;
    HostOperation::begin(component, ctx, done, name, std::move(wrong),
                         [broker = cloud.broker_, start = std::move(start)](
                             const HostOperation::Ptr& running) { start(*broker, running); });
  }

 private:
  const std::shared_ptr<Broker> broker_;
};

// A callback of the broker that ends the operation: with the failure, or as `succeed(operation,
// value)` does. Nothing happens when the operation has ended meanwhile.
template <typename T, typename Succeed>
auto ending_with(const HostOperation::Ptr& running, Succeed succeed) {
  return [running, succeed = std::move(succeed)](const Result<T>& outcome) {
    if (running->ended()) return;
    if (!outcome.ok()) return running->end(outcome.status());
    succeed(*running, *outcome);
  };
}

}  // namespace ccm::plugin
