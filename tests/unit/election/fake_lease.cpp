#include "fake_lease.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

namespace ccm::election {

using nlohmann::json;

Status FakeLease::check(const std::string& verb) { return fault(verb); }

Result<Lease> FakeLease::stored(const std::string& body) {
  json object = json::parse(body);
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  lease_ = *parse_lease(object.dump());
  return *lease_;
}

void FakeLease::remove() {
  const std::lock_guard lock(mutex_);
  lease_.reset();
  ++version_;
}

FakeLease::Copy FakeLease::copy() const {
  const std::lock_guard lock(mutex_);
  return {lease_, version_};
}

void FakeLease::restore(Copy copy) {
  const std::lock_guard lock(mutex_);
  lease_ = std::move(copy.lease);
  version_ = copy.version;
}

Result<Lease> FakeLease::get() {
  ++reads_;
  if (Status status = check("get"); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  if (!lease_) return Status(Code::not_found, "no Lease");
  return *lease_;
}

Result<Lease> FakeLease::create(const std::string& body) {
  if (Status status = check("create"); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  if (lease_) return Status(Code::already_exists, "the Lease exists");
  return stored(body);
}

Result<Lease> FakeLease::update(const std::string& body) {
  if (Status status = check("update"); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  ++updates_;
  const json object = json::parse(body);
  if (!lease_ || object["metadata"]["resourceVersion"] != lease_->resource_version) {
    return Status(Code::aborted, ErrorClass::conflict, "the object has been modified");
  }
  return stored(body);
}

void FakeLease::set(const LeaseRecord& record) {
  const std::lock_guard lock(mutex_);
  (void)stored(new_lease("n", "l", record));
}

void FakeLease::prefer(const std::string& identity) {
  const std::lock_guard lock(mutex_);
  json object = json::parse(lease_.value().document);
  object["spec"]["strategy"] = "OldestEmulationVersion";
  object["spec"]["preferredHolder"] = identity;
  (void)stored(object.dump());
}

LeaseRecord FakeLease::record() const {
  const std::lock_guard lock(mutex_);
  return lease_ ? lease_->record : LeaseRecord();
}

bool FakeLease::exists() const {
  const std::lock_guard lock(mutex_);
  return lease_.has_value();
}

boost::asio::awaitable<void> FakeLeaseClient::answer(std::string verb) {
  if (!lease_.hangs(verb)) co_return;
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer never(executor, boost::asio::steady_timer::time_point::max());
  co_await never.async_wait(boost::asio::use_awaitable);
}

boost::asio::awaitable<Result<Lease>> FakeLeaseClient::get() {
  co_await answer("get");
  co_return lease_.get();
}
boost::asio::awaitable<Result<Lease>> FakeLeaseClient::create(std::string body) {
  co_await answer("create");
  co_return lease_.create(body);
}
boost::asio::awaitable<Result<Lease>> FakeLeaseClient::update(std::string body) {
  co_await answer("update");
  co_return lease_.update(body);
}

boost::asio::awaitable<Status> FakeLeaseClient::watch(std::string resource_version,
                                                      Changed changed) {
  ++lease_.watches_;
  const Status refused = lease_.check("watch");
  if (!refused.ok()) co_return refused;
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer tick(executor);
  int seen = std::stoi(resource_version);
  for (const int cuts = lease_.cuts_; cuts == lease_.cuts_;) {
    tick.expires_after(std::chrono::milliseconds(1));
    co_await tick.async_wait(boost::asio::use_awaitable);
    std::optional<Lease> now;
    {
      const std::lock_guard lock(lease_.mutex_);
      // From a version of the future nothing is told until it is there.
      if (lease_.version_ <= seen || lease_.hanging_ == "watch") continue;
      seen = lease_.version_;
      now = lease_.lease_;
    }
    if (!changed(std::move(now))) break;
  }
  co_return Status();
}

}  // namespace ccm::election
