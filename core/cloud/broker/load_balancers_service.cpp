#include "cloud/broker/load_balancers_service.hpp"

#include "plugin/host_services/host_operation.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

using RunningPtr = std::shared_ptr<HostOperation>;

// A request is read on the caller's thread and shared from then on: it can be long.
using ReadRequest = std::shared_ptr<const Result<LoadBalancerRequest>>;

ReadRequest read(const ccm_service* service, const ccm_backend* const* backends, size_t count,
                 detail::BackendLists& lists) {
  return std::make_shared<const Result<LoadBalancerRequest>>(
      read_request(service, backends, count, lists));
}

LoadBalancersBroker::Request part_of(const ReadRequest& request) { return {request, &**request}; }

void end_with_balancer(const RunningPtr& running, const Result<LoadBalancer>& outcome) {
  if (!outcome.ok()) return running->end(outcome.status());
  const detail::LoadBalancerC raw(*outcome);
  running->end({}, raw.get());
}

}  // namespace

void LoadBalancersService::begin(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                 const ccm_backend* const* backends, size_t count,
                                 ccm_completion done, const char* name,
                                 Operation operation) noexcept {
  auto& host = *static_cast<LoadBalancersService*>(self);
  const auto component = host.component();
  if (!component) return;
  auto start = [broker = host.broker_, operation,
                request = read(service, backends, count, host.lists_)](const RunningPtr& running) {
    if (!request->ok()) return running->end(request->status());
    ((*broker).*operation)(part_of(request), running->context(),
                           [running](const Result<LoadBalancer>& outcome) {
                             if (!running->ended()) end_with_balancer(running, outcome);
                           });
  };
  HostOperation::begin(component, ctx, done, name, std::move(start));
}

void LoadBalancersService::observe(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                   const ccm_backend* const* backends, size_t count,
                                   ccm_completion done) noexcept {
  begin(self, ctx, service, backends, count, done, "loadbalancers.observe",
        &LoadBalancersBroker::observe);
}

void LoadBalancersService::ensure(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                  const ccm_backend* const* backends, size_t count,
                                  ccm_completion done) noexcept {
  begin(self, ctx, service, backends, count, done, "loadbalancers.ensure",
        &LoadBalancersBroker::ensure);
}

void LoadBalancersService::update_backends(void* self, const ccm_ctx* ctx,
                                           const ccm_service* service,
                                           const ccm_backend* const* backends, size_t count,
                                           ccm_completion done) noexcept {
  begin(self, ctx, service, backends, count, done, "loadbalancers.update_backends",
        &LoadBalancersBroker::update_backends);
}

void LoadBalancersService::remove(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                  ccm_completion done) noexcept {
  auto& host = *static_cast<LoadBalancersService*>(self);
  const auto component = host.component();
  if (!component) return;
  auto start = [broker = host.broker_,
                request = read(service, nullptr, 0, host.lists_)](const RunningPtr& running) {
    if (!request->ok()) return running->end(request->status());
    broker->remove(part_of(request), running->context(), [running](const Status& status) {
      if (!running->ended()) running->end(status);
    });
  };
  HostOperation::begin(component, ctx, done, "loadbalancers.delete", std::move(start));
}

void LoadBalancersService::name(void* self, const ccm_ctx* ctx, const ccm_service* service,
                                ccm_completion done) noexcept {
  auto& host = *static_cast<LoadBalancersService*>(self);
  const auto component = host.component();
  if (!component) return;
  auto start = [broker = host.broker_,
                request = read(service, nullptr, 0, host.lists_)](const RunningPtr& running) {
    if (!request->ok()) return running->end(request->status());
    broker->name(part_of(request), running->context(),
                 [running](const Result<std::string>& outcome) {
                   if (running->ended()) return;
                   if (!outcome.ok()) return running->end(outcome.status());
                   const ccm_str raw = c_str(*outcome);
                   running->end({}, &raw);
                 });
  };
  HostOperation::begin(component, ctx, done, "loadbalancers.name", std::move(start));
}

void LoadBalancersService::limits(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept {
  auto& host = *static_cast<LoadBalancersService*>(self);
  const auto component = host.component();
  if (!component) return;
  auto start = [broker = host.broker_](const RunningPtr& running) {
    broker->limits(running->context(), [running](const Result<LoadBalancerLimits>& outcome) {
      if (running->ended()) return;
      if (!outcome.ok()) return running->end(outcome.status());
      const ccm_load_balancer_limits raw{sizeof(raw), 0, outcome->load_balancers, outcome->backends,
                                         c_str(outcome->id_annotation)};
      running->end({}, &raw);
    });
  };
  HostOperation::begin(component, ctx, done, "loadbalancers.limits", std::move(start));
}

const void* LoadBalancersService::table() const {
  static const ccm_cloud_loadbalancers table{sizeof(table),    0,       &observe, &ensure,
                                             &update_backends, &remove, &name,    &limits};
  return &table;
}

}  // namespace ccm::plugin
