#include "election/candidate.hpp"

#include "kube/resource.hpp"

#include <utility>

namespace ccm::election {

void Candidate::observe(Lease lease, TimePoint now) {
  if (!lease_ || lease_->record != lease.record) observed_ = now;
  if (kube::older_version(lease.resource_version, newest_version_)) {
    restored_ =
        "the Lease has resourceVersion " + lease.resource_version + " after " + newest_version_;
  }
  newest_version_ = lease.resource_version;
  lease_ = std::move(lease);
}

std::string Candidate::holder() const {
  return lease_ ? lease_->record.holder_identity : std::string();
}

Candidate::TimePoint Candidate::expiry() const {
  return lease_ ? observed_ + lease_duration_ : TimePoint();
}

bool Candidate::expired(TimePoint now) const { return expiry() <= now; }

bool Candidate::may_take(TimePoint now) const {
  return holder().empty() || holds() || expired(now);
}

LeaseRecord Candidate::claim(std::chrono::system_clock::time_point wall) const {
  LeaseRecord record;
  record.holder_identity = identity_;
  record.lease_duration = lease_duration_;
  record.renew_time = micro_time(wall);
  if (holds()) {
    record.acquire_time = lease_->record.acquire_time;
    record.lease_transitions = lease_->record.lease_transitions;
  } else {
    record.acquire_time = record.renew_time;
    // A Lease that is new has had no transition yet.
    record.lease_transitions = lease_ ? lease_->record.lease_transitions + 1 : 0;
  }
  return record;
}

LeaseRecord Candidate::accept(std::chrono::system_clock::time_point wall) const {
  LeaseRecord record = claim(wall);
  record.acquire_time = record.renew_time;
  record.lease_transitions = lease_ ? lease_->record.lease_transitions + 1 : 0;
  return record;
}

LeaseRecord Candidate::release(std::chrono::system_clock::time_point wall) const {
  LeaseRecord record;
  record.lease_duration = std::chrono::seconds(1);
  record.acquire_time = record.renew_time = micro_time(wall);
  record.lease_transitions = lease_ ? lease_->record.lease_transitions : 0;
  return record;
}

}  // namespace ccm::election
