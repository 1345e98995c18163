// Watches [serial] calls: who held the loop for how long. One address space, so nothing is killed;
// what is slow gets a name, a counter and, when it happens often, the mark "degraded".
#pragma once

#include "runtime/timers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ccm::runtime {

// The record of one component. Lives as long as the watchdog. Counters may be read on any thread.
class WatchedComponent {
 public:
  explicit WatchedComponent(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t stalls() const { return stalls_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t missed_deadlines() const {
    return missed_.load(std::memory_order_relaxed);
  }
  // 10 stalls within a minute, or 3 missed deadlines in a row.
  [[nodiscard]] bool degraded(TimePoint now) const;

 private:
  friend class Watchdog;
  std::string name_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> stalls_{0};
  std::atomic<uint64_t> missed_{0};
  std::atomic<uint32_t> missed_in_a_row_{0};
  std::array<std::atomic<BootClock::rep>, 10> recent_stalls_{};  // ring of their times
};

class Watchdog {
 public:
  struct Stall {
    std::string_view component;
    std::string_view operation;
    std::chrono::nanoseconds duration;
  };
  static constexpr std::chrono::milliseconds kStallThreshold{50};

  // `on_stall` runs on the loop, behind each call that took more than kStallThreshold.
  Watchdog(const Timers& timers, std::function<void(const Stall&)> on_stall);

  // The record for that name, made on demand. Loop thread.
  WatchedComponent& component(std::string_view name);

  // Measures one [serial] call while it lives. Loop thread; may be nested.
  class Scope {
   public:
    // `operation` must outlive the scope.
    Scope(Watchdog& watchdog, WatchedComponent& component, std::string_view operation);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Watchdog& watchdog_;
    WatchedComponent& component_;
    std::string_view operation_;
    TimePoint begin_;
    const WatchedComponent* outer_;
  };

  // An operation ended in time, or did not. Loop thread.
  void operation_ended(WatchedComponent& component, bool in_time);

  // The component whose [serial] call runs now, else an empty text: what a stuck loop is stuck in.
  // Any thread.
  [[nodiscard]] std::string_view running_component() const;

  [[nodiscard]] const std::map<std::string, WatchedComponent, std::less<>>& components() const {
    return components_;
  }

 private:
  const Timers& timers_;
  std::function<void(const Stall&)> on_stall_;
  std::map<std::string, WatchedComponent, std::less<>> components_;
  std::atomic<const WatchedComponent*> running_{nullptr};
};

}  // namespace ccm::runtime
