// A LeaseCandidate in memory, with an API server that may have none. Any thread.
#pragma once

#include "election/lease.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace ccm::election {

class FakeLeaseCandidate {
 public:
  std::atomic<bool> served{true};
  // The outcome of each write; ok = as usual.
  void refuse(const Status& status) {
    const std::lock_guard lock(mutex_);
    refusal_ = status;
  }
  // As the coordinator asks.
  void ping(const std::string& time);
  // As the coordinator removes an old one.
  void remove();

  [[nodiscard]] std::optional<LeaseCandidate> stored() const {
    const std::lock_guard lock(mutex_);
    return candidate_;
  }
  [[nodiscard]] int removals() const { return removals_; }
  [[nodiscard]] int writes() const { return writes_; }
  std::atomic<bool> watch_refused{false};

 private:
  friend class FakeLeaseCandidateClient;
  Result<LeaseCandidate> write(const std::string& body, bool create);

  mutable std::mutex mutex_;
  Status refusal_;
  std::optional<LeaseCandidate> candidate_;
  std::atomic<int> version_{0};
  std::atomic<int> removals_{0};
  std::atomic<int> writes_{0};
};

class FakeLeaseCandidateClient final : public LeaseCandidateClient {
 public:
  explicit FakeLeaseCandidateClient(FakeLeaseCandidate& candidate) : candidate_(candidate) {}
  boost::asio::awaitable<Result<std::string>> find_version() override;
  boost::asio::awaitable<Result<LeaseCandidate>> get() override;
  boost::asio::awaitable<Result<LeaseCandidate>> create(std::string body) override;
  boost::asio::awaitable<Result<LeaseCandidate>> update(std::string body) override;
  boost::asio::awaitable<Status> remove() override;
  // Looks every millisecond.
  boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) override;

 private:
  FakeLeaseCandidate& candidate_;
};

}  // namespace ccm::election
