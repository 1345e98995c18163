#include "app/orderly_stop.hpp"

#include "base/log.hpp"
#include "net/coroutines.hpp"
#include "plugin/await_callback.hpp"

#include <functional>
#include <utility>

namespace ccm::app {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

// All but the last are over before the Lease is free, together less than kStopLimit.
constexpr milliseconds kReconcilesEnd{1'000};  // once they are cancelled
constexpr milliseconds kEventsOut{1'000};      // for Events that are still queued then
constexpr milliseconds kWritesEnd{3'000};      // answers to what was sent
constexpr milliseconds kRelease{2'000};        // the Lease
constexpr milliseconds kComponentsEnd{1'000};  // controllers, provider, plugins: each

// Empty, or the operations that may still be writing after that time.
asio::awaitable<std::string> writes_end(const StopParts& parts, milliseconds limit) {
  constexpr milliseconds kCheckInterval{5};
  const auto end = std::chrono::steady_clock::now() + limit;
  while (true) {
    std::string open;
    if (const auto unseen = parts.plugins.unseen_write()) open = *unseen + " runs on a worker";
    if (parts.write_gate->under_way() > 0) open = "a write has no answer";
    if (open.empty() || std::chrono::steady_clock::now() >= end) co_return open;
    co_await net::pause(parts.loop.executor(), kCheckInterval);
  }
}

asio::awaitable<bool> release_lease(const StopParts& parts, milliseconds limit) {
  auto start = [&parts, limit](std::function<void(bool)> done) {
    const auto is_over = std::make_shared<bool>(false);
    auto once = [is_over, done = std::move(done)](bool ended) {
      if (!std::exchange(*is_over, true)) done(ended);
    };
    parts.loop.timers().after(limit, [once] { once(false); });
    parts.leadership.release([once] { once(true); });
  };
  return plugin::await_callback<bool>(start);
}

asio::awaitable<void> close_gates_and_release(const StopParts& parts) {
  parts.write_gate->close();
  parts.event_gate->close();
  const std::string writing = co_await writes_end(parts, kWritesEnd);
  if (!writing.empty()) {
    log::warning("Kept the Lease, since a write may still be under way", {{"operation", writing}});
    co_return;
  }
  const bool answered = co_await release_lease(parts, kRelease);
  if (!answered) log::warning("The API server does not answer; the Lease has to expire");
}

}  // namespace

// Reconciles end at once, queued Events are sent, then the gates close and pending writes get their
// answers. From then on nothing writes, so the Lease is released before the rest is destroyed.
asio::awaitable<void> stop_in_order(StopParts parts) {
  Status stopped = co_await parts.plugins.stop_controllers(kReconcilesEnd);
  if (!stopped.ok()) {
    log::warning("Cancelled reconciles do not end; they cannot write any more", {{"err", stopped}});
  }
  if (parts.leadership.leading()) {
    parts.leadership.tell_end();
    co_await parts.recorders.drain(kEventsOut);
  }
  co_await close_gates_and_release(parts);
  stopped = co_await parts.plugins.stop(kComponentsEnd);
  if (!stopped.ok()) log::warning("A component did not stop in time", {{"err", stopped}});
}

}  // namespace ccm::app
