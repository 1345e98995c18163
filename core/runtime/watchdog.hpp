// Watches [serial] calls: who held the loop for how long. In one address space nothing can be
// killed; slow components get a log line, a counter and, when it happens often, the mark
// "degraded".
#pragma once

#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace ccm::runtime {

// The record of one component. Lives as long as the watchdog. Counters may be read on any thread.
class WatchedComponent {
 public:
  WatchedComponent(std::string name, std::string plugin)
      : name_(std::move(name)), plugin_(std::move(plugin)) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& plugin() const { return plugin_; }
  [[nodiscard]] uint64_t stalls() const { return stalls_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t missed_deadlines() const {
    return missed_.load(std::memory_order_relaxed);
  }
  // 10 stalls within a minute, or 3 missed deadlines in a row.
  [[nodiscard]] bool degraded(TimePoint now) const;

 private:
  friend class Watchdog;
  std::string name_;
  std::string plugin_;  // its id
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

  // `on_stall` runs on the loop, after each call that took more than kStallThreshold.
  Watchdog(const Timers& timers, std::function<void(const Stall&)> on_stall);

  // The record for that name, made on demand for a component of `plugin`. Loop thread.
  WatchedComponent& component(std::string_view name, std::string_view plugin = {});

  // Measures one [serial] call while it lives. Loop thread; may be nested.
  class Scope {
   public:
    // `operation` is a literal: the text must stay valid for ever.
    Scope(Watchdog& watchdog, WatchedComponent& component, std::string_view operation);
    ~Scope();
    Scope& operator=(Scope&&) = delete;

   private:
    friend class Watchdog;
    Watchdog& watchdog_;
    WatchedComponent& component_;
    std::string_view operation_;
    TimePoint begin_;
    const Scope* outer_;
  };

  // An operation ended in time, or missed its deadline. Loop thread.
  void operation_ended(WatchedComponent& component, bool in_time);

  // The [serial] call that holds the loop; for a stuck loop, where it is stuck.
  struct Running {
    const WatchedComponent* component;  // the innermost one
    std::string_view operation;
    std::chrono::nanoseconds duration;  // the innermost call's so far
    std::chrono::nanoseconds held;      // since plugin code has held the loop
    uint64_t number;                    // the call's; no two have the same
  };
  // nullopt: no plugin's code runs on the loop. Any thread.
  [[nodiscard]] std::optional<Running> running() const;

  [[nodiscard]] const std::map<std::string, WatchedComponent, std::less<>>& components() const {
    return components_;
  }

 private:
  // The value of running(), written by the loop and read by others: valid when `version` was even
  // and the same before and after the read.
  struct Shown {
    std::atomic<uint64_t> version{0};
    std::atomic<const WatchedComponent*> component{nullptr};
    std::atomic<const char*> operation{nullptr};
    std::atomic<std::size_t> operation_size{0};
    std::atomic<BootClock::rep> begin{0};
    std::atomic<BootClock::rep> held_since{0};
  };
  void show(const Scope* innermost);

  const Timers& timers_;
  std::function<void(const Stall&)> on_stall_;
  std::map<std::string, WatchedComponent, std::less<>> components_;
  const Scope* innermost_ = nullptr;
  Shown shown_;
};

// Watches the loop from another thread and names the plugin whose call blocks it while it still
// does: otherwise a call that never returns would never be named.
class StallMonitor {
 public:
  using RunningFn = std::function<std::optional<Watchdog::Running>()>;

  // Both must outlive it; `running` as Watchdog::running().
  StallMonitor(const EventLoop& loop, RunningFn running);
  StallMonitor& operator=(StallMonitor&&) = delete;

  // Checks twice a second from now on. A blocked loop is logged after 1, 2, 4, 8, ... seconds.
  void start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  // Whether the loop counts as alive for the holder of the Lease: its last heartbeat is less than
  // `limit` ago, or, when `grace` is above 0, it has been inside plugins' calls for less than
  // `grace`. Else who blocks it and for how long. Any thread.
  [[nodiscard]] Status alive(std::chrono::milliseconds limit,
                             std::chrono::milliseconds grace) const;

 private:
  void run(const std::stop_token& stop);
  void check();

  const EventLoop& loop_;
  const RunningFn running_;
  uint64_t reported_call_ = 0;              // the call that was logged last
  std::chrono::milliseconds report_at_{0};  // the age at which it is logged again
  std::jthread thread_;                     // its end is awaited before the rest is destroyed
};

}  // namespace ccm::runtime
