// The thread for [serial] plugin code and for all network but the election's, with the tag "am I on
// it" and a heartbeat that the lease's thread watches.
#pragma once

#include "runtime/timers.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

namespace ccm::runtime {

// The real Timers: one Asio timer for the earliest of many.
class LoopTimers final : public Timers {
 public:
  // `context` must outlive this object and everything that is posted to it.
  explicit LoopTimers(boost::asio::io_context& context);
  ~LoopTimers() override;  // waiting timers never run

  [[nodiscard]] TimePoint now() const override { return BootClock::now(); }
  Id after(std::chrono::milliseconds delay, std::function<void()> fn) override;
  bool cancel(Id id) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop& operator=(EventLoop&&) = delete;

  [[nodiscard]] boost::asio::io_context& context() { return context_; }
  [[nodiscard]] boost::asio::io_context::executor_type executor() {
    return context_.get_executor();
  }
  [[nodiscard]] Timers& timers() { return timers_; }

  // Makes the calling thread the loop's thread until stop(), even while there is nothing to do.
  void run();
  // run() returns after the current function. Any thread.
  void stop() { context_.stop(); }
  // Runs ready functions and returns their number; the calling thread is the loop's thread
  // meanwhile. For tests and for the end of a shutdown.
  std::size_t poll();
  // Runs ready functions as poll() does, but waits for work up to `limit`.
  std::size_t run_for(std::chrono::milliseconds limit);

  // Calls `fn` on the loop, never inside this call, in the order of posting. Any thread.
  void post(std::function<void()> fn);

  // Any thread.
  [[nodiscard]] bool on_loop() const {
    return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

  // Time since the loop's last heartbeat, which it has every 250 ms. Any thread.
  [[nodiscard]] std::chrono::milliseconds heartbeat_age() const;

 private:
  class Binding;
  void beat();

  // Handlers in the context may hold timers, so it is destroyed while timers_ still exists.
  struct Context : boost::asio::io_context {
    using boost::asio::execution_context::shutdown;
    using boost::asio::io_context::io_context;
  };

  Context context_{1};
  LoopTimers timers_;
  std::atomic<std::thread::id> thread_{};
  std::atomic<BootClock::rep> last_beat_;
  Timers::Id beat_timer_ = 0;
};

}  // namespace ccm::runtime
