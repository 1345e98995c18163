// ccm.cloud.* for controllers, served by the brokers instead of the provider. Every function is
// set, and unlike a provider's may be called from any thread.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/load_balancers_broker.hpp"
#include "cloud/broker/routes_broker.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/instances.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/routes.h>
#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace ccm::cloud {

// The common part of all functions: begin an operation for the calling component, have the broker
// perform it, and give the component the outcome in the ABI's form.
template <typename Broker>
class CloudService : public plugin::HostService {
 public:
  CloudService(const std::shared_ptr<plugin::LiveComponent>& component, std::string_view id,
               const void* table, std::shared_ptr<Broker> broker)
      : plugin::HostService(component, id, table), broker_(std::move(broker)) {}

 protected:
  // HostOperation::begin for the service that the component called: `work(broker, operation)` is
  // its Task, which begins on the loop, and `end(operation, outcome)` ends it, unless it has ended
  // meanwhile.
  template <typename Work, typename End>
  static void call(void* self, ccm_ctx ctx, ccm_completion done, std::string_view name,
                   Status wrong, Work work, End end) {
    auto& service = *static_cast<plugin::HostService*>(self);
    auto& cloud = static_cast<CloudService&>(service);
    const auto component = cloud.component();
    if (!component) return;
    // The end of the component ends what has not begun; what runs ends by its ctx or the provider.
    // The service stays for as long as the process does, since stray threads may call it.
    plugin::HostOperation::begin(component, ctx, done, name, std::move(wrong),
                                 [&cloud, work = std::move(work),
                                  end = std::move(end)](const plugin::HostOperation::Ptr& running) {
                                   cloud.tasks_.start(work(*cloud.broker_, *running),
                                                      [running, end](const auto& outcome) {
                                                        if (!running->ended())
                                                          end(*running, outcome);
                                                      });
                                 });
  }

 private:
  const std::shared_ptr<Broker> broker_;
  Scope tasks_;  // last: its coroutines use the broker
};

// An end of call(): with the failure, or as `succeed(operation, value)` does.
template <typename T, typename Succeed>
auto ending_with(Succeed succeed) {
  return [succeed = std::move(succeed)](plugin::HostOperation& running, const Result<T>& outcome) {
    if (!outcome.ok()) return running.end(outcome.status());
    succeed(running, *outcome);
  };
}

// ccm.cloud.instances/1.
class InstancesService final : public CloudService<InstancesBroker> {
 public:
  InstancesService(const std::shared_ptr<plugin::LiveComponent>& component,
                   std::shared_ptr<InstancesBroker> broker)
      : CloudService(component, CCM_CLOUD_INSTANCES, &kTable, std::move(broker)) {}

 private:
  static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                   ccm_completion done) noexcept;
  static void describe(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request,
                       ccm_completion done) noexcept;
  static void get(void* self, ccm_ctx ctx, const ccm_get_instance_request* request,
                  ccm_completion done) noexcept;
  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) noexcept;
  static const ccm_cloud_instances kTable;
};

// ccm.cloud.loadbalancers/1.
class LoadBalancersService final : public CloudService<LoadBalancersBroker> {
 public:
  LoadBalancersService(const std::shared_ptr<plugin::LiveComponent>& component,
                       std::shared_ptr<LoadBalancersBroker> broker)
      : CloudService(component, CCM_CLOUD_LOADBALANCERS, &kTable, std::move(broker)) {}

 private:
  using Asked = const ccm_load_balancer_request*;

  // `method` of the broker, and `end` as for call().
  template <typename Method, typename End>
  static void ask(void* self, ccm_ctx ctx, Asked request, ccm_completion done,
                  std::string_view name, Method method, End end) noexcept;
  static void observe(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void ensure(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void update_backends(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void remove(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void name(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void lane(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) noexcept;
  static const ccm_cloud_loadbalancers kTable;
  detail::BackendLists lists_;
};

// ccm.cloud.routes/1.
class RoutesService final : public CloudService<RoutesBroker> {
 public:
  RoutesService(const std::shared_ptr<plugin::LiveComponent>& component,
                std::shared_ptr<RoutesBroker> broker)
      : CloudService(component, CCM_CLOUD_ROUTES, &kTable, std::move(broker)) {}

 private:
  static void list(void* self, ccm_ctx ctx, const ccm_list_routes_request* request,
                   ccm_completion done) noexcept;
  static void apply(void* self, ccm_ctx ctx, const ccm_apply_routes_request* request,
                    ccm_completion done) noexcept;
  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) noexcept;
  static const ccm_cloud_routes kTable;
};

}  // namespace ccm::cloud
