#include "net/rate_limiter.hpp"

#include "net/coroutines.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace ccm::net {

namespace asio = boost::asio;
using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::steady_clock;

TokenBucket::TokenBucket(double qps, int burst, TimePoint now)
    : qps_(qps), burst_(std::max(burst, 1)), tokens_(burst_), updated_(now) {}

void TokenBucket::refill(TimePoint now) {
  if (now <= updated_) return;
  tokens_ = std::min(burst_, tokens_ + duration<double>(now - updated_).count() * qps_);
  updated_ = now;
}

bool TokenBucket::take(TimePoint now) {
  if (unlimited()) return true;
  refill(now);
  // The tolerance is far below one call's share: it keeps a caller who slept exactly as long as
  // next() said from missing its token by a rounding error.
  if (tokens_ < 1.0 - 1e-6) return false;
  tokens_ -= 1.0;
  return true;
}

TokenBucket::TimePoint TokenBucket::next(TimePoint now) {
  if (unlimited()) return now;
  refill(now);
  if (tokens_ >= 1.0 - 1e-6) return now;
  const duration<double> wait((1.0 - tokens_) / qps_);
  // A tiny rate must not overflow the clock: a day from now is as good as never.
  const auto capped = std::min(wait, duration<double>(86400.0));
  return now + duration_cast<steady_clock::duration>(capped) + std::chrono::nanoseconds(1);
}

struct RateLimiter::State : std::enable_shared_from_this<State> {
  State(const asio::any_io_executor& home, double qps, int burst, std::function<TimePoint()> clock)
      : executor(home),
        now(std::move(clock)),
        bucket(qps, burst, now ? now() : steady_clock::now()),
        timer(home) {}

  TimePoint time() const { return now ? now() : steady_clock::now(); }

  void poll() {
    while (!queue.empty() && bucket.take(time())) Waiter::grant_first(queue);
    if (!queue.empty() && !now) arm();
  }

  void arm() {
    if (armed) return;
    armed = true;
    timer.expires_at(bucket.next(time()));
    timer.async_wait([weak = weak_from_this()](const boost::system::error_code&) {
      auto self = weak.lock();
      if (!self) return;
      self->armed = false;
      self->poll();
    });
  }

  asio::any_io_executor executor;
  std::function<TimePoint()> now;
  TokenBucket bucket;
  asio::steady_timer timer;
  bool armed = false;
  bool closed = false;
  Waiter::Queue queue;
};

RateLimiter::RateLimiter(asio::any_io_executor executor, double qps, int burst,
                         std::function<TimePoint()> now)
    : state_(std::make_shared<State>(executor, qps, burst, std::move(now))) {}

RateLimiter::~RateLimiter() {
  state_->closed = true;
  state_->timer.cancel();
  for (Waiter* waiter : state_->queue) waiter->wake.cancel();
}

std::size_t RateLimiter::waiting() const { return state_->queue.size(); }

void RateLimiter::poll() { state_->poll(); }

asio::awaitable<Status> RateLimiter::acquire() {
  const std::shared_ptr<State> state = state_;
  if (state->bucket.unlimited()) co_return Status();
  if (state->queue.empty() && state->bucket.take(state->time())) co_return Status();

  Waiter waiter(state->queue, state->executor);
  state->poll();
  if (!waiter.granted() && !state->closed) {
    co_await waiter.wake.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (waiter.granted()) co_return Status();
  co_return Status(Code::cancelled, "cancelled while waiting for the client-side rate limit");
}

}  // namespace ccm::net
