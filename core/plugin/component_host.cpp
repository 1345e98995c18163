#include "plugin/component_host.hpp"

#include <ccm/sized.hpp>

#include <string_view>
#include <utility>

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

}  // namespace ccm::plugin
