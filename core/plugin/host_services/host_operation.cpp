#include "plugin/host_services/host_operation.hpp"

#include "plugin/host_services/host_service.hpp"
#include "plugin/origin.hpp"

namespace ccm::plugin {

// A provider's operation for a reconcile is no step of the controller.
Origin* HostOperation::origin() const {
  const auto& origin = context_->origin();
  return origin && origin->controller() == component_->identity().name ? origin.get() : nullptr;
}

std::shared_ptr<HostOperation> HostOperation::make(const std::shared_ptr<LiveComponent>& component,
                                                   std::shared_ptr<Context> context,
                                                   ccm_completion done, std::string_view name) {
  std::shared_ptr<HostOperation> operation(new HostOperation);
  operation->component_ = component;
  operation->context_ = std::move(context);
  operation->done_ = done;
  operation->name_ = name;
  component->host_operation_began();
  return operation;
}

void HostOperation::begin(const std::shared_ptr<LiveComponent>& component, const ccm_ctx* ctx,
                          ccm_completion done, std::string_view name, Start start) {
  const auto operation = make(component, context_of(ctx, *component), done, name);
  component->runtime().loop.post([operation, start = std::move(start)] {
    if (operation->context_->ended()) return operation->end(operation->context_->status());
    operation->registration_ =
        operation->context_->on_end([operation] { operation->end(operation->context_->status()); });
    if (Origin* origin = operation->origin()) origin->began(operation->name_);
    start(operation);
  });
}

void HostOperation::begin_unbound(const std::shared_ptr<LiveComponent>& component,
                                  ccm_completion done, std::string_view name, Start start) {
  const auto operation = make(component, component->background(), done, name);
  component->runtime().loop.post([operation, start = std::move(start)] {
    if (operation->context_->ended()) return operation->end(operation->context_->status());
    start(operation);
  });
}

void HostOperation::end(const Status& status, const void* result) {
  if (ended_) return;
  ended_ = true;
  const auto self = shared_from_this();  // the registration may hold the last reference
  if (registration_ != 0) context_->remove(registration_);
  stop_.request_stop();
  if (Origin* origin_of = origin()) origin_of->ended(name_, status);
  const ccm_status c_status = status.to_c();
  component_->call_serial(name_, [&] {
    if (done_.fn != nullptr) done_.fn(done_.owner, done_.operation, &c_status, result);
  });
  component_->host_operation_ended();
}

}  // namespace ccm::plugin
