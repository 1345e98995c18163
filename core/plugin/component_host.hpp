// The ccm_host of one component, with services made in its name. Loop thread; the interfaces follow
// their own tags.
#pragma once

#include "plugin/host_services/host_service.hpp"
#include "plugin/live_component.hpp"

#include <ccm/abi/plugin.h>

#include <memory>
#include <vector>

namespace ccm::plugin {

class ComponentHost {
 public:
  ComponentHost();
  ComponentHost(const ComponentHost&) = delete;
  ComponentHost& operator=(const ComponentHost&) = delete;

  // Before host() is handed out.
  void add(std::unique_ptr<HostService> service) { services_.push_back(std::move(service)); }

  // OWNERSHIP: borrowed from this object.
  [[nodiscard]] const ccm_host* host() const { return &host_; }

 private:
  static bool get_interface(void* self, const char* id, ccm_interface* out) noexcept;

  ccm_host host_;
  std::vector<std::unique_ptr<HostService>> services_;
};

}  // namespace ccm::plugin
