// draft.ccm.host.timer/1 and draft.ccm.host.post/1 over the loop.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/timer.h>

#include <mutex>
#include <unordered_map>

namespace ccm::plugin {

class TimerService final : public HostService {
 public:
  explicit TimerService(const std::shared_ptr<LiveComponent>& component);
  ~TimerService() override;
  [[nodiscard]] std::string_view id() const override { return CCM_HOST_TIMER; }
  [[nodiscard]] const void* table() const override;

 private:
  static int64_t now_ms(void* self) noexcept;
  static int64_t wall_clock_ms(void* self) noexcept;
  static uint64_t after(void* self, int64_t delay_ms, void (*fn)(void* owner),
                        void* owner) noexcept;
  static void cancel(void* self, uint64_t timer) noexcept;

  // The component's own numbers, so that it cannot cancel other components' timers. Shared with
  // waiting timers, which may outlive this object.
  struct Pending {
    std::mutex mutex;
    std::unordered_map<uint64_t, runtime::Timers::Id> timers;
    uint64_t last = 0;
  };
  runtime::Timers& timers_;
  const std::shared_ptr<Pending> pending_ = std::make_shared<Pending>();
};

class PostService final : public HostService {
 public:
  explicit PostService(const std::shared_ptr<LiveComponent>& component) : HostService(component) {}
  [[nodiscard]] std::string_view id() const override { return CCM_HOST_POST; }
  [[nodiscard]] const void* table() const override;

 private:
  static void post(void* self, void (*fn)(void* owner), void* owner) noexcept;
};

}  // namespace ccm::plugin
