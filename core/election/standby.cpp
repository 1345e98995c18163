// How a candidate waits for the Lease. It watches the Lease, so that it sees a release at once,
// wakes up when the holder's time is over, and reads the Lease when no event came for a while, so
// that a dead or forbidden watch costs speed and nothing else.
#include "base/log.hpp"
#include "election/leader_elector_impl.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace ccm::election {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::minutes kRefusedWatch{5};  // until a refused watch is retried
constexpr std::chrono::seconds kLongestWatchPause{60};

bool refused(const Status& status) {
  return status.code() == Code::permission_denied || status.code() == Code::unauthenticated ||
         status.code() == Code::invalid_argument || status.code() == Code::unimplemented;
}

}  // namespace

milliseconds LeaderElector::Impl::spread(double low, double high) {
  const double factor = std::uniform_real_distribution<double>(low, high)(random);
  return std::chrono::duration_cast<milliseconds>(options.retry_period * factor);
}

// Restarts the wait, which lasts at most that many retry periods.
void LeaderElector::Impl::restart_wait(double low, double high) {
  patience = spread(low, high);
  waiting_again = true;
  limit.cancel();
}

// An event of the watch. False ends the watch: the Lease may be free.
bool LeaderElector::Impl::noticed(std::optional<Lease> lease) {
  if (lease) {
    observe(std::move(*lease), clock.now());
  } else {
    candidate.forget();
  }
  watch_failures = 0;
  chance = !stopping && within_reach();
  // Never expires while a leader renews with every period: its events come earlier. A Lease that is
  // gone cannot be watched.
  if (!chance && candidate.lease()) restart_wait(2.2, 3.2);
  if (!chance && !candidate.lease()) restart_wait(0.0, 0.25);
  return !chance && !stopping && candidate.lease();
}

void LeaderElector::Impl::watch_failed(const Status& why) {
  ++watch_failures;
  const auto pause = std::min<BootClock::duration>(
      options.retry_period * (1 << std::min(watch_failures - 1, 6)), kLongestWatchPause);
  watch_not_before = clock.now() + (refused(why) ? BootClock::duration(kRefusedWatch) : pause);
  if (watch_failures == 1 && !refused(why)) {
    watch_not_before = {};
    restart_wait(0.0, 0.25);  // events were missed: read the Lease
  }
  const std::string reason = why.ok() ? "it ended early" : why.message();
  if (watch_failures > 1) {
    log::info("The Lease cannot be watched and is polled", {{"reason", reason}});
  } else if (const auto v = log::v(2)) {
    v.info("The watch on the Lease ended", {{"reason", reason}});
  }
}

asio::awaitable<void> LeaderElector::Impl::follow() {
  while (!stopping && !chance && candidate.lease()) {
    const std::string version = candidate.lease()->resource_version;
    LeaseClient::Changed changed = [this](std::optional<Lease> lease) {
      return noticed(std::move(lease));
    };
    const Status ended = co_await client->watch(version, std::move(changed));
    if (chance || stopping || !candidate.lease() || ended.code() == Code::cancelled) co_return;
    // The server ends every watch after some minutes, and then there were events.
    if (ended.ok() && candidate.lease()->resource_version != version) continue;
    watch_failed(ended);
    co_return;
  }
}

// Until the holder's time or `patience` is over, whatever comes first.
asio::awaitable<void> LeaderElector::Impl::until_due() {
  do {
    waiting_again = false;
    BootClock::duration time = patience;
    const BootClock::duration left = candidate.expiry() - clock.now();
    if (left > BootClock::duration(0)) time = std::min(time, left);
    limit.expires_after(time);
    boost::system::error_code ignored;
    co_await limit.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  } while (waiting_again && !stopping);
}

asio::awaitable<void> LeaderElector::Impl::stand_by() {
  using asio::experimental::awaitable_operators::operator||;
  const bool watching = candidate.lease() && clock.now() >= watch_not_before;
  if (watching) {
    const auto outcome = co_await (follow() || until_due());
    if (outcome.index() == 1 || chance || stopping) co_return;
  }
  if (!stopping) co_await until_due();
}

void LeaderElector::Impl::log_failed_try(const Status& status) {
  if (status.message() == last_message) return;
  last_message = status.message();
  if (status.code() == Code::failed_precondition || status.code() == Code::aborted) {
    log::info("Standing by", {{"reason", last_message}});
  } else {
    log::warning("Failed to acquire the Lease", {{"lease", options.lease()}, {"err", status}});
  }
}

void LeaderElector::Impl::warn_of_no_coordinator() {
  const TimePoint now = clock.now();
  const bool led = candidate.lease() && !candidate.holder().empty() && !candidate.expired(now);
  if (led) {
    unled.reset();
  } else if (!unled) {
    unled = now;
  } else if (now - *unled > 2 * options.lease_duration && !std::exchange(told_unled, true)) {
    log::warning(
        "Nobody has named the holder of the Lease; kube-apiserver needs the feature gate "
        "CoordinatedLeaderElection, too",
        {{"lease", options.lease()}});
  }
}

// HOST-112, woken up earlier by the watch.
asio::awaitable<void> LeaderElector::Impl::acquire() {
  constexpr std::chrono::hours kNoLimit{1};  // each request has its own
  while (!stopping) {
    Status status = alive(false);
    if (status.ok()) status = co_await attempt_within(kNoLimit);
    // A late answer grants no leadership: renew first.
    if (status.ok() && clock.now() < deadline()) co_return;
    if (status.ok() || stopping) continue;
    log_failed_try(status);
    chance = false;
    // Another candidate was quicker: most likely the watch names it during this pause. Otherwise it
    // is the pause of candidates that poll; each event of a watch restarts it.
    const bool conflict = status.code() == Code::aborted || status.code() == Code::already_exists;
    patience = conflict ? spread(0.05, 0.25) : spread(1.0, 2.2);
    if (coordinated) {
      warn_of_no_coordinator();
      // A Lease that is not there cannot be watched, and its first holder has 5 s (HOST-153).
      if (!candidate.lease()) patience = spread(0.25, 0.5);
    }
    co_await stand_by();
  }
}

}  // namespace ccm::election
