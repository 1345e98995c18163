// ccm.host.timer/1 and ccm.host.post/1 over the loop.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/timer.h>

namespace ccm::plugin {

class TimerService final : public HostService {
 public:
  explicit TimerService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_TIMER, &kTable) {}

 private:
  static int64_t now_ms(void* self) noexcept;
  static int64_t wall_clock_ms(void* self) noexcept;
  static uint64_t after(void* self, int64_t delay_ms, ccm_callback callback) noexcept;
  static const ccm_host_timer kTable;
};

class PostService final : public HostService {
 public:
  explicit PostService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_POST, &kTable) {}

 private:
  static void post(void* self, ccm_callback callback) noexcept;
  static const ccm_host_post kTable;
};

}  // namespace ccm::plugin
