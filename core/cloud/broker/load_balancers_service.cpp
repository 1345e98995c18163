#include "cloud/broker/load_balancers_service.hpp"

#include "cloud/broker/abi_structs.hpp"

#include <memory>
#include <string>
#include <utility>

namespace ccm::plugin {

namespace {

// A failure may have made something first.
void end_with_balancer(HostOperation& running, const Result<LoadBalancer>& outcome) {
  const LoadBalancer* made = outcome.ok() ? &*outcome : outcome.partial();
  if (made == nullptr) return running.end(outcome.status());
  const detail::LoadBalancerC raw(*made);
  running.end(outcome.status(), raw.get());
}

// With the text in that member.
template <typename Raw>
auto ending_with_text(const HostOperation::Ptr& running, ccm_str Raw::*member) {
  return ending_with<std::string>(running,
                                  [member](HostOperation& operation, const std::string& text) {
                                    auto raw = sized<Raw>();
                                    raw.*member = c_str(text);
                                    operation.end({}, &raw);
                                  });
}

}  // namespace

template <typename Ask>
void LoadBalancersService::ask(void* self, ccm_ctx ctx, Asked request, ccm_completion done,
                               const char* name, Ask ask) {
  // Read on the caller's thread and shared from then on: it can be long.
  auto& service = *static_cast<LoadBalancersService*>(self);
  auto read =
      std::make_shared<const Result<LoadBalancerRequest>>(read_request(request, service.lists_));
  Status wrong = read->status();
  call(self, ctx, done, name, std::move(wrong),
       [read = std::move(read), ask = std::move(ask)](LoadBalancersBroker& broker,
                                                      const HostOperation::Ptr& running) {
         ask(broker, LoadBalancersBroker::Request(read, &**read), running);
       });
}

void LoadBalancersService::perform(void* self, ccm_ctx ctx, Asked request, ccm_completion done,
                                   const char* name, Operation operation) noexcept {
  ask(self, ctx, request, done, name,
      [operation](LoadBalancersBroker& broker, LoadBalancersBroker::Request asked,
                  const HostOperation::Ptr& running) {
        (broker.*operation)(std::move(asked), running->context(),
                            [running](const Result<LoadBalancer>& outcome) {
                              if (!running->ended()) end_with_balancer(*running, outcome);
                            });
      });
}

void LoadBalancersService::observe(void* self, ccm_ctx ctx, Asked request,
                                   ccm_completion done) noexcept {
  perform(self, ctx, request, done, "loadbalancers.observe", &LoadBalancersBroker::observe);
}

void LoadBalancersService::ensure(void* self, ccm_ctx ctx, Asked request,
                                  ccm_completion done) noexcept {
  perform(self, ctx, request, done, "loadbalancers.ensure", &LoadBalancersBroker::ensure);
}

void LoadBalancersService::update_backends(void* self, ccm_ctx ctx, Asked request,
                                           ccm_completion done) noexcept {
  perform(self, ctx, request, done, "loadbalancers.update_backends",
          &LoadBalancersBroker::update_backends);
}

void LoadBalancersService::remove(void* self, ccm_ctx ctx, Asked request,
                                  ccm_completion done) noexcept {
  ask(self, ctx, request, done, "loadbalancers.delete",
      [](LoadBalancersBroker& broker, LoadBalancersBroker::Request asked,
         const HostOperation::Ptr& running) {
        broker.remove(std::move(asked), running->context(), [running](const Status& status) {
          if (!running->ended()) running->end(status);
        });
      });
}

void LoadBalancersService::name(void* self, ccm_ctx ctx, Asked request,
                                ccm_completion done) noexcept {
  ask(self, ctx, request, done, "loadbalancers.name",
      [](LoadBalancersBroker& broker, LoadBalancersBroker::Request asked,
         const HostOperation::Ptr& running) {
        broker.name(std::move(asked), running->context(),
                    ending_with_text(running, &ccm_load_balancer_name::name));
      });
}

void LoadBalancersService::lane(void* self, ccm_ctx ctx, Asked request,
                                ccm_completion done) noexcept {
  ask(self, ctx, request, done, "loadbalancers.lane",
      [](LoadBalancersBroker& broker, LoadBalancersBroker::Request asked,
         const HostOperation::Ptr& running) {
        broker.lane(std::move(asked), running->context(),
                    ending_with_text(running, &ccm_load_balancer_lane::lane));
      });
}

void LoadBalancersService::limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                                  ccm_completion done) noexcept {
  call(self, ctx, done, "loadbalancers.limits", check_request(request),
       [](LoadBalancersBroker& broker, const HostOperation::Ptr& running) {
         broker.limits(running->context(),
                       ending_with<LoadBalancerLimits>(
                           running, [](HostOperation& operation, const LoadBalancerLimits& limits) {
                             const ccm_load_balancer_limits raw = detail::limits_to_c(limits);
                             operation.end({}, &raw);
                           }));
       });
}

const ccm_cloud_loadbalancers LoadBalancersService::kTable{
    sizeof(kTable), 0, &observe, &ensure, &update_backends, &remove, &name, &lane, &limits};

}  // namespace ccm::plugin
