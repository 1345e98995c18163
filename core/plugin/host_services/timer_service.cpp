#include "plugin/host_services/timer_service.hpp"

#include "plugin/bounded.hpp"

#include <chrono>

namespace ccm::plugin {

using std::chrono::milliseconds;

int64_t TimerService::now_ms(void* self) noexcept {
  const auto component = static_cast<TimerService*>(self)->component();
  if (!component) return 0;
  const auto now = component->runtime().timers.now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

int64_t TimerService::wall_clock_ms(void*) noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

// The timer's number is the callback's.
uint64_t TimerService::after(void* self, int64_t delay_ms, ccm_callback callback) noexcept {
  const auto component = static_cast<TimerService*>(self)->component();
  if (!component) return drop_callback(callback), 0;
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  runtime::Timers& timers = component->runtime().timers;
  const auto timer = timers.after(bounded(delay_ms), [weak = std::weak_ptr(component), number] {
    if (const auto alive = weak.lock()) alive->run_callback_once(number, "timer");
  });
  component->callbacks().on_removal(number, [&timers, timer] { timers.cancel(timer); });
  return number;
}

const ccm_host_timer TimerService::kTable{sizeof(kTable), 0,      &now_ms,
                                          &wall_clock_ms, &after, &remove_callback};

void PostService::post(void* self, ccm_callback callback) noexcept {
  const auto component = static_cast<PostService*>(self)->component();
  if (!component) return drop_callback(callback);
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return;
  component->runtime().loop.post([weak = std::weak_ptr(component), number] {
    if (const auto alive = weak.lock()) alive->run_callback_once(number, "post");
  });
}

const ccm_host_post PostService::kTable{sizeof(kTable), 0, &post};

}  // namespace ccm::plugin
