// ccm.host.log/1 over the host's log.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/log.h>

#include <string>

namespace ccm::plugin {

class LogService final : public HostService {
 public:
  explicit LogService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_LOG, &kTable),
        plugin_id_(component->identity().plugin_id) {}

 private:
  static ccm_bool enabled(void* self, int32_t level) noexcept;
  static void write(void* self, ccm_ctx ctx, const ccm_log_record* record) noexcept;
  static const ccm_host_log kTable;

  const std::string plugin_id_;
};

}  // namespace ccm::plugin
