#include "election/leader_elector.hpp"

#include "base/log.hpp"
#include "election/candidate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <utility>

namespace ccm::election {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using TimePoint = BootClock::time_point;

Result<std::string> new_identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') {
    return Status(Code::failed_precondition,
                  "this machine has no host name, which the identity of the Lease needs; set one");
  }
  std::random_device random;
  std::array<uint32_t, 4> words{};
  for (auto& word : words) word = random();
  words[1] = (words[1] & 0xffff0fffu) | 0x4000u;      // version 4
  words[2] = (words[2] & 0x3fffffffu) | 0x80000000u;  // RFC 9562 variant
  std::array<char, 40> uuid{};
  std::snprintf(uuid.data(), uuid.size(), "%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16,
                words[1] & 0xffff, words[2] >> 16, words[2] & 0xffff, words[3]);
  return std::string(host.data()) + "_" + uuid.data();
}

Status validate(const ElectionOptions& options) {
  const auto wrong = [](std::string message) {
    return Status(Code::invalid_argument, std::move(message));
  };
  if (options.retry_period <= milliseconds(0) || options.renew_deadline <= milliseconds(0) ||
      options.lease_duration < std::chrono::seconds(1)) {
    return wrong(
        "--leader-elect-retry-period and --leader-elect-renew-deadline must be above 0, "
        "--leader-elect-lease-duration at least 1s");
  }
  if (options.lease_duration <= options.renew_deadline) {
    return wrong("--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline");
  }
  if (options.renew_deadline * 10 <= options.retry_period * 12) {
    return wrong(
        "--leader-elect-renew-deadline must be more than 1.2 times "
        "--leader-elect-retry-period");
  }
  return {};
}

