// How the manager ends: on a signal, because it cannot go on, or because it lost the Lease.
#include "app/manager_impl.hpp"
#include "base/log.hpp"
#include "plugin/await_callback.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace ccm::app {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

// Together less than kStopLimit, so that a stop is orderly whatever the plugins and the API server
// do, as long as the loop runs.
constexpr milliseconds kReconcilesEnd{1'000};  // once they are cancelled
constexpr milliseconds kEventsOut{1'000};      // those that are still queued then
constexpr milliseconds kWritesEnd{3'000};      // answers to what was sent
constexpr milliseconds kGiveBack{2'000};       // the Lease
constexpr milliseconds kComponentsEnd{1'000};  // controllers, then the provider

// A plugin's call may block the loop for this many lease durations before the Lease is given up: 60
// s by default.
constexpr int kForgivenLeases = 4;
constexpr milliseconds kLastWords{2'000};

// Any thread. A log that nobody reads blocks its writers; that must not keep this process alive.
[[noreturn]] void leave(int code, const std::function<void()>& last_words) {
  try {
    std::thread([code] {
      std::this_thread::sleep_for(kLastWords);
      std::_Exit(code);
    }).detach();
  } catch (const std::system_error&) {
    std::_Exit(code);
  }
  last_words();
  log::flush();
  std::_Exit(code);
}

}  // namespace

// On the election's thread. A plugin may block the loop for a while as long as this process holds
// the Lease: a slow plugin must not cost the leadership, a hung host must.
Status Manager::Impl::alive(bool holding) const {
  const auto& election = options.leader_election;
  const auto limit = std::chrono::duration_cast<milliseconds>(election.renew_deadline);
  const auto grace =
      std::chrono::duration_cast<milliseconds>(kForgivenLeases * election.lease_duration);
  return monitor.alive(limit, holding ? grace : milliseconds(0));
}

// On the election's thread. Every write is fenced already. As upstream, the process ends at once
// (HOST-115): the code that still runs no longer belongs to a leader.
void Manager::Impl::lost(const std::string& reason) {
  leave(kExitLeadershipLost, [&] { log::error("Leadership lost", {{"reason", reason}}); });
}

// The callbacks run on the thread of the signals, even when the loop is blocked.
void Manager::Impl::listen() {
  StopSignals::Callbacks callbacks;
  callbacks.first = [this](int number) {
    // Half of what end() would destroy is not created yet, and nothing has been written.
    if (!started) {
      leave(kExitOk, [&] { log::info("Stopping", {{"signal", signal_name(number)}}); });
    }
    loop.post([this, number] { signalled(number); });
  };
  callbacks.again = [] {
    leave(kExitFatal, [] { log::warning("Stopping at once: a second signal came"); });
  };
  callbacks.late = [this] {
    leave(exit_code, [this] {
      std::string blocker;
      if (const auto call = plugins.running()) {
        blocker = call->component->name() + ": " + std::string(call->operation);
      }
      log::warning("Stopping took too long, exiting at once",
                   {{"after", kStopLimit}, {"blockedBy", blocker}});
    });
  };
  signals.listen(std::move(callbacks));
}

void Manager::Impl::signalled(int number) {
  log::info("Stopping", {{"signal", signal_name(number)}});
  end(kExitOk);
}

void Manager::Impl::fail(const Status& status) {
  log::error("Cannot continue", {{"err", status}});
  end(kExitFatal);
}

// A part of this program threw unexpectedly. Some of its work may be half done, so there is no
// orderly stop, and the Lease has to expire.
void Manager::Impl::broke(const std::exception& fault) {
  leave(kExitFatal, [&] { log::error("Unexpected fault, exiting", {{"err", fault.what()}}); });
}

void Manager::Impl::end(int code) {
  if (stopping) return;
  stopping = true;
  exit_code = code;
  signals.begin_limit();
  if (access) access->stop();
  asio::co_spawn(loop.context(), stop(), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
}

// Reconciles end at once, queued Events are sent, then the gates close and pending writes get their
// answers. From then on nothing writes, so the Lease is released before the rest is destroyed.
asio::awaitable<void> Manager::Impl::stop() {
  Status stopped = co_await plugins.stop_controllers(kReconcilesEnd);
  if (!stopped.ok()) {
    log::warning("Cancelled reconciles do not end; they cannot write any more", {{"err", stopped}});
  }
  if (leadership.leading()) co_await recorders.drain(kEventsOut);
  co_await release();
  stopped = co_await plugins.stop(kComponentsEnd);
  if (!stopped.ok()) log::warning("A component did not stop in time", {{"err", stopped}});
  informers.stop();
  endpoint.stop();
  loop_lag.stop();
  loop.stop();
}

// Empty, or the operations that may still be writing after that time.
asio::awaitable<std::string> Manager::Impl::writes_end(milliseconds limit) {
  constexpr milliseconds kLook{5};
  const auto end = std::chrono::steady_clock::now() + limit;
  asio::steady_timer timer(loop.context());
  while (true) {
    std::string open;
    if (const auto unseen = plugins.unseen_write()) open = *unseen + " runs on a worker";
    if (write_gate->under_way() > 0) open = "a write has no answer";
    if (open.empty() || std::chrono::steady_clock::now() >= end) co_return open;
    timer.expires_after(kLook);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<bool> Manager::Impl::give_back(milliseconds limit) {
  auto start = [this, limit](std::function<void(bool)> done) {
    const auto told = std::make_shared<bool>(false);
    auto once = [told, done = std::move(done)](bool ended) {
      if (!std::exchange(*told, true)) done(ended);
    };
    loop.timers().after(limit, [once] { once(false); });
    leadership.release([once] { once(true); });
  };
  return plugin::await_callback<bool>(start);
}

asio::awaitable<void> Manager::Impl::release() {
  write_gate->close();
  event_gate->close();
  const std::string writing = co_await writes_end(kWritesEnd);
  if (!writing.empty()) {
    log::warning("Kept the Lease, since a write may still be under way", {{"what", writing}});
    co_return;
  }
  const bool answered = co_await give_back(kGiveBack);
  if (!answered) log::warning("The API server does not answer; the Lease has to expire");
}

}  // namespace ccm::app
