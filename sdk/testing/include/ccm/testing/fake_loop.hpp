// The fake host's loop: a queue of posted functions, a clock that only moves when a test says so,
// timers on that clock, and threads for [worker] functions. All but post(), after(), cancel(),
// work() and now() belong to the test's thread, which plays the loop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace ccm::testing {

class FakeLoop {
 public:
  using Milliseconds = std::chrono::milliseconds;

  FakeLoop();
  ~FakeLoop() { clear(); }
  FakeLoop(const FakeLoop&) = delete;
  FakeLoop& operator=(const FakeLoop&) = delete;

  void post(std::function<void()> fn);  // any thread
  // `deadline`: a timer that run_until() moves the clock to only when nothing else can happen.
  uint64_t after(Milliseconds delay, std::function<void()> fn, bool deadline = false);
  // Threads that are not this loop's, such as Go's, may post as well: while `alive()` says that
  // there are some, run_until() gives them real time before it moves the clock.
  void expect_other_threads(std::function<bool()> alive) { others_ = std::move(alive); }
  // While `work` runs, on whatever thread, the clock stands still: it takes real time. Any thread
  void stand_still(const std::function<void()>& work);
  void cancel(uint64_t timer);          // any thread
  void work(std::function<void()> fn);  // on a thread of its own. Any thread

  // Runs what is posted or due until nothing is left and no worker thread is busy. The clock stands
  // still.
  void run();
  // Moves the clock on, running every timer at its time.
  void advance(Milliseconds by);
  // run(), then moves the clock from timer to timer until `done()` holds. False when nothing is
  // left that could make it true.
  bool run_until(const std::function<bool()>& done);

  [[nodiscard]] Milliseconds now() const;  // any thread
  [[nodiscard]] bool on_loop() const { return std::this_thread::get_id() == thread_; }
  [[nodiscard]] std::size_t pending_timers() const;
  // Worker threads that have not ended. Any thread
  [[nodiscard]] int busy() const;
  // Drops everything that is posted or timed.
  void drop();
  // As drop(), after the worker threads ended.
  void clear();

 private:
  bool wait_for_others(std::chrono::steady_clock::duration most);
  std::optional<std::function<void()>> take();
  std::optional<Milliseconds> next_timer(bool deadlines_too) const;
  void set_clock(Milliseconds time);

  const std::thread::id thread_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
  struct Timer {
    std::function<void()> fn;
    bool deadline = false;
  };
  std::map<std::pair<Milliseconds, uint64_t>, Timer> timers_;
  Milliseconds now_{1'000'000};  // not 0, so that an unset time is noticed
  uint64_t last_timer_ = 0;
  int busy_ = 0;
  int standing_ = 0;  // calls of stand_still()
  std::function<bool()> others_;
  std::vector<std::thread> threads_;
};

}  // namespace ccm::testing
