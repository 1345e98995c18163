// Internals of LeaderElector: taking and keeping the Lease (leader_elector.cpp), waiting for it
// (standby.cpp). Everything runs on the election's thread unless stated otherwise.
#pragma once

#include "election/candidacy.hpp"
#include "election/candidate.hpp"
#include "election/leader_elector.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

namespace ccm::election {

struct LeaderElector::Impl {
  using TimePoint = BootClock::time_point;

  Impl(ElectionOptions given, const MakeLeaseClient& factory, ElectionCallbacks notify,
       Alive host_alive, const Clock& time, const MakeCandidateClient& candidates);

  // leader_elector.cpp
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> elect();
  boost::asio::awaitable<std::string> renew();
  boost::asio::awaitable<Status> attempt();
  boost::asio::awaitable<Status> attempt_within(BootClock::duration time);
  boost::asio::awaitable<Status> write(std::string body, bool create);
  boost::asio::awaitable<void> give_back();
  boost::asio::awaitable<Status> give_back_once();
  boost::asio::awaitable<Status> give_back_repeatedly();
  boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
  void stop(bool release, std::function<void()> done);  // any thread
  void observe(Lease lease, TimePoint now);
  void tell_outvoted();
  // The record that takes or renews the Lease.
  [[nodiscard]] LeaseRecord next_record() const;
  // May write it as it was seen last; otherwise why not.
  [[nodiscard]] Status may_write(TimePoint now) const;
  // It is there for this process to take.
  [[nodiscard]] bool within_reach() const;
  void renewed(TimePoint begin);
  void log_released() const;
  [[nodiscard]] TimePoint deadline() const {
    return TimePoint(BootClock::duration(last_renewal.load())) + options.renew_deadline;
  }

  // standby.cpp
  boost::asio::awaitable<void> acquire();
  boost::asio::awaitable<void> stand_by();
  boost::asio::awaitable<void> follow();
  boost::asio::awaitable<void> until_due();
  bool noticed(std::optional<Lease> lease);
  void watch_failed(const Status& why);
  void restart_wait(double low, double high);
  void log_failed_try(const Status& status);
  void warn_of_no_coordinator();
  std::chrono::milliseconds spread(double low, double high);

  const ElectionOptions options;
  const ElectionCallbacks callbacks;
  const Alive alive;  // a host with a hung loop must neither take nor keep the Lease
  const Clock& clock;

  boost::asio::io_context io{1};
  Candidate candidate;
  boost::asio::steady_timer wake;   // ends a pause
  boost::asio::steady_timer limit;  // ends an attempt, or a standby's wait
  std::unique_ptr<LeaseClient> client;
  std::unique_ptr<Candidacy> candidacy;  // null: nobody coordinates
  bool coordinated = false;              // the API server's coordinator names the holder
  bool told_outvoted = false;
  std::atomic<bool> told_set_back{false};
  std::string announced;  // the last holder passed to new_leader
  std::minstd_rand random{std::random_device{}()};
  bool write_in_doubt = false;  // the last write has no answer: it may have taken effect

  // Of a standby.
  bool chance = false;                    // the watch saw the Lease become free
  bool waiting_again = false;             // the wait began again when `limit` was cancelled
  std::chrono::milliseconds patience{0};  // how long to wait for an event before the Lease is read
  int watch_failures = 0;                 // in a row
  TimePoint watch_not_before{};           // the next attempt to watch
  std::string last_message;               // the last logged text
  std::optional<TimePoint> unled;         // since when no coordinator has named a holder
  bool told_unled = false;

  std::atomic<bool> stopping{false};
  std::atomic<bool> release_wanted{false};
  std::function<void()> released;  // set before `stopping`
  std::atomic<bool> is_leader{false};
  std::atomic<BootClock::rep> last_renewal{0};  // when the request that succeeded was sent
  std::atomic<int64_t> transitions{0};
  std::atomic<uint64_t> slow_paths{0};
  std::thread thread;  // last: joined before the rest goes
};

}  // namespace ccm::election
