#include "election/leader_elector.hpp"

#include "base/log.hpp"
#include "election/lease_candidate.hpp"
#include "election/lease_rules.hpp"
#include "net/coroutines.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <optional>
#include <random>
#include <thread>
#include <utility>

namespace ccm::election {
namespace asio = boost::asio;
using std::chrono::milliseconds;

Result<std::string> new_identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') {
    return Status(Code::failed_precondition,
                  "this machine has no host name, which the identity of the Lease needs; set one");
  }
  const boost::uuids::uuid random = boost::uuids::random_generator()();
  return std::string(host.data()) + "_" + boost::uuids::to_string(random);
}

milliseconds request_timeout(const ElectionOptions& options) {
  return std::max(milliseconds(1'000), options.renew_deadline / 2);
}

using TimePoint = BootClock::time_point;

namespace {

constexpr std::chrono::minutes kRefusedWatch{5};  // until a refused watch is retried
constexpr std::chrono::seconds kLongestWatchPause{60};

bool refused(const Status& status) {
  return status.code() == Code::permission_denied || status.code() == Code::unauthenticated ||
         status.code() == Code::invalid_argument || status.code() == Code::unimplemented;
}

LeaseCandidateOptions lease_candidate_options(const ElectionOptions& election) {
  LeaseCandidateOptions options;
  options.names = {{}, election.namespace_name, election.identity, election.name};
  options.versions = election.versions;
  options.retry_period = election.retry_period;
  return options;
}

}  // namespace

// Taking and keeping the Lease, and waiting for it. Everything runs on the election's thread unless
// stated otherwise.
struct LeaderElector::Impl {
  Impl(ElectionOptions given, const MakeLeaseClient& factory, ElectionCallbacks notify,
       Alive host_alive, const Clock& time, const MakeCandidateClient& candidates)
      : options(std::move(given)),
        callbacks(std::move(notify)),
        alive(std::move(host_alive)),
        clock(time),
        rules(options.identity, std::chrono::ceil<std::chrono::seconds>(options.lease_duration)),
        wake(io),
        limit(io),
        client(factory(io.get_executor())) {
    if (!candidates) return;
    candidate = std::make_unique<LeaseCandidateKeeper>(
        io.get_executor(), lease_candidate_options(options), candidates(io.get_executor()),
        [this] { return alive(is_leader); }, clock);
  }

  [[nodiscard]] LeaseAnnotations annotations() const {
    return options.annotations ? options.annotations() : LeaseAnnotations();
  }

  [[nodiscard]] TimePoint deadline() const {
    return TimePoint(BootClock::duration(last_renewal.load())) + options.renew_deadline;
  }

  asio::awaitable<void> pause(milliseconds time) {
    if (stopping) co_return;
    wake.expires_after(time);
    co_await wake.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  void observe(Lease lease, TimePoint now) {
    rules.observe(std::move(lease), now);
    if (!rules.restored().empty() && !logged_restored.exchange(true)) {
      callbacks.restored(rules.restored());
    }
    if (rules.holder() == announced || rules.holder().empty()) return;
    announced = rules.holder();
    callbacks.post([notify = callbacks.new_leader, identity = announced] { notify(identity); });
  }

  // Counted from before the request was sent: the server's clock of the Lease cannot have started
  // later.
  void renewed(TimePoint begin) { last_renewal = begin.time_since_epoch().count(); }

  void tell_outvoted() {
    if (!rules.outvoted() || std::exchange(logged_outvoted, true)) return;
    callbacks.post([notify = callbacks.outvoted, identity = rules.lease()->preferred_holder] {
      notify(identity);
    });
  }

  // The record that takes or renews the Lease.
  [[nodiscard]] LeaseRecord next_record() const {
    return coordinated && !is_leader ? rules.accept(clock.wall()) : rules.claim(clock.wall());
  }

  // It is there for this process to take.
  [[nodiscard]] bool within_reach() const {
    if (coordinated) return rules.holds() && !rules.outvoted();
    return rules.holder().empty() || rules.holds();
  }

  // May write it as it was seen last; otherwise why not.
  [[nodiscard]] Status may_write(TimePoint now) const {
    if (logged_restored) return {Code::failed_precondition, rules.restored()};
    const bool ours = is_leader && rules.holds();
    if (ours || (coordinated ? within_reach() : rules.may_take(now))) return {};
    std::string why = "the Lease is held by " + rules.holder();
    if (coordinated && (rules.holder().empty() || rules.expired(now))) {
      why = "the API server's coordinator has to name the holder of the Lease";
    }
    return {Code::failed_precondition, std::move(why)};
  }

  asio::awaitable<Status> write(std::string body, bool create) {
    write_unanswered = true;
    Result<Lease> written = Status(Code::internal, "not written");
    if (create) {
      written = co_await client->create(std::move(body));
    } else {
      written = co_await client->update(std::move(body));
    }
    const Code code = written.status().code();
    write_unanswered = code == Code::cancelled || code == Code::deadline_exceeded ||
                       code == Code::unavailable || code == Code::unknown;
    if (!written.ok()) co_return written.status();
    observe(std::move(*written), clock.now());
    co_return Status();
  }

  // Takes or renews the Lease as it was seen last, or makes it. `begin`: before that look at it.
  asio::awaitable<Status> write_next(TimePoint begin, bool create) {
    std::string body =
        create ? new_lease(options.namespace_name, options.name, next_record(), annotations())
               : updated_lease(*rules.lease(), next_record(), annotations());
    const Status status = co_await write(std::move(body), create);
    if (status.ok()) renewed(begin);
    co_return status;
  }

  // One attempt to take or keep the Lease (HOST-112). Ok = it is ours.
  asio::awaitable<Status> attempt() {
    const TimePoint begin = clock.now();
    if (rules.may_renew_unread(begin) && may_write(begin).ok()) {
      const Status status = co_await write_next(begin, false);
      if (status.ok()) co_return status;
    }
    // The watch has just shown it free: another candidate that saw it too makes this a conflict.
    if (chance && !coordinated && rules.lease() && rules.holder().empty()) {
      co_return co_await write_next(begin, false);
    }
    slow_paths.fetch_add(1, std::memory_order_relaxed);
    Result<Lease> seen = co_await client->get();
    const bool absent = !seen.ok() && seen.status().code() == Code::not_found;
    if (!seen.ok() && !absent) co_return seen.status().with_context("read the Lease");
    const TimePoint now = clock.now();
    if (absent) {
      rules.forget();
    } else {
      observe(std::move(*seen), now);
    }
    if (Status refused = may_write(now); !refused.ok()) co_return refused;
    co_return co_await write_next(now, absent);
  }

  // One attempt that stop() and the time limit may end early.
  asio::awaitable<Status> attempt_within(BootClock::duration time) {
    using asio::experimental::awaitable_operators::operator||;
    if (stopping) co_return Status(Code::cancelled, "the election ends");
    limit.expires_after(std::max(time, BootClock::duration(0)));
    auto outcome = co_await (attempt() || limit.async_wait(asio::as_tuple(asio::use_awaitable)));
    if (outcome.index() == 0) co_return std::get<0>(outcome);
    co_return Status(Code::deadline_exceeded, "no answer before the renew deadline");
  }

  // Returns why the Lease was lost; empty when it ends because of stopping.
  asio::awaitable<std::string> renew() {
    Status last;
    while (!stopping) {
      const auto left = std::chrono::duration_cast<milliseconds>(deadline() - clock.now());
      co_await pause(std::clamp(left, milliseconds(0), options.retry_period));
      if (stopping) break;
      if (clock.now() >= deadline()) {
        std::string reason = "it was not renewed within the renew deadline";
        if (!last.ok()) reason += ": " + last.message();
        co_return reason;
      }
      last = alive(true);
      if (last.ok()) last = co_await attempt_within(deadline() - clock.now());
      if (coordinated) tell_outvoted();
      if (!last.ok() && !stopping) {
        log::warning("Failed to renew the Lease", {{"lease", options.lease()}, {"err", last}});
        if (!rules.holds() && !rules.holder().empty()) {
          co_return "it was taken by " + rules.holder();
        }
      }
    }
    co_return std::string();
  }

  // A function of its own and not in a coroutine ("Coroutines and GCC 12" in
  // docs/provider-authors.md).
  void log_released() const { log::info("Released the Lease", {{"lease", options.lease()}}); }

  asio::awaitable<Status> release_once() {
    // A fresh read: never overwrite a successor (HOST-117).
    Result<Lease> seen = co_await client->get();
    if (!seen.ok()) co_return seen.status();
    observe(std::move(*seen), clock.now());
    if (!rules.holds()) co_return Status();
    std::string body = updated_lease(*rules.lease(), rules.release(clock.wall()));
    Status status = co_await write(std::move(body), false);
    if (status.ok()) log_released();
    co_return status;
  }

  // Without reading first when every write is answered. Otherwise, or after a conflict, with a
  // read: a renewal that stop() cut off may even arrive between the read and the write.
  asio::awaitable<Status> release_with_retries() {
    Status status(Code::aborted, "not tried");
    if (rules.holds() && !write_unanswered) {
      std::string body = updated_lease(*rules.lease(), rules.release(clock.wall()));
      status = co_await write(std::move(body), false);
      if (status.ok()) log_released();
    }
    for (int tries = 0; tries < 2 && status.code() == Code::aborted; ++tries) {
      status = co_await release_once();
    }
    co_return status;
  }

  asio::awaitable<void> release() {
    using asio::experimental::awaitable_operators::operator||;
    limit.expires_after(request_timeout(options));
    auto outcome =
        co_await (release_with_retries() || limit.async_wait(asio::as_tuple(asio::use_awaitable)));
    Status status(Code::deadline_exceeded, "no answer in time");
    if (outcome.index() == 0) status = std::get<0>(outcome);
    if (status.ok()) co_return;
    log::warning("Failed to release the Lease; a successor waits until it expires",
                 {{"lease", options.lease()}, {"err", status}});
  }

  asio::awaitable<void> run() {
    using asio::experimental::awaitable_operators::operator&&;
    if (candidate) coordinated = co_await candidate->enter();
    if (coordinated) {
      co_await (elect() && candidate->keep());
    } else {
      co_await elect();
    }
    io.stop();
  }

  asio::awaitable<void> elect() {
    co_await acquire();
    std::string lost;
    if (!stopping) {
      transitions = rules.lease()->record.lease_transitions;
      is_leader = true;
      callbacks.post(
          [notify = callbacks.started_leading, count = transitions.load()] { notify(count); });
      lost = co_await renew();
      is_leader = false;
    }
    if (!lost.empty()) {
      callbacks.lost(lost);  // not posted: a hung loop would never run it
    } else if (release_wanted) {
      // First, so that a coordinator looks for a successor among the others only.
      if (coordinated) co_await candidate->withdraw();
      if (rules.holds() || write_unanswered) co_await release();
    }
    if (candidate) candidate->stop();
  }

  // Any thread.
  void stop(bool release, std::function<void()> done) {
    asio::post(io, [this, release, done = std::move(done)]() mutable {
      release_wanted = release;
      released = std::move(done);
      stopping = true;  // here, so that no attempt begins between this and the cancellation
      wake.cancel();
      limit.cancel();
      if (candidate) candidate->stop();
    });
  }

  // How a candidate waits for the Lease. It watches the Lease, so that it sees a release at once,
  // wakes up when the holder's time is over, and reads the Lease when no event came for a while, so
  // that a dead or forbidden watch costs speed and nothing else.

  milliseconds spread(double low, double high) {
    const double factor = std::uniform_real_distribution<double>(low, high)(random);
    return std::chrono::duration_cast<milliseconds>(options.retry_period * factor);
  }

  // Restarts the wait, which lasts at most that many retry periods.
  void restart_wait(double low, double high) {
    event_wait = spread(low, high);
    waiting_again = true;
    limit.cancel();
  }

  // An event of the watch. False ends the watch: the Lease may be free.
  bool noticed(std::optional<Lease> lease) {
    if (lease) {
      observe(std::move(*lease), clock.now());
    } else {
      rules.forget();
    }
    watch_failures = 0;
    chance = !stopping && within_reach();
    // Never expires while a leader renews with every period: its events come earlier. A Lease that
    // is gone cannot be watched.
    if (!chance && rules.lease()) restart_wait(2.2, 3.2);
    if (!chance && !rules.lease()) restart_wait(0.0, 0.25);
    return !chance && !stopping && rules.lease();
  }

  void watch_failed(const Status& why) {
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

  asio::awaitable<void> follow() {
    while (!stopping && !chance && rules.lease()) {
      const std::string version = rules.lease()->resource_version;
      LeaseClient::Changed changed = [this](std::optional<Lease> lease) {
        return noticed(std::move(lease));
      };
      const Status ended = co_await client->watch(version, std::move(changed));
      if (chance || stopping || !rules.lease() || ended.code() == Code::cancelled) co_return;
      // The server ends every watch after some minutes, and then there were events.
      if (ended.ok() && rules.lease()->resource_version != version) continue;
      watch_failed(ended);
      co_return;
    }
  }

  // Until the holder's time or `event_wait` is over, whatever comes first.
  asio::awaitable<void> until_due() {
    do {
      waiting_again = false;
      BootClock::duration time = event_wait;
      const BootClock::duration left = rules.expiry() - clock.now();
      if (left > BootClock::duration(0)) time = std::min(time, left);
      limit.expires_after(time);
      co_await limit.async_wait(asio::as_tuple(asio::use_awaitable));
    } while (waiting_again && !stopping);
  }

  asio::awaitable<void> stand_by() {
    using asio::experimental::awaitable_operators::operator||;
    const bool watching = rules.lease() && clock.now() >= watch_not_before;
    if (watching) {
      const auto outcome = co_await (follow() || until_due());
      if (outcome.index() == 1 || chance || stopping) co_return;
    }
    if (!stopping) co_await until_due();
  }

  void log_failed_try(const Status& status) {
    if (status.message() == last_message) return;
    last_message = status.message();
    if (status.code() == Code::failed_precondition || status.code() == Code::aborted) {
      log::info("Standing by", {{"reason", last_message}});
    } else {
      log::warning("Failed to acquire the Lease", {{"lease", options.lease()}, {"err", status}});
    }
  }

  void warn_of_no_coordinator() {
    const TimePoint now = clock.now();
    if (rules.lease() && !rules.holder().empty() && !rules.expired(now)) {
      leaderless_since.reset();
    } else if (!leaderless_since) {
      leaderless_since = now;
    } else if (now - *leaderless_since > 2 * options.lease_duration &&
               !std::exchange(logged_leaderless, true)) {
      log::warning(
          "Nobody has named the holder of the Lease; kube-apiserver needs the feature gate "
          "CoordinatedLeaderElection, too",
          {{"lease", options.lease()}});
    }
  }

  // HOST-112, woken up earlier by the watch.
  asio::awaitable<void> acquire() {
    constexpr std::chrono::hours kNoLimit{1};  // each request has its own
    while (!stopping) {
      Status status = alive(false);
      if (status.ok()) status = co_await attempt_within(kNoLimit);
      // A late answer grants no leadership: renew first.
      if (status.ok() && clock.now() < deadline()) co_return;
      if (status.ok() || stopping) continue;
      log_failed_try(status);
      chance = false;
      // Another candidate was quicker: most likely the watch names it during this pause. Otherwise
      // it is the pause of candidates that poll; each event of a watch restarts it.
      const bool conflict = status.code() == Code::aborted || status.code() == Code::already_exists;
      event_wait = conflict ? spread(0.05, 0.25) : spread(1.0, 2.2);
      if (coordinated) {
        warn_of_no_coordinator();
        // A Lease that is not there cannot be watched, and its first holder has 5 s (HOST-153).
        if (!rules.lease()) event_wait = spread(0.25, 0.5);
      }
      co_await stand_by();
    }
  }

  const ElectionOptions options;
  const ElectionCallbacks callbacks;
  const Alive alive;  // a host with a hung loop must neither take nor keep the Lease
  const Clock& clock;

  boost::asio::io_context io{1};
  LeaseRules rules;
  boost::asio::steady_timer wake;   // ends a pause
  boost::asio::steady_timer limit;  // ends an attempt, or a standby's wait
  std::unique_ptr<LeaseClient> client;
  std::unique_ptr<LeaseCandidateKeeper> candidate;  // null: nobody coordinates
  bool coordinated = false;                         // the API server's coordinator names the holder
  bool logged_outvoted = false;
  std::atomic<bool> logged_restored{false};
  std::string announced;  // the last holder passed to new_leader
  std::minstd_rand random{std::random_device{}()};
  bool write_unanswered = false;  // the last write has no answer: it may have taken effect

  // A standby has these.
  bool chance = false;                        // the watch saw the Lease become free
  bool waiting_again = false;                 // the wait began again when `limit` was cancelled
  std::chrono::milliseconds event_wait{0};    // for an event; then the Lease is read
  int watch_failures = 0;                     // in a row
  TimePoint watch_not_before{};               // the next attempt to watch
  std::string last_message;                   // the last logged text
  std::optional<TimePoint> leaderless_since;  // since when no coordinator has named a holder
  bool logged_leaderless = false;

  std::atomic<bool> stopping{false};
  std::atomic<bool> release_wanted{false};
  std::function<void()> released;  // set before `stopping`
  std::atomic<bool> is_leader{false};
  std::atomic<BootClock::rep> last_renewal{0};  // when the request that succeeded was sent
  std::atomic<int64_t> transitions{0};
  std::atomic<uint64_t> slow_paths{0};
  std::thread thread;  // last: joined before the rest goes
};

LeaderElector::LeaderElector(ElectionOptions options, MakeLeaseClient factory,
                             ElectionCallbacks callbacks, Alive alive, const Clock& clock,
                             const MakeCandidateClient& candidates)
    : impl_(std::make_unique<Impl>(std::move(options), factory, std::move(callbacks),
                                   std::move(alive), clock, candidates)) {}

LeaderElector::~LeaderElector() {
  if (!impl_->thread.joinable()) return;
  impl_->stop(false, {});
  impl_->thread.join();
}

void LeaderElector::start() {
  net::spawn(impl_->io.get_executor(), impl_->run());
  impl_->thread = std::thread([impl = impl_.get()] {
    try {
      impl->io.run();
    } catch (const std::exception& fault) {
      impl->is_leader = false;
      impl->callbacks.lost(std::string("the election ended by an unexpected fault: ") +
                           fault.what());
    }
    if (impl->released) impl->released();
  });
}

void LeaderElector::release(std::function<void()> done) { impl_->stop(true, std::move(done)); }

bool LeaderElector::leading() const {
  return impl_->is_leader && !impl_->logged_restored && impl_->clock.now() < impl_->deadline();
}

int64_t LeaderElector::transitions() const { return impl_->transitions; }

uint64_t LeaderElector::slow_paths() const {
  return impl_->slow_paths.load(std::memory_order_relaxed);
}

Status LeaderElector::health() const {
  if (!impl_->is_leader) return {};
  const auto age = impl_->clock.now() - TimePoint(BootClock::duration(impl_->last_renewal.load()));
  if (age <= impl_->options.lease_duration + std::chrono::seconds(20)) return {};
  return Status(Code::unavailable, "holds the Lease but has not renewed it for " +
                                       std::to_string(age / std::chrono::seconds(1)) + " s");
}

}  // namespace ccm::election
