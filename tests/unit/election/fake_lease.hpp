// A Lease in memory that several candidates share, with a clock turned by hand. Any thread.
#pragma once

#include "base/clock.hpp"
#include "election/lease.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace ccm::election {

class FakeLease {
 public:
  // Called before each request with "get", "create" or "update"; a failure is the request's
  // outcome.
  // May be replaced while requests run.
  class Fault {
   public:
    using Function = std::function<Status(const std::string& verb)>;
    Fault& operator=(Function function) {
      const std::lock_guard lock(mutex_);
      function_ = std::move(function);
      return *this;
    }
    Status operator()(const std::string& verb) const {
      std::unique_lock lock(mutex_);
      const Function function = function_;
      lock.unlock();
      return function ? function(verb) : Status();
    }

   private:
    mutable std::mutex mutex_;
    Function function_;
  } fault;
  // Requests with this verb get no answer until they are cancelled.
  void hang(const std::string& verb) {
    const std::lock_guard lock(mutex_);
    hanging_ = verb;
  }
  [[nodiscard]] bool hangs(const std::string& verb) {
    const std::lock_guard lock(mutex_);
    if (hanging_ == verb) ++hung_;
    return hanging_ == verb;
  }
  [[nodiscard]] int hung() const { return hung_; }

  // The reads so far; those of a watch are not counted.
  [[nodiscard]] int reads() const { return reads_; }
  // Watches that were begun.
  [[nodiscard]] int watches() const { return watches_; }
  // As a storage that is restored from a copy: the state of `copy`, or none, and its version.
  struct Copy {
    std::optional<Lease> lease;
    int version = 0;
  };
  [[nodiscard]] Copy copy() const;
  void restore(Copy copy);
  // Deletes the Lease.
  void remove();
  // Ends every watch, as a server does from time to time.
  void end_watches() { ++cuts_; }

  Result<Lease> get();
  Result<Lease> create(const std::string& body);
  Result<Lease> update(const std::string& body);

  // As another writer would: without a condition.
  void set(const LeaseRecord& record);
  // As a coordinator that has chosen another holder: only this field changes.
  void prefer(const std::string& identity);
  [[nodiscard]] LeaseRecord record() const;
  [[nodiscard]] bool exists() const;
  [[nodiscard]] int updates() const { return updates_; }

 private:
  Result<Lease> stored(const std::string& body);
  Status check(const std::string& verb);
  friend class FakeLeaseClient;

  mutable std::mutex mutex_;
  std::optional<Lease> lease_;
  std::atomic<int> version_{0};  // also grows with a deletion
  std::atomic<int> reads_{0};
  std::atomic<int> watches_{0};
  std::atomic<int> cuts_{0};
  std::atomic<int> updates_{0};
  std::string hanging_;
  std::atomic<int> hung_{0};
};

class FakeLeaseClient final : public LeaseClient {
 public:
  explicit FakeLeaseClient(FakeLease& lease) : lease_(lease) {}
  boost::asio::awaitable<Result<Lease>> get() override;
  boost::asio::awaitable<Result<Lease>> create(std::string body) override;
  boost::asio::awaitable<Result<Lease>> update(std::string body) override;
  // Looks every millisecond, which to a candidate is the same as being told.
  boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) override;

 private:
  boost::asio::awaitable<void> answer(std::string verb);
  FakeLease& lease_;
};

class ManualClock final : public Clock {
 public:
  [[nodiscard]] BootClock::time_point now() const override {
    return BootClock::time_point(BootClock::duration(now_.load()));
  }
  [[nodiscard]] std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::time_point(wall_.load());
  }
  void advance(BootClock::duration time) { now_ += time.count(); }
  void step_wall(std::chrono::system_clock::duration time) { wall_ = wall_.load() + time; }

 private:
  std::atomic<BootClock::rep> now_{std::chrono::nanoseconds(std::chrono::hours(1)).count()};
  std::atomic<std::chrono::system_clock::duration> wall_{std::chrono::hours(500'000)};
};

}  // namespace ccm::election
