#include "plugin/broker/load_balancers_broker.hpp"

#include "plugin/broker/abi_structs.hpp"
#include "plugin/host_services/object_service.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

Context::Fields fields_of(const LoadBalancerRequest& request) {
  return {{"service", request.service.namespace_name + "/" + request.service.name}};
}

// The user gave the load balancer up: nobody could conclude that from something missing.
bool given_up_by_user(const LoadBalancerRequest& request) {
  const kube::Object* service = object_of(request.service.object.get());
  if (service == nullptr) return false;
  if (!service->text_at("/metadata/deletionTimestamp").empty()) return true;
  const auto type = service->text_at("/spec/type");
  return !type.empty() && type != "LoadBalancer";
}

}  // namespace

LoadBalancersBroker::LoadBalancersBroker(std::shared_ptr<LiveComponent> provider,
                                         ccm_interface interface, ProviderTimeouts timeouts,
                                         AbsenceGate& gate)
    : provider_(std::move(provider)),
      self_(interface.self),
      table_(whole(*static_cast<const ccm_cloud_loadbalancers*>(interface.table))),
      timeouts_(timeouts),
      gate_(gate) {}

bool LoadBalancersBroker::usable() const {
  return table_.ensure != nullptr && table_.remove != nullptr;
}

void LoadBalancersBroker::change(const char* operation, WithBackends function, Request request,
                                 std::shared_ptr<Context> context, BalancerDone done) {
  const std::string uid = request->service.uid;
  auto ended = [this, uid, done = std::move(done)](Result<LoadBalancer> outcome) {
    // Another's does not count among ours.
    if (outcome && !outcome->id.empty() && outcome->state != LoadBalancerState::foreign) {
      gate_.add_known(uid);
    }
    done(std::move(outcome));
  };
  auto invoke = [function, self = self_, request](const ccm_ctx* ctx, ccm_completion once) {
    const detail::LoadBalancerServiceC service(request->service);
    const detail::BackendsC backends(request->backends);
    function(self, ctx, service.get(), backends.data(), backends.size(), once);
  };
  auto start = [this, operation, request, context, invoke = std::move(invoke),
                ended = std::move(ended)](Turns::Turn turn) {
    provider_->call<LoadBalancer>(operation, context, timeouts_.load_balancer, fields_of(*request),
                                  invoke, copy_load_balancer, ended, std::move(turn));
  };
  turns_.take(uid, context, std::move(start));
}

void LoadBalancersBroker::observe(Request request, std::shared_ptr<Context> context,
                                  BalancerDone done) {
  const WithBackends function = table_.observe != nullptr ? table_.observe : table_.ensure;
  change("loadbalancers.observe", function, std::move(request), std::move(context),
         std::move(done));
}

void LoadBalancersBroker::ensure(Request request, std::shared_ptr<Context> context,
                                 BalancerDone done) {
  change("loadbalancers.ensure", table_.ensure, std::move(request), std::move(context),
         std::move(done));
}

void LoadBalancersBroker::update_backends(Request request, std::shared_ptr<Context> context,
                                          BalancerDone done) {
  const WithBackends function =
      table_.update_backends != nullptr ? table_.update_backends : table_.ensure;
  change("loadbalancers.update_backends", function, std::move(request), std::move(context),
         std::move(done));
}

void LoadBalancersBroker::remove(Request request, std::shared_ptr<Context> context,
                                 std::function<void(Status)> done) {
  const std::string uid = request->service.uid;
  auto start = [this, request = std::move(request), context, done = std::move(done)](
                   Turns::Turn turn) { begin_remove(request, context, done, std::move(turn)); };
  turns_.take(uid, context, std::move(start));
}

void LoadBalancersBroker::begin_remove(const Request& request,
                                       const std::shared_ptr<Context>& context,
                                       const std::function<void(Status)>& done, Turns::Turn turn) {
  const std::string uid = request->service.uid;
  if (!given_up_by_user(*request)) {
    Status verdict = gate_.judge({uid}).front();
    if (!verdict.ok()) return done(std::move(verdict));
  }
  auto invoke = [remove = table_.remove, self = self_, request](const ccm_ctx* ctx,
                                                                ccm_completion once) {
    const detail::LoadBalancerServiceC service(request->service);
    remove(self, ctx, service.get(), once);
  };
  auto ended = [this, uid, done](Result<Nothing> outcome) {
    const Status status = outcome.status();
    if (status.ok() || status.code() == Code::not_found) gate_.deleted(uid);
    done(status);
  };
  provider_->call<Nothing>("loadbalancers.delete", context, timeouts_.load_balancer,
                           fields_of(*request), std::move(invoke), copy_nothing, std::move(ended),
                           std::move(turn));
}

void LoadBalancersBroker::name(Request request, std::shared_ptr<Context> context,
                               std::function<void(Result<std::string>)> done) {
  if (table_.name == nullptr) return done(request->service.default_name);
  Context::Fields fields = fields_of(*request);
  auto invoke = [name = table_.name, self = self_, request = std::move(request)](
                    const ccm_ctx* ctx, ccm_completion once) {
    const detail::LoadBalancerServiceC service(request->service);
    name(self, ctx, service.get(), once);
  };
  provider_->call<std::string>("loadbalancers.name", context, timeouts_.call, std::move(fields),
                               std::move(invoke), copy_name, std::move(done));
}

void LoadBalancersBroker::limits(std::shared_ptr<Context> context,
                                 std::function<void(Result<LoadBalancerLimits>)> done) {
  if (table_.limits == nullptr) return done(LoadBalancerLimits());
  auto invoke = [limits = table_.limits, self = self_](const ccm_ctx* ctx, ccm_completion once) {
    limits(self, ctx, once);
  };
  provider_->call<LoadBalancerLimits>("loadbalancers.limits", context, timeouts_.call, {},
                                      std::move(invoke), copy_load_balancer_limits,
                                      std::move(done));
}

}  // namespace ccm::plugin
