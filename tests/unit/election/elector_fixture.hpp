// One candidate on a Lease in memory, and what its tests wait for.
#pragma once

#include "election/leader_elector.hpp"
#include "fake_lease.hpp"
#include "fake_lease_candidate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ccm::election {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One candidate whose retries are quick while its lease times are judged by a clock turned by hand.
class Elector {
 public:
  Elector(FakeLease& lease, const Clock& clock, const std::string& identity,
          milliseconds retry_period = milliseconds(2), FakeLeaseCandidate* candidate = nullptr,
          seconds lease_duration = seconds(15))
      : elector_(
            options(identity, retry_period, lease_duration),
            [&lease](const auto&) { return std::make_unique<FakeLeaseClient>(lease); }, callbacks(),
            [this](bool holding) {
              ++heartbeats_asked;
              const bool fine = heartbeat_age.load() < seconds(10) || (holding && forgiven);
              return fine ? Status() : Status(Code::unavailable, "the loop hangs");
            },
            clock, candidates(candidate)) {
    elector_.start();
  }

  std::atomic<milliseconds> heartbeat_age{milliseconds(0)};
  std::atomic<int> heartbeats_asked{0};
  std::atomic<bool> forgiven{false};  // the stale heartbeat, for renewals

  LeaderElector& operator*() { return elector_; }
  LeaderElector* operator->() { return &elector_; }

  [[nodiscard]] bool await_leading() {
    return await([this] { return started_.has_value(); });
  }
  // The coordinator chose another one.
  [[nodiscard]] bool await_outvoted() {
    return await([this] { return !successor_.empty(); });
  }
  [[nodiscard]] std::string successor() const { return successor_; }
  [[nodiscard]] int times_outvoted() const { return times_outvoted_; }
  [[nodiscard]] bool await_lost() {
    return await([this] { return lost_.has_value(); });
  }
  [[nodiscard]] bool await_holder(const std::string& identity) {
    return await([&] { return holder_ == identity; });
  }
  [[nodiscard]] bool await_restored() {
    return await([this] { return !restored_.empty(); });
  }
  [[nodiscard]] std::string why_restored() const { return restored_; }
  // Gives the Lease back and waits until that is over.
  void release() {
    std::promise<void> over;
    elector_.release([&over] { over.set_value(); });
    ASSERT_EQ(over.get_future().wait_for(seconds(20)), std::future_status::ready);
  }
  [[nodiscard]] int64_t transitions() const { return started_.value_or(-1); }
  [[nodiscard]] std::string why_lost() const { return lost_.value_or(""); }
  [[nodiscard]] bool started() {
    const std::lock_guard lock(mutex_);
    return started_.has_value();
  }

 private:
  static ElectionOptions options(const std::string& identity, milliseconds retry_period,
                                 seconds lease_duration) {
    ElectionOptions options;
    options.identity = identity;
    options.lease_duration = lease_duration;
    options.renew_deadline = seconds(10);
    options.retry_period = retry_period;
    options.versions = {"1.2.3", "1.2.3"};
    return options;
  }
  static LeaderElector::MakeCandidateClient candidates(FakeLeaseCandidate* candidate) {
    if (candidate == nullptr) return {};
    return
        [candidate](const auto&) { return std::make_unique<FakeLeaseCandidateClient>(*candidate); };
  }

  ElectionCallbacks callbacks() {
    ElectionCallbacks result;
    result.post = [this](const std::function<void()>& fn) {
      const std::lock_guard lock(mutex_);
      fn();
      changed_.notify_all();
    };
    result.started_leading = [this](int64_t transitions) { started_ = transitions; };
    result.lost = [this](const std::string& reason) {
      const std::lock_guard lock(mutex_);
      lost_ = reason;
      changed_.notify_all();
    };
    result.restored = [this](const std::string& reason) {
      const std::lock_guard lock(mutex_);
      restored_ = reason;
      changed_.notify_all();
    };
    result.outvoted = [this](const std::string& identity) {
      successor_ = identity;
      ++times_outvoted_;
    };
    result.new_leader = [this](const std::string& identity) { holder_ = identity; };
    return result;
  }

  template <typename Condition>
  bool await(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(20), condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<int64_t> started_;
  std::optional<std::string> lost_;
  std::string holder_;
  std::string successor_;
  std::string restored_;
  int times_outvoted_ = 0;
  LeaderElector elector_;
};

inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 20'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return false;
}

inline LeaseRecord held_by(const std::string& holder) {
  LeaseRecord record;
  record.holder_identity = holder;
  record.lease_duration = seconds(15);
  record.lease_transitions = 7;
  return record;
}

}  // namespace ccm::election