milliseconds request_timeout(const ElectionOptions& options) {
  return std::max(milliseconds(1'000), options.renew_deadline / 2);
}

struct LeaderElector::Impl {
  Impl(ElectionOptions given, ClientFactory factory, ElectionCallbacks notify,
       std::function<milliseconds()> age, const Clock& time)
      : options(std::move(given)),
        callbacks(std::move(notify)),
        heartbeat_age(std::move(age)),
        clock(time),
        candidate(options.identity,
                  std::chrono::ceil<std::chrono::seconds>(options.lease_duration)),
        wake(io),
        limit(io),
        client(factory(io.get_executor())) {}

  asio::awaitable<void> run();
  asio::awaitable<void> acquire();
  asio::awaitable<std::string> renew();
  asio::awaitable<Status> attempt();
  asio::awaitable<Status> attempt_within(BootClock::duration time);
  asio::awaitable<Status> write(std::string body, bool create);
  asio::awaitable<void> give_back();
  asio::awaitable<Status> give_back_once();
  asio::awaitable<Status> give_back_twice();
  asio::awaitable<void> pause(milliseconds time);

  void stop(bool release);
  [[nodiscard]] Status check_heartbeat() const;
  [[nodiscard]] milliseconds standby_pause();

  void observe(Lease lease, TimePoint now);
  void renewed(TimePoint begin);
  [[nodiscard]] TimePoint deadline() const {
    return TimePoint(BootClock::duration(last_renewal.load())) + options.renew_deadline;
  }

  const ElectionOptions options;
  const ElectionCallbacks callbacks;
  const std::function<milliseconds()> heartbeat_age;
  const Clock& clock;

  asio::io_context io{1};
  Candidate candidate;
  asio::steady_timer wake;   // ends a pause
  asio::steady_timer limit;  // ends a try
  std::unique_ptr<LeaseClient> client;
  std::string announced;  // the holder that new_leader told last
  std::minstd_rand random{std::random_device{}()};

  bool write_in_doubt = false;  // the last write has no answer: it may have taken effect

  std::atomic<bool> stopping{false};
  std::atomic<bool> release_wanted{false};
  std::atomic<bool> is_leader{false};
  std::atomic<BootClock::rep> last_renewal{0};  // when the request that succeeded was sent
  std::atomic<int64_t> transitions{0};
  std::atomic<uint64_t> slow_paths{0};
  std::thread thread;  // last: joined before the rest goes
};

asio::awaitable<void> LeaderElector::Impl::pause(milliseconds time) {
  if (stopping) co_return;
  wake.expires_after(time);
  boost::system::error_code ignored;
  co_await wake.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void LeaderElector::Impl::observe(Lease lease, TimePoint now) {
  candidate.observe(std::move(lease), now);
  if (candidate.holder() == announced || candidate.holder().empty()) return;
  announced = candidate.holder();
  callbacks.post([notify = callbacks.new_leader, identity = announced] { notify(identity); });
}

// Counted from before the request was sent: the server's clock of the Lease cannot have started
// later.
void LeaderElector::Impl::renewed(TimePoint begin) {
  last_renewal = begin.time_since_epoch().count();
}

asio::awaitable<Status> LeaderElector::Impl::write(std::string body, bool create) {
  write_in_doubt = true;
  Result<Lease> written = Status(Code::internal, "not written");
  if (create) {
    written = co_await client->create(std::move(body));
  } else {
    written = co_await client->update(std::move(body));
  }
  const Code code = written.status().code();
  write_in_doubt = code == Code::cancelled || code == Code::deadline_exceeded ||
                   code == Code::unavailable || code == Code::unknown;
  if (!written.ok()) co_return written.status();
  observe(std::move(*written), clock.now());
  co_return Status();
}

// One try to take or keep the Lease (HOST-112). Ok = it is ours.
asio::awaitable<Status> LeaderElector::Impl::attempt() {
  const TimePoint begin = clock.now();
  if (candidate.may_renew_unread(begin)) {
    std::string body = updated_lease(*candidate.lease(), candidate.claim(clock.wall()));
    const Status status = co_await write(std::move(body), false);
    if (status.ok()) {
      renewed(begin);
      co_return Status();
    }
  }
  slow_paths.fetch_add(1, std::memory_order_relaxed);
  Result<Lease> seen = co_await client->get();
  const bool absent = !seen.ok() && seen.status().code() == Code::not_found;
  if (!seen.ok() && !absent) co_return seen.status().with_context("read the Lease");
  const TimePoint now = clock.now();
  std::string body;
  if (absent) {
    candidate.forget();
    body = new_lease(options.namespace_name, options.name, candidate.claim(clock.wall()));
  } else {
    observe(std::move(*seen), now);
    if (!candidate.may_take(now)) {
      co_return Status(Code::failed_precondition, "the Lease is held by " + candidate.holder());
    }
    body = updated_lease(*candidate.lease(), candidate.claim(clock.wall()));
  }
  const Status status = co_await write(std::move(body), absent);
  if (status.ok()) renewed(now);
  co_return status;
}

// One try that stop() and the time limit may end early.
asio::awaitable<Status> LeaderElector::Impl::attempt_within(BootClock::duration time) {
  using asio::experimental::awaitable_operators::operator||;
  if (stopping) co_return Status(Code::cancelled, "the election ends");
  boost::system::error_code ignored;
  limit.expires_after(std::max(time, BootClock::duration(0)));
  auto outcome =
      co_await (attempt() || limit.async_wait(asio::redirect_error(asio::use_awaitable, ignored)));
  if (outcome.index() == 0) co_return std::get<0>(outcome);
  co_return Status(Code::deadline_exceeded, "no answer before the renew deadline");
}

// A host whose loop hangs must neither take nor keep the Lease.
Status LeaderElector::Impl::check_heartbeat() const {
  const milliseconds age = heartbeat_age();
  if (age < options.renew_deadline) return {};
  return Status(Code::unavailable,
                "the host's loop has not been alive for " + std::to_string(age.count()) + " ms");
}

// HOST-112; but not much longer than until the Lease expires, so that the work goes on soon.
milliseconds LeaderElector::Impl::standby_pause() {
  const auto spread = [this](double low, double high) {
    const double factor = std::uniform_real_distribution<double>(low, high)(random);
    return std::chrono::duration_cast<milliseconds>(options.retry_period * factor);
  };
  const milliseconds usual = spread(1.0, 2.2);
  const auto left = std::chrono::ceil<milliseconds>(candidate.expiry() - clock.now());
  return left > milliseconds(0) ? std::min(usual, left + spread(0.0, 0.1)) : usual;
}

asio::awaitable<void> LeaderElector::Impl::acquire() {
  constexpr std::chrono::hours kNoLimit{1};  // each request has its own
  std::string last_message;
  while (!stopping) {
    Status status = check_heartbeat();
    if (status.ok()) status = co_await attempt_within(kNoLimit);
    // An answer that came too late is no leadership: renew first.
    if (status.ok() && clock.now() < deadline()) co_return;
    if (status.ok() || stopping) continue;
    if (status.message() != last_message) {
      last_message = status.message();
      if (status.code() == Code::failed_precondition) {
        log::info("standing by", {{"reason", last_message}});
      } else {
        log::warning("failed to acquire the Lease", {{"lease", options.name}, {"err", status}});
      }
    }
    co_await pause(standby_pause());
  }
}

// Returns why the Lease was lost; empty when it ends because of stopping.
asio::awaitable<std::string> LeaderElector::Impl::renew() {
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
    last = check_heartbeat();
    if (last.ok()) last = co_await attempt_within(deadline() - clock.now());
    if (!last.ok() && !stopping) {
      log::warning("failed to renew the Lease", {{"lease", options.name}, {"err", last}});
      if (!candidate.holds() && !candidate.holder().empty()) {
        std::string reason = "it was taken by " + candidate.holder();
        co_return reason;
      }
    }
  }
  co_return std::string();
}

asio::awaitable<Status> LeaderElector::Impl::give_back_once() {
  // A fresh read: never overwrite a successor (HOST-117).
  Result<Lease> seen = co_await client->get();
  if (!seen.ok()) co_return seen.status();
  observe(std::move(*seen), clock.now());
  if (!candidate.holds()) co_return Status();
  std::string body = updated_lease(*candidate.lease(), candidate.release(clock.wall()));
  Status status = co_await write(std::move(body), false);
  if (status.ok()) log::info("released the Lease", {{"lease", options.name}});
  co_return status;
}

// A renewal that stop() cut off may arrive between the read and the write.
asio::awaitable<Status> LeaderElector::Impl::give_back_twice() {
  Status status = co_await give_back_once();
  if (status.code() == Code::aborted) status = co_await give_back_once();
  co_return status;
}

asio::awaitable<void> LeaderElector::Impl::give_back() {
  using asio::experimental::awaitable_operators::operator||;
  boost::system::error_code ignored;
  limit.expires_after(request_timeout(options));
  auto outcome = co_await (give_back_twice() ||
                           limit.async_wait(asio::redirect_error(asio::use_awaitable, ignored)));
  Status status(Code::deadline_exceeded, "no answer in time");
  if (outcome.index() == 0) status = std::get<0>(outcome);
  if (status.ok()) co_return;
  log::warning("failed to release the Lease; a successor waits until it expires",
               {{"lease", options.name}, {"err", status}});
}

asio::awaitable<void> LeaderElector::Impl::run() {
  co_await acquire();
  std::string lost;
  if (!stopping) {
    transitions = candidate.lease()->record.lease_transitions;
    is_leader = true;
    callbacks.post(
        [notify = callbacks.started_leading, count = transitions.load()] { notify(count); });
    lost = co_await renew();
    is_leader = false;
  }
  if (!lost.empty()) {
    callbacks.post([notify = callbacks.stopped_leading, lost] { notify(lost); });
  } else if (release_wanted && (candidate.holds() || write_in_doubt)) {
    co_await give_back();
  }
  io.stop();
}

void LeaderElector::Impl::stop(bool release) {
  release_wanted = release;
  asio::post(io, [this] {
    stopping = true;  // here, so that no try begins between this and the cancellation
    wake.cancel();
    limit.cancel();
  });
  if (thread.joinable()) thread.join();
}

LeaderElector::LeaderElector(ElectionOptions options, ClientFactory factory,
                             ElectionCallbacks callbacks,
                             std::function<milliseconds()> heartbeat_age, const Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(factory), std::move(callbacks),
                                   std::move(heartbeat_age), clock)) {}

LeaderElector::~LeaderElector() {
  if (impl_->thread.joinable()) impl_->stop(false);
}

void LeaderElector::start() {
  asio::co_spawn(impl_->io, impl_->run(), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);  // a bug: end the process rather than lead for ever
  });
  impl_->thread = std::thread([impl = impl_.get()] { impl->io.run(); });
}

void LeaderElector::release() { impl_->stop(true); }

bool LeaderElector::leading() const {
  return impl_->is_leader && impl_->clock.now() < impl_->deadline();
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
