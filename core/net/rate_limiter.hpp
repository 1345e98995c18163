// Client-side rate limit: a token bucket (API-67) and a queue in front of it.
#pragma once

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace ccm::net {

// `burst` tokens at first, refilled at `qps` a second. Has no clock: every call passes the time,
// which must not run backwards. Not thread-safe.
class TokenBucket {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `qps` <= 0 = no limit; `burst` < 1 counts as 1.
  TokenBucket(double qps, int burst, TimePoint now);

  // Takes one token if there is one.
  bool take(TimePoint now);

  // When the next token can be taken, at the earliest `now`.
  [[nodiscard]] TimePoint next(TimePoint now);

  [[nodiscard]] bool unlimited() const { return qps_ <= 0; }

 private:
  void refill(TimePoint now);

  double qps_;
  double burst_;
  double tokens_;
  TimePoint updated_;
};

// Grants tokens first come first served. Home thread: the executor's.
class RateLimiter {
 public:
  using TimePoint = TokenBucket::TimePoint;

  // `now` replaces the steady clock in tests; tests that move that clock call poll() afterwards.
  RateLimiter(boost::asio::any_io_executor executor, double qps, int burst,
              std::function<TimePoint()> now = {});
  ~RateLimiter();  // coroutines that wait get a cancelled Status
  RateLimiter& operator=(RateLimiter&&) = delete;

  // Ok with a token taken, at once while the bucket holds one and nobody waits; cancelled when the
  // coroutine was cancelled, in which case no token is lost.
  boost::asio::awaitable<Status> acquire();

  // Serves waiters that are due. The limiter's own timer calls it; so does a test.
  void poll();

  [[nodiscard]] std::size_t waiting() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ccm::net
