// The real Timers: one Asio timer for the earliest of many.
#pragma once

#include "runtime/timers.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace ccm::runtime {

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

}  // namespace ccm::runtime
