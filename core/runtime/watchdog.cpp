#include "runtime/watchdog.hpp"

#include <algorithm>
#include <utility>

namespace ccm::runtime {

namespace {
constexpr std::chrono::minutes kStallWindow{1};
constexpr uint32_t kMissedDeadlines = 3;
}  // namespace

bool WatchedComponent::degraded(TimePoint now) const {
  if (missed_in_a_row_.load(std::memory_order_relaxed) >= kMissedDeadlines) return true;
  const auto begin = (now - kStallWindow).time_since_epoch().count();
  return std::all_of(recent_stalls_.begin(), recent_stalls_.end(), [&](const auto& time) {
    const auto at = time.load(std::memory_order_relaxed);
    return at != 0 && at > begin;
  });
}

Watchdog::Watchdog(const Timers& timers, std::function<void(const Stall&)> on_stall)
    : timers_(timers), on_stall_(std::move(on_stall)) {}

WatchedComponent& Watchdog::component(std::string_view name) {
  const auto found = components_.find(name);
  if (found != components_.end()) return found->second;
  return components_.try_emplace(std::string(name), std::string(name)).first->second;
}

Watchdog::Scope::Scope(Watchdog& watchdog, WatchedComponent& component, std::string_view operation)
    : watchdog_(watchdog),
      component_(component),
      operation_(operation),
      begin_(watchdog.timers_.now()),
      outer_(watchdog.running_.exchange(&component, std::memory_order_relaxed)) {
  component_.calls_.fetch_add(1, std::memory_order_relaxed);
}

Watchdog::Scope::~Scope() {
  watchdog_.running_.store(outer_, std::memory_order_relaxed);
  const TimePoint now = watchdog_.timers_.now();
  if (now - begin_ <= kStallThreshold) return;
  const uint64_t index = component_.stalls_.fetch_add(1, std::memory_order_relaxed);
  auto& slot = component_.recent_stalls_[index % component_.recent_stalls_.size()];
  slot.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  if (watchdog_.on_stall_) watchdog_.on_stall_({component_.name_, operation_, now - begin_});
}

void Watchdog::operation_ended(WatchedComponent& component, bool in_time) {
  if (in_time) {
    component.missed_in_a_row_.store(0, std::memory_order_relaxed);
    return;
  }
  component.missed_.fetch_add(1, std::memory_order_relaxed);
  component.missed_in_a_row_.fetch_add(1, std::memory_order_relaxed);
}

std::string_view Watchdog::running_component() const {
  const WatchedComponent* running = running_.load(std::memory_order_relaxed);
  return running == nullptr ? std::string_view{} : std::string_view(running->name());
}

}  // namespace ccm::runtime
