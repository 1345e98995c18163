#include "plugin/host_services/host_service.hpp"

#include "plugin/origin.hpp"

namespace ccm::plugin {

ComponentHost::ComponentHost(bool nonblocking) : host_(sized<ccm_host>()) {
  host_.abi_minor = CCM_ABI_MINOR;
  host_.flags = nonblocking ? CCM_NONBLOCKING : 0;
  host_.self = this;
  host_.get_interface = &ComponentHost::get_interface;
}

void ComponentHost::add(std::unique_ptr<HostService> service) {
  const std::lock_guard lock(mutex_);
  services_.push_back(std::move(service));
}

ccm_bool ComponentHost::get_interface(void* self, const char* id, ccm_interface* out) noexcept {
  if (id == nullptr || out == nullptr) return 0;
  auto& host = *static_cast<ComponentHost*>(self);
  const std::string_view wanted(id);
  const std::lock_guard lock(host.mutex_);
  for (const auto& service : host.services_) {
    if (service->id() != wanted) continue;
    *out = service->interface();
    return 1;
  }
  return 0;
}

// A provider's operation for a reconcile is no step of the controller.
Origin* HostOperation::origin() const {
  const auto& origin = context_->origin();
  return origin && origin->controller() == component_->identity().name ? origin.get() : nullptr;
}

void HostOperation::begin(const std::shared_ptr<LiveComponent>& component, ccm_ctx ctx,
                          ccm_completion done, std::string_view name, Status wrong, Start start,
                          bool bound) {
  if (!component || !component->host_operation_began()) {
    const Status gone(Code::failed_precondition, "the component is destroyed");
    const ccm_status raw = gone.to_c();
    if (done.fn != nullptr) done.fn(done.owner, done.operation, &raw, nullptr);
    return;
  }
  auto context = component->find_context(ctx);
  const bool known = context != nullptr;
  const Ptr operation(
      new HostOperation(component, known ? context : component->background(), done, name));
  component->runtime().loop.post([operation, known, bound, wrong = std::move(wrong),
                                  start = std::move(start)] {
    if (!known) {
      return operation->end(Status(Code::failed_precondition, "the operation of this ctx has ended")
                                .with_reason(CCM_REASON_CONTEXT_ENDED));
    }
    if (operation->context_->ended()) return operation->end(operation->context_->status());
    if (bound) {
      operation->registration_ = operation->context_->on_end(
          [operation] { operation->end(operation->context_->status()); });
      if (Origin* origin = operation->origin()) origin->began(operation->name_);
    }
    if (!wrong.ok()) return operation->end(wrong);
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
