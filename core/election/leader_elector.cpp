#include "election/leader_elector.hpp"

#include "base/log.hpp"
#include "election/leader_elector_impl.hpp"
#include "net/coroutines.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace ccm::election {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using TimePoint = BootClock::time_point;

namespace {

CandidacyOptions candidacy_options(const ElectionOptions& election) {
  CandidacyOptions options;
  options.names = {{}, election.namespace_name, election.identity, election.name};
  options.versions = election.versions;
  options.retry_period = election.retry_period;
  return options;
}

}  // namespace

LeaderElector::Impl::Impl(ElectionOptions given, const MakeLeaseClient& factory,
                          ElectionCallbacks notify, Alive host_alive, const Clock& time,
                          const MakeCandidateClient& candidates)
    : options(std::move(given)),
      callbacks(std::move(notify)),
      alive(std::move(host_alive)),
      clock(time),
      candidate(options.identity, std::chrono::ceil<std::chrono::seconds>(options.lease_duration)),
      wake(io),
      limit(io),
      client(factory(io.get_executor())) {
  if (!candidates) return;
  candidacy = std::make_unique<Candidacy>(
      io.get_executor(), candidacy_options(options), candidates(io.get_executor()),
      [this] { return alive(is_leader); }, clock);
}

asio::awaitable<void> LeaderElector::Impl::pause(milliseconds time) {
  if (stopping) co_return;
  wake.expires_after(time);
  boost::system::error_code ignored;
  co_await wake.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void LeaderElector::Impl::observe(Lease lease, TimePoint now) {
  candidate.observe(std::move(lease), now);
  if (!candidate.set_back().empty() && !told_set_back.exchange(true)) {
    callbacks.set_back(candidate.set_back());
  }
  if (candidate.holder() == announced || candidate.holder().empty()) return;
  announced = candidate.holder();
  callbacks.post([notify = callbacks.new_leader, identity = announced] { notify(identity); });
}

// Counted from before the request was sent: the server's clock of the Lease cannot have started
// later.
void LeaderElector::Impl::renewed(TimePoint begin) {
  last_renewal = begin.time_since_epoch().count();
}

void LeaderElector::Impl::tell_outvoted() {
  if (!candidate.outvoted() || std::exchange(told_outvoted, true)) return;
  callbacks.post([notify = callbacks.outvoted, identity = candidate.lease()->preferred_holder] {
    notify(identity);
  });
}

LeaseRecord LeaderElector::Impl::next_record() const {
  return coordinated && !is_leader ? candidate.accept(clock.wall()) : candidate.claim(clock.wall());
}

bool LeaderElector::Impl::within_reach() const {
  if (coordinated) return candidate.holds() && !candidate.outvoted();
  return candidate.holder().empty() || candidate.holds();
}

Status LeaderElector::Impl::may_write(TimePoint now) const {
  if (told_set_back) return {Code::failed_precondition, candidate.set_back()};
  const bool ours = is_leader && candidate.holds();
  if (ours || (coordinated ? within_reach() : candidate.may_take(now))) return {};
  std::string why = "the Lease is held by " + candidate.holder();
  if (coordinated && (candidate.holder().empty() || candidate.expired(now))) {
    why = "the API server's coordinator has to name the holder of the Lease";
  }
  return {Code::failed_precondition, std::move(why)};
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

// One attempt to take or keep the Lease (HOST-112). Ok = it is ours.
asio::awaitable<Status> LeaderElector::Impl::attempt() {
  const TimePoint begin = clock.now();
  if (candidate.may_renew_unread(begin) && may_write(begin).ok()) {
    std::string body = updated_lease(*candidate.lease(), next_record());
    const Status status = co_await write(std::move(body), false);
    if (status.ok()) {
      renewed(begin);
      co_return Status();
    }
  }
  // The watch has just shown it free: another candidate that saw it too makes this a conflict.
  if (chance && !coordinated && candidate.lease() && candidate.holder().empty()) {
    std::string body = updated_lease(*candidate.lease(), next_record());
    const Status status = co_await write(std::move(body), false);
    if (status.ok()) renewed(begin);
    co_return status;
  }
  slow_paths.fetch_add(1, std::memory_order_relaxed);
  Result<Lease> seen = co_await client->get();
  const bool absent = !seen.ok() && seen.status().code() == Code::not_found;
  if (!seen.ok() && !absent) co_return seen.status().with_context("read the Lease");
  const TimePoint now = clock.now();
  std::string body;
  if (absent) {
    candidate.forget();
    if (Status refused = may_write(now); !refused.ok()) co_return refused;
    body = new_lease(options.namespace_name, options.name, next_record());
  } else {
    observe(std::move(*seen), now);
    if (Status refused = may_write(now); !refused.ok()) co_return refused;
    body = updated_lease(*candidate.lease(), next_record());
  }
  const Status status = co_await write(std::move(body), absent);
  if (status.ok()) renewed(now);
  co_return status;
}

// One attempt that stop() and the time limit may end early.
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
    last = alive(true);
    if (last.ok()) last = co_await attempt_within(deadline() - clock.now());
    if (coordinated) tell_outvoted();
    if (!last.ok() && !stopping) {
      log::warning("Failed to renew the Lease", {{"lease", options.lease()}, {"err", last}});
      if (!candidate.holds() && !candidate.holder().empty()) {
        std::string reason = "it was taken by " + candidate.holder();
        co_return reason;
      }
    }
  }
  co_return std::string();
}

