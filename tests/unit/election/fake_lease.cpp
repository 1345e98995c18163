#include "fake_lease.hpp"

#include <nlohmann/json.hpp>

namespace ccm::election {

using nlohmann::json;

Status FakeLease::check(const std::string& verb) { return fault ? fault(verb) : Status(); }

Result<Lease> FakeLease::stored(const std::string& body) {
  json object = json::parse(body);
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  lease_ = *parse_lease(object.dump());
  return *lease_;
}

Result<Lease> FakeLease::get() {
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

LeaseRecord FakeLease::record() const {
  const std::lock_guard lock(mutex_);
  return lease_ ? lease_->record : LeaseRecord();
}

bool FakeLease::exists() const {
  const std::lock_guard lock(mutex_);
  return lease_.has_value();
}

boost::asio::awaitable<Result<Lease>> FakeLeaseClient::get() { co_return lease_.get(); }
boost::asio::awaitable<Result<Lease>> FakeLeaseClient::create(std::string body) {
  co_return lease_.create(body);
}
boost::asio::awaitable<Result<Lease>> FakeLeaseClient::update(std::string body) {
  co_return lease_.update(body);
}

}  // namespace ccm::election
