#include "cloud/broker/load_balancers_service.hpp"

#include <memory>
#include <string>
#include <utility>

namespace ccm::plugin {

namespace {

// Ends with the fault of a request that cannot be read.
template <typename Ask>
auto asking(std::shared_ptr<const Result<LoadBalancerRequest>> request, Ask ask) {
  return [request = std::move(request), ask = std::move(ask)](LoadBalancersBroker& broker,
                                                              const ServiceOperation& running) {
    if (!request->ok()) return running->end(request->status());
    ask(broker, LoadBalancersBroker::Request(request, &**request), running);
  };
}

}  // namespace

LoadBalancersService::ReadRequest LoadBalancersService::read(void* self, const ccm_service* service,
                                                             const ccm_backend* const* backends,
                                                             size_t count) {
  auto& host = *static_cast<LoadBalancersService*>(self);
  return std::make_shared<const Result<LoadBalancerRequest>>(
      read_request(service, backends, count, host.lists_));
}

void LoadBalancersService::with_backends(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                         const ccm_backend* const* backends, size_t count,
                                         ccm_completion done, const char* name,
                                         Operation operation) noexcept {
  call(self, ctx, done, name,
       asking(read(self, service, backends, count),
              [operation](LoadBalancersBroker& broker, LoadBalancersBroker::Request request,
                          const ServiceOperation& running) {
                (broker.*operation)(
                    std::move(request), running->context(),
                    ending_with<LoadBalancer>(
                        running, [](HostOperation& ended, const LoadBalancer& balancer) {
                          const detail::LoadBalancerC raw(balancer);
                          ended.end({}, raw.get());
                        }));
              }));
}

void LoadBalancersService::observe(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                   const ccm_backend* const* backends, size_t count,
                                   ccm_completion done) noexcept {
  with_backends(self, ctx, service, backends, count, done, "loadbalancers.observe",
                &LoadBalancersBroker::observe);
}

void LoadBalancersService::ensure(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                  const ccm_backend* const* backends, size_t count,
                                  ccm_completion done) noexcept {
  with_backends(self, ctx, service, backends, count, done, "loadbalancers.ensure",
                &LoadBalancersBroker::ensure);
}

void LoadBalancersService::update_backends(void* self, const ccm_ctx* ctx,
                                           const ccm_service* service,
                                           const ccm_backend* const* backends, size_t count,
                                           ccm_completion done) noexcept {
  with_backends(self, ctx, service, backends, count, done, "loadbalancers.update_backends",
                &LoadBalancersBroker::update_backends);
}

void LoadBalancersService::remove(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                  ccm_completion done) noexcept {
  call(self, ctx, done, "loadbalancers.delete",
       asking(read(self, service),
              [](LoadBalancersBroker& broker, LoadBalancersBroker::Request request,
                 const ServiceOperation& running) {
                broker.remove(std::move(request), running->context(),
                              [running](const Status& status) { running->end(status); });
              }));
}

void LoadBalancersService::name(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                ccm_completion done) noexcept {
  call(self, ctx, done, "loadbalancers.name",
       asking(read(self, service),
              [](LoadBalancersBroker& broker, LoadBalancersBroker::Request request,
                 const ServiceOperation& running) {
                broker.name(std::move(request), running->context(),
                            ending_with<std::string>(
                                running, [](HostOperation& operation, const std::string& name) {
                                  const ccm_str raw = c_str(name);
                                  operation.end({}, &raw);
                                }));
              }));
}

void LoadBalancersService::limits(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept {
  call(self, ctx, done, "loadbalancers.limits",
       [](LoadBalancersBroker& broker, const ServiceOperation& running) {
         broker.limits(running->context(),
                       ending_with<LoadBalancerLimits>(
                           running, [](HostOperation& operation, const LoadBalancerLimits& limits) {
                             const ccm_load_balancer_limits raw{
                                 sizeof(raw), 0, limits.load_balancers, limits.backends,
                                 c_str(limits.id_annotation)};
                             operation.end({}, &raw);
                           }));
       });
}

const void* LoadBalancersService::table() const {
  static const ccm_cloud_loadbalancers table{sizeof(table),    0,       &observe, &ensure,
                                             &update_backends, &remove, &name,    &limits};
  return &table;
}

}  // namespace ccm::plugin
