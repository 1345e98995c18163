// Watches the loop from another thread and names the plugin whose call blocks it while it still
// does: otherwise a call that never returns would never be named.
#pragma once

#include "runtime/event_loop.hpp"
#include "runtime/watchdog.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace ccm::runtime {

class StallMonitor {
 public:
  using RunningFn = std::function<std::optional<Watchdog::Running>()>;

  // Both must outlive it; `running` as Watchdog::running().
  StallMonitor(const EventLoop& loop, RunningFn running);
  ~StallMonitor();
  StallMonitor(const StallMonitor&) = delete;
  StallMonitor& operator=(const StallMonitor&) = delete;

  // Checks twice a second from now on. A blocked loop is logged after 1, 2, 4, 8, ... seconds.
  void start();

  // Whether the loop counts as alive for the holder of the Lease: its last heartbeat is less than
  // `limit` ago, or, when `grace` is above 0, it has been inside plugins' calls for less than
  // `grace`. Else who blocks it and for how long. Any thread.
  [[nodiscard]] Status alive(std::chrono::milliseconds limit,
                             std::chrono::milliseconds grace) const;

 private:
  void run();
  void check();

  const EventLoop& loop_;
  const RunningFn running_;
  uint64_t reported_call_ = 0;              // the call that was logged last
  std::chrono::milliseconds report_at_{0};  // the age at which it is logged again

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ccm::runtime
