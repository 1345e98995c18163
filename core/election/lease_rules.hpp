// The rules of leader election without any I/O: one candidate's observations of the Lease and its
// permitted actions (HOST-112, API-64, API-66). Home thread: the election's.
#pragma once

#include "base/clock.hpp"
#include "election/lease.hpp"
#include "kube/resource.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace ccm::election {

class LeaseRules {
 public:
  using TimePoint = BootClock::time_point;

  LeaseRules(std::string identity, std::chrono::seconds lease_duration)
      : identity_(std::move(identity)), lease_duration_(lease_duration) {}

  // The Lease as the server returned it. Only a record that differs from the last one is stamped
  // with `now`: a holder is alive as long as its record keeps changing, whatever its clock says
  // (TRAP-2).
  void observe(Lease lease, TimePoint now) {
    if (!lease_ || lease_->record != lease.record) observed_ = now;
    if (kube::older_version(lease.resource_version, newest_version_)) {
      restored_ =
          "the Lease has resourceVersion " + lease.resource_version + " after " + newest_version_;
    }
    newest_version_ = lease.resource_version;
    lease_ = std::move(lease);
  }
  // The Lease does not exist.
  void forget() { lease_.reset(); }
  // Not empty: the Lease came with an older resourceVersion than it had before, so the API server's
  // storage was restored to an earlier state (API-141). Says which.
  [[nodiscard]] const std::string& restored() const { return restored_; }

  [[nodiscard]] const std::string& identity() const { return identity_; }
  // Recorded holder; empty when nobody holds it or nothing was seen.
  [[nodiscard]] std::string holder() const {
    return lease_ ? lease_->record.holder_identity : std::string();
  }
  [[nodiscard]] bool holds() const { return lease_ && holder() == identity_; }
  // When the record expires unless it changes; the distant past when nothing was seen. By the
  // duration of this process and not by that of the record, which any writer of the Lease chooses
  // (HOST-112c).
  [[nodiscard]] TimePoint expiry() const {
    return lease_ ? observed_ + lease_duration_ : TimePoint();
  }
  // The recorded holder did not renew in time.
  [[nodiscard]] bool expired(TimePoint now) const { return expiry() <= now; }
  // It is ours, but a coordinator has chosen another process, for which the holder makes room
  // (HOST-154).
  [[nodiscard]] bool outvoted() const {
    return holds() && !lease_->preferred_holder.empty() && lease_->preferred_holder != identity_;
  }
  // Free, ours, or expired.
  [[nodiscard]] bool may_take(TimePoint now) const {
    return holder().empty() || holds() || expired(now);
  }
  // The last write was ours and stands: it can be renewed without reading first (HOST-112a).
  [[nodiscard]] bool may_renew_unread(TimePoint now) const { return holds() && !expired(now); }

  // The last Lease that was seen.
  [[nodiscard]] const std::optional<Lease>& lease() const { return lease_; }
  // The record to write to take or renew it: a renewal keeps acquireTime and leaseTransitions, a
  // take-over counts one transition (HOST-112e).
  [[nodiscard]] LeaseRecord claim(std::chrono::system_clock::time_point wall) const {
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
  // The record to write to take it when a coordinator made this candidate its holder: the
  // coordinator counts no transition.
  [[nodiscard]] LeaseRecord accept(std::chrono::system_clock::time_point wall) const {
    LeaseRecord record = claim(wall);
    record.acquire_time = record.renew_time;
    record.lease_transitions = lease_ ? lease_->record.lease_transitions + 1 : 0;
    return record;
  }
  // The record to write to give it up (HOST-117).
  [[nodiscard]] LeaseRecord release(std::chrono::system_clock::time_point wall) const {
    LeaseRecord record;
    record.lease_duration = std::chrono::seconds(1);
    record.acquire_time = record.renew_time = micro_time(wall);
    record.lease_transitions = lease_ ? lease_->record.lease_transitions : 0;
    return record;
  }

 private:
  std::string identity_;
  std::chrono::seconds lease_duration_;
  std::optional<Lease> lease_;
  TimePoint observed_{};
  std::string newest_version_;
  std::string restored_;
};

}  // namespace ccm::election
