// The ccm_host of one component, with services made in its name. Loop thread; the interfaces follow
// their own tags.
#pragma once

#include "plugin/host_services/host_service.hpp"
#include "plugin/live_component.hpp"

#include <ccm/abi/plugin.h>

#include <memory>
#include <mutex>
#include <vector>

namespace ccm::plugin {

class ComponentHost {
 public:
  // `nonblocking`: as the manifest says.
  explicit ComponentHost(bool nonblocking = false);
  ComponentHost(const ComponentHost&) = delete;
  ComponentHost& operator=(const ComponentHost&) = delete;

  void add(std::unique_ptr<HostService> service);

  // OWNERSHIP: borrowed from this object.
  [[nodiscard]] const ccm_host* host() const { return &host_; }

 private:
  static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) noexcept;

  ccm_host host_;
  std::mutex mutex_;  // some services come when the component lives already
  std::vector<std::unique_ptr<HostService>> services_;
};

}  // namespace ccm::plugin
