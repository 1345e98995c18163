#include "runtime/watchdog.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace ccm::runtime {
using std::chrono::milliseconds;

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

WatchedComponent& Watchdog::component(std::string_view name, std::string_view plugin) {
  const auto found = components_.find(name);
  if (found != components_.end()) return found->second;
  return components_.try_emplace(std::string(name), std::string(name), std::string(plugin))
      .first->second;
}

void Watchdog::show(const Scope* innermost) {
  if (innermost_ == nullptr && innermost != nullptr) {
    shown_.held_since = innermost->begin_.time_since_epoch().count();
  }
  innermost_ = innermost;
  ++shown_.version;
  shown_.component = innermost == nullptr ? nullptr : &innermost->component_;
  if (innermost != nullptr) {
    shown_.operation = innermost->operation_.data();
    shown_.operation_size = innermost->operation_.size();
    shown_.begin = innermost->begin_.time_since_epoch().count();
  }
  ++shown_.version;
}

std::optional<Watchdog::Running> Watchdog::running() const {
  // The loop changes it at most once in the time of a plugin's call: a few reads are enough, and a
  // loop that changes it all the time is not stuck.
  for (int looks = 0; looks < 8; ++looks) {
    const uint64_t before = shown_.version;
    const WatchedComponent* const component = shown_.component;
    const std::string_view operation(shown_.operation, shown_.operation_size);
    const BootClock::duration begin(shown_.begin);
    const BootClock::duration held_since(shown_.held_since);
    if (before % 2 != 0 || before != shown_.version) continue;
    if (component == nullptr) return std::nullopt;
    const BootClock::duration now = timers_.now().time_since_epoch();
    return Running{component, operation, now - begin, now - held_since, before};
  }
  return std::nullopt;
}

Watchdog::Scope::Scope(Watchdog& watchdog, WatchedComponent& component, std::string_view operation)
    : watchdog_(watchdog),
      component_(component),
      operation_(operation),
      begin_(watchdog.timers_.now()),
      outer_(watchdog.innermost_) {
  watchdog_.show(this);
}

Watchdog::Scope::~Scope() {
  watchdog_.show(outer_);
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

namespace {

constexpr milliseconds kCheckInterval{500};
constexpr milliseconds kFirstReport{1'000};

std::string seconds_of(std::chrono::nanoseconds duration) {
  const auto tenths = std::chrono::duration_cast<milliseconds>(duration).count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string name_of(const Watchdog::Running& running) {
  return "plugin " + running.component->plugin() + ", component " + running.component->name() +
         ", operation " + std::string(running.operation);
}

}  // namespace

StallMonitor::StallMonitor(const EventLoop& loop, RunningFn running)
    : loop_(loop), running_(std::move(running)) {}

void StallMonitor::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const auto stopped = [&stop] { return stop.stop_requested(); };
  while (!wake.wait_for(lock, stop, kCheckInterval, stopped)) check();
}

void StallMonitor::check() {
  const auto running = running_();
  const uint64_t call = running ? running->number : 0;
  const std::chrono::nanoseconds age =
      running ? running->duration : std::chrono::nanoseconds(loop_.heartbeat_age());
  if (call != reported_call_ || age < kFirstReport) {
    reported_call_ = call;
    report_at_ = kFirstReport;
  }
  if (age < report_at_) return;
  while (report_at_ <= age) report_at_ *= 2;
  if (running) {
    log::warning("A plugin blocks the host's loop", {{"plugin", running->component->plugin()},
                                                     {"component", running->component->name()},
                                                     {"operation", running->operation},
                                                     {"duration", seconds_of(age)}});
  } else {
    log::error("The host's loop is blocked outside of any plugin", {{"duration", seconds_of(age)}});
  }
}

Status StallMonitor::alive(milliseconds limit, milliseconds grace) const {
  const milliseconds age = loop_.heartbeat_age();
  if (age < limit) return {};
  const auto running = running_();
  if (running && running->held < grace) return {};
  std::string message = "the host's loop has not been alive for " + seconds_of(age);
  if (running) message += ", blocked by " + name_of(*running);
  return Status(Code::unavailable, std::move(message));
}

}  // namespace ccm::runtime