// A function of its own and not in a coroutine ("Coroutines and GCC 12" in
// docs/provider-authors.md).
void LeaderElector::Impl::log_released() const {
  log::info("Released the Lease", {{"lease", options.lease()}});
}

asio::awaitable<Status> LeaderElector::Impl::give_back_once() {
  // A fresh read: never overwrite a successor (HOST-117).
  Result<Lease> seen = co_await client->get();
  if (!seen.ok()) co_return seen.status();
  observe(std::move(*seen), clock.now());
  if (!candidate.holds()) co_return Status();
  std::string body = updated_lease(*candidate.lease(), candidate.release(clock.wall()));
  Status status = co_await write(std::move(body), false);
  if (status.ok()) log_released();
  co_return status;
}

// Without reading first when nothing is in doubt. Otherwise, or after a conflict, with a read: a
// renewal that stop() cut off may even arrive between the read and the write.
asio::awaitable<Status> LeaderElector::Impl::give_back_repeatedly() {
  Status status(Code::aborted, "not tried");
  if (candidate.holds() && !write_in_doubt) {
    std::string body = updated_lease(*candidate.lease(), candidate.release(clock.wall()));
    status = co_await write(std::move(body), false);
    if (status.ok()) log_released();
  }
  for (int tries = 0; tries < 2 && status.code() == Code::aborted; ++tries) {
    status = co_await give_back_once();
  }
  co_return status;
}

asio::awaitable<void> LeaderElector::Impl::give_back() {
  using asio::experimental::awaitable_operators::operator||;
  boost::system::error_code ignored;
  limit.expires_after(request_timeout(options));
  auto outcome = co_await (give_back_repeatedly() ||
                           limit.async_wait(asio::redirect_error(asio::use_awaitable, ignored)));
  Status status(Code::deadline_exceeded, "no answer in time");
  if (outcome.index() == 0) status = std::get<0>(outcome);
  if (status.ok()) co_return;
  log::warning("Failed to release the Lease; a successor waits until it expires",
               {{"lease", options.lease()}, {"err", status}});
}

asio::awaitable<void> LeaderElector::Impl::run() {
  using asio::experimental::awaitable_operators::operator&&;
  if (candidacy) coordinated = co_await candidacy->enter();
  if (coordinated) {
    co_await (elect() && candidacy->keep());
  } else {
    co_await elect();
  }
  io.stop();
}

asio::awaitable<void> LeaderElector::Impl::elect() {
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
    callbacks.lost(lost);  // not posted: a hung loop would never run it
  } else if (release_wanted) {
    // First, so that a coordinator looks for a successor among the others only.
    if (coordinated) co_await candidacy->withdraw();
    if (candidate.holds() || write_in_doubt) co_await give_back();
  }
  if (candidacy) candidacy->stop();
}

void LeaderElector::Impl::stop(bool release, std::function<void()> done) {
  asio::post(io, [this, release, done = std::move(done)]() mutable {
    release_wanted = release;
    released = std::move(done);
    stopping = true;  // here, so that no attempt begins between this and the cancellation
    wake.cancel();
    limit.cancel();
    if (candidacy) candidacy->stop();
  });
}

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
  return impl_->is_leader && !impl_->told_set_back && impl_->clock.now() < impl_->deadline();
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
