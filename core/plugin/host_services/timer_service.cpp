#include "plugin/host_services/timer_service.hpp"

#include "plugin/bounded.hpp"

#include <chrono>

namespace ccm::plugin {

using std::chrono::milliseconds;

TimerService::TimerService(const std::shared_ptr<LiveComponent>& component)
    : HostService(component), timers_(component->runtime().timers) {}

TimerService::~TimerService() {
  const std::lock_guard lock(pending_->mutex);
  for (const auto& [number, id] : pending_->timers) timers_.cancel(id);
}

int64_t TimerService::now_ms(void* self) noexcept {
  const auto now = static_cast<TimerService*>(self)->timers_.now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

int64_t TimerService::wall_clock_ms(void*) noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

uint64_t TimerService::after(void* self, int64_t delay_ms, void (*fn)(void* owner),
                             void* owner) noexcept {
  auto& service = *static_cast<TimerService*>(self);
  const auto pending = service.pending_;
  const milliseconds delay = bounded(delay_ms);
  // Held until the timer is entered: it may fire on the loop before this thread gets any further.
  const std::lock_guard lock(pending->mutex);
  const uint64_t number = ++pending->last;
  auto fire = [weak = service.component_, pending, number, fn, owner] {
    {
      const std::lock_guard entered(pending->mutex);
      if (pending->timers.erase(number) == 0) return;
    }
    const auto alive = weak.lock();
    if (alive && fn != nullptr) alive->call_serial("timer", [&] { fn(owner); });
  };
  pending->timers.emplace(number, service.timers_.after(delay, std::move(fire)));
  return number;
}

void TimerService::cancel(void* self, uint64_t timer) noexcept {
  auto& service = *static_cast<TimerService*>(self);
  const std::lock_guard lock(service.pending_->mutex);
  const auto place = service.pending_->timers.find(timer);
  if (place == service.pending_->timers.end()) return;
  service.timers_.cancel(place->second);
  service.pending_->timers.erase(place);
}

const void* TimerService::table() const {
  static const ccm_host_timer table{sizeof(table), 0, &now_ms, &wall_clock_ms, &after, &cancel};
  return &table;
}

void PostService::post(void* self, void (*fn)(void* owner), void* owner) noexcept {
  const auto component = static_cast<PostService*>(self)->component();
  if (!component || fn == nullptr) return;
  component->runtime().loop.post([weak = std::weak_ptr(component), fn, owner] {
    if (const auto alive = weak.lock()) alive->call_serial("post", [&] { fn(owner); });
  });
}

const void* PostService::table() const {
  static const ccm_host_post table{sizeof(table), 0, &post};
  return &table;
}

}  // namespace ccm::plugin
