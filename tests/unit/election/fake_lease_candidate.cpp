#include "fake_lease_candidate.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include <chrono>

namespace ccm::election {

using nlohmann::json;

void FakeLeaseCandidate::ping(const std::string& time) {
  const std::lock_guard lock(mutex_);
  json object = json::parse(candidate_.value().document);
  object["spec"]["pingTime"] = time;
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  candidate_ = *parse_lease_candidate(object.dump());
}

void FakeLeaseCandidate::remove() {
  const std::lock_guard lock(mutex_);
  candidate_.reset();
  ++version_;
}

Result<LeaseCandidate> FakeLeaseCandidate::write(const std::string& body, bool create) {
  const std::lock_guard lock(mutex_);
  if (!refusal_.ok()) return refusal_;
  ++writes_;
  json object = json::parse(body);
  if (create && candidate_) return Status(Code::already_exists, "it exists");
  if (!create && !candidate_) return Status(Code::not_found, "there is none");
  if (!create && object["metadata"]["resourceVersion"] != candidate_->resource_version) {
    return Status(Code::aborted, ErrorClass::conflict, "the object has been modified");
  }
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  candidate_ = *parse_lease_candidate(object.dump());
  return *candidate_;
}

boost::asio::awaitable<Result<std::string>> FakeLeaseCandidateClient::find_version() {
  if (!candidate_.served) co_return Status(Code::not_found, "404 page not found");
  co_return std::string("coordination.k8s.io/v1beta1");
}
boost::asio::awaitable<Result<LeaseCandidate>> FakeLeaseCandidateClient::get() {
  auto stored = candidate_.stored();
  if (!stored) co_return Status(Code::not_found, "there is none");
  co_return std::move(*stored);
}
boost::asio::awaitable<Result<LeaseCandidate>> FakeLeaseCandidateClient::create(std::string body) {
  co_return candidate_.write(body, true);
}
boost::asio::awaitable<Result<LeaseCandidate>> FakeLeaseCandidateClient::update(std::string body) {
  co_return candidate_.write(body, false);
}
boost::asio::awaitable<Status> FakeLeaseCandidateClient::remove() {
  ++candidate_.removals_;
  candidate_.remove();
  co_return Status();
}

boost::asio::awaitable<Status> FakeLeaseCandidateClient::watch(std::string resource_version,
                                                               Changed changed) {
  if (candidate_.watch_refused) {
    co_return Status(Code::permission_denied, ErrorClass::auth, "leasecandidates: forbidden");
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer tick(executor);
  int seen = std::stoi(resource_version);
  while (true) {
    tick.expires_after(std::chrono::milliseconds(1));
    co_await tick.async_wait(boost::asio::use_awaitable);
    if (candidate_.version_ == seen) continue;
    seen = candidate_.version_;
    if (!changed(candidate_.stored())) co_return Status();
  }
}

}  // namespace ccm::election
