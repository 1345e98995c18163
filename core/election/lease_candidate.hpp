// Keeps this process's LeaseCandidate while it takes part in an election that the API server
// coordinates (KEP-4355): makes it, answers the coordinator's questions, and removes it at the end.
// Home thread: the election's.
#pragma once

#include "base/clock.hpp"
#include "election/lease.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace ccm::election {

struct LeaseCandidateOptions {
  CandidateNames names;  // all but the apiVersion
  CandidateVersions versions;
  std::chrono::milliseconds retry_period{2'000};
  // Without a question the candidate tells this often that it is there (HOST-152).
  std::chrono::milliseconds renew_period{300'000};
};

class LeaseCandidateKeeper {
 public:
  // A host whose loop hangs does not answer the coordinator.
  using Alive = std::function<Status()>;

  // `clock` must outlive this object.
  LeaseCandidateKeeper(const boost::asio::any_io_executor& executor, LeaseCandidateOptions options,
                       std::unique_ptr<LeaseCandidateClient> client, Alive alive,
                       const Clock& clock);

  // Makes the LeaseCandidate, until that succeeds. False: the API server has none, or stop() came.
  boost::asio::awaitable<bool> enter();
  // Answers until stop(). After enter().
  boost::asio::awaitable<void> keep();
  // Removes it, so that a coordinator does not wait for the answer of a process that has ended.
  boost::asio::awaitable<void> withdraw();
  // Ends enter() and keep() soon.
  void stop();

 private:
  using TimePoint = BootClock::time_point;

  boost::asio::awaitable<Status> create();
  boost::asio::awaitable<Status> observe();
  boost::asio::awaitable<Status> answer();
  boost::asio::awaitable<Status> until_asked();
  boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
  void answered(LeaseCandidate candidate, TimePoint begin);
  void log_failure(const char* message, const Status& why);
  void log_plain() const;

  LeaseCandidateOptions options_;
  std::unique_ptr<LeaseCandidateClient> client_;
  Alive alive_;
  const Clock& clock_;
  boost::asio::steady_timer wake_;
  LeaseCandidate candidate_;   // the last that was seen
  std::string answered_ping_;  // the question that was answered last
  TimePoint due_{};            // when the next answer without a question is
  std::string last_failure_;
  bool stopping_ = false;
};

}  // namespace ccm::election
