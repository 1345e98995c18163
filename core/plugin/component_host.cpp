#include "plugin/component_host.hpp"

#include <string_view>

namespace ccm::plugin {

ComponentHost::ComponentHost()
    : host_{sizeof(ccm_host), CCM_ABI_MINOR, this, &ComponentHost::get_interface} {}

bool ComponentHost::get_interface(void* self, const char* id, ccm_interface* out) noexcept {
  if (id == nullptr || out == nullptr) return false;
  const std::string_view wanted(id);
  for (const auto& service : static_cast<ComponentHost*>(self)->services_) {
    if (service->id() != wanted) continue;
    *out = {service->self(), service->table()};
    return true;
  }
  return false;
}

}  // namespace ccm::plugin
