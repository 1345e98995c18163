// An executor that measures the processor time of everything that runs on it: each step of a
// coroutine, from one wait to the next.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace ccm::serving {

class Meter {
 public:
  Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  virtual ~Meter() = default;
  // A step that took that long has ended. The thread on which it ran.
  virtual void add(std::chrono::nanoseconds used) = 0;
};

// Processor time of the calling thread.
std::chrono::nanoseconds thread_time();

// Measures its own lifetime. A step inside another one is a part of that.
class MeteredStep {
 public:
  explicit MeteredStep(Meter& meter);
  ~MeteredStep();
  MeteredStep(const MeteredStep&) = delete;
  MeteredStep& operator=(const MeteredStep&) = delete;

 private:
  Meter* meter_;  // null inside another step
  std::chrono::nanoseconds start_{0};
};

class MeteredExecutor {
  using Inner = boost::asio::any_io_executor;

 public:
  MeteredExecutor(Inner inner, std::shared_ptr<Meter> meter) noexcept
      : inner_(std::move(inner)), meter_(std::move(meter)) {}

  template <typename Function>
  void execute(Function&& function) const {
    inner_.execute([meter = meter_, step = std::forward<Function>(function)]() mutable {
      const MeteredStep measured(*meter);
      std::move(step)();
    });
  }

  // Asio's properties are the inner executor's.
  template <typename Property>
  auto query(const Property& property) const
      -> decltype(boost::asio::query(std::declval<const Inner&>(), property)) {
    return boost::asio::query(inner_, property);
  }
  template <typename Property, typename = decltype(boost::asio::require(
                                   std::declval<const Inner&>(), std::declval<Property>()))>
  MeteredExecutor require(const Property& property) const {
    return {boost::asio::require(inner_, property), meter_};
  }
  template <typename Property, typename = decltype(boost::asio::prefer(std::declval<const Inner&>(),
                                                                       std::declval<Property>()))>
  MeteredExecutor prefer(const Property& property) const {
    return {boost::asio::prefer(inner_, property), meter_};
  }

  friend bool operator==(const MeteredExecutor& left, const MeteredExecutor& right) noexcept {
    return left.inner_ == right.inner_ && left.meter_ == right.meter_;
  }

 private:
  Inner inner_;
  std::shared_ptr<Meter> meter_;
};

}  // namespace ccm::serving
