#include "election/lease_candidate.hpp"

#include "base/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace ccm::election {

namespace asio = boost::asio;
using std::chrono::milliseconds;

LeaseCandidateKeeper::LeaseCandidateKeeper(const asio::any_io_executor& executor,
                                           LeaseCandidateOptions options,
                                           std::unique_ptr<LeaseCandidateClient> client,
                                           Alive alive, const Clock& clock)
    : options_(std::move(options)),
      client_(std::move(client)),
      alive_(std::move(alive)),
      clock_(clock),
      wake_(executor) {}

asio::awaitable<void> LeaseCandidateKeeper::pause(milliseconds time) {
  if (stopping_) co_return;
  wake_.expires_after(time);
  co_await wake_.async_wait(asio::as_tuple(asio::use_awaitable));
}

void LeaseCandidateKeeper::stop() {
  stopping_ = true;
  wake_.cancel();
}

// Functions of their own and not in a coroutine ("Coroutines and GCC 12" in
// docs/provider-authors.md).
void LeaseCandidateKeeper::log_failure(const char* message, const Status& why) {
  if (why.message() == last_failure_) return;
  last_failure_ = why.message();
  log::warning(message,
               {{"leaseCandidate", options_.names.namespace_name + "/" + options_.names.name},
                {"err", why}});
}

void LeaseCandidateKeeper::log_plain() const {
  log::info("The API server has no LeaseCandidates, so nobody coordinates the election",
            {{"lease", options_.names.namespace_name + "/" + options_.names.lease}});
}

void LeaseCandidateKeeper::answered(LeaseCandidate candidate, TimePoint begin) {
  candidate_ = std::move(candidate);
  answered_ping_ = candidate_.ping_time;
  due_ = begin + options_.renew_period;
  last_failure_.clear();
}

asio::awaitable<Status> LeaseCandidateKeeper::create() {
  const TimePoint begin = clock_.now();
  std::string body = new_lease_candidate(options_.names, options_.versions, clock_.wall());
  Result<LeaseCandidate> made = co_await client_->create(std::move(body));
  if (made.ok()) {
    answered(std::move(*made), begin);
    co_return Status();
  }
  // A lost answer: the name holds a UUID, so it is ours.
  if (made.status().code() == Code::already_exists) co_return co_await observe();
  co_return made.status();
}

asio::awaitable<bool> LeaseCandidateKeeper::enter() {
  while (!stopping_) {
    Result<std::string> version = co_await client_->find_version();
    if (!version.ok() && version.status().code() == Code::not_found) {
      log_plain();
      co_return false;
    }
    Status status = version.status();
    if (status.ok()) {
      options_.names.api_version = *version;
      status = co_await create();
    }
    if (status.ok()) co_return !stopping_;
    log_failure("Failed to make the LeaseCandidate; without one this process never leads", status);
    co_await pause(options_.retry_period);
  }
  co_return false;
}

// Reads it, and answers when the coordinator has asked or the time has come.
asio::awaitable<Status> LeaseCandidateKeeper::observe() {
  Result<LeaseCandidate> seen = co_await client_->get();
  if (!seen.ok()) {
    // Somebody removed it, as the coordinator does with old ones.
    if (seen.status().code() == Code::not_found && !stopping_) co_return co_await create();
    co_return seen.status();
  }
  candidate_ = std::move(*seen);
  if (candidate_.ping_time == answered_ping_ && clock_.now() < due_) co_return Status();
  co_return co_await answer();
}

asio::awaitable<Status> LeaseCandidateKeeper::answer() {
  if (Status status = alive_(); !status.ok()) co_return status;
  const TimePoint begin = clock_.now();
  std::string body = renewed_lease_candidate(candidate_, clock_.wall());
  Result<LeaseCandidate> written = co_await client_->update(std::move(body));
  if (!written.ok()) co_return written.status();
  answered(std::move(*written), begin);
  co_return Status();
}

// Ok: there is a question, the time has come, or the watch came to its end.
asio::awaitable<Status> LeaseCandidateKeeper::until_asked() {
  using asio::experimental::awaitable_operators::operator||;
  const auto left = std::chrono::duration_cast<milliseconds>(due_ - clock_.now());
  LeaseCandidateClient::Changed changed = [this](const std::optional<LeaseCandidate>& seen) {
    if (seen) candidate_.resource_version = seen->resource_version;
    return seen && seen->ping_time == answered_ping_ && !stopping_;
  };
  std::string version = candidate_.resource_version;
  auto outcome = co_await (client_->watch(std::move(version), std::move(changed)) ||
                           pause(std::max(left, milliseconds(0))));
  if (outcome.index() == 1) co_return Status();
  co_return std::get<0>(outcome);
}

// A watch that breaks, or is forbidden, leaves a read at each retry period: the coordinator waits
// longer than that (HOST-153).
asio::awaitable<void> LeaseCandidateKeeper::keep() {
  bool again = false;  // the last answer failed
  while (!stopping_) {
    Status watched;
    if (!again) watched = co_await until_asked();
    if (stopping_) co_return;
    const Status status = co_await observe();
    if (stopping_) co_return;
    again = !status.ok();
    if (!status.ok() && status.code() != Code::aborted) {
      log_failure("Failed to renew the LeaseCandidate", status);
    }
    if (again || !watched.ok()) co_await pause(options_.retry_period);
  }
}

asio::awaitable<void> LeaseCandidateKeeper::withdraw() {
  using asio::experimental::awaitable_operators::operator||;
  constexpr milliseconds kLimit{1'000};
  asio::steady_timer limit(wake_.get_executor(), kLimit);
  auto outcome =
      co_await (client_->remove() || limit.async_wait(asio::as_tuple(asio::use_awaitable)));
  Status status(Code::deadline_exceeded, "no answer in time");
  if (outcome.index() == 0) status = std::get<0>(outcome);
  if (status.ok() || status.code() == Code::not_found) co_return;
  log_failure("Failed to delete the LeaseCandidate; the coordinator gives it some seconds", status);
}

}  // namespace ccm::election
