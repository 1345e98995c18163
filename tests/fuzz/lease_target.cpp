// Leases and the events of a watch on one (election/lease.hpp). Input: the API server's text.
// Properties: times and counters stay in range; what is written back is a Lease with the values
// that were meant and all fields that were there.
#include "election/lease.hpp"
#include "fuzz.hpp"

#include <algorithm>

namespace ccm::fuzz {
namespace {

void check_lease(const election::Lease& lease) {
  require(!lease.resource_version.empty(), "a Lease has a resourceVersion");
  require(lease.record.lease_duration.count() >= 0, "a duration is not negative");
  require(lease.record.lease_duration <= std::chrono::seconds(INT32_MAX), "and in range");
  require(lease.record.lease_transitions >= 0, "nor is a counter");
  election::LeaseRecord record = lease.record;
  record.holder_identity = "me\"\n";
  record.lease_transitions = std::min<int64_t>(record.lease_transitions + 1, INT32_MAX);
  record.renew_time = election::micro_time(std::chrono::system_clock::time_point());
  const auto written = election::parse_lease(election::updated_lease(lease, record));
  require(written.ok(), "what is written back is a Lease");
  require(written->record == record, "with the values that were meant");
  require_equal(written->resource_version, lease.resource_version, "for the same version");
}

}  // namespace

void lease_target(std::string_view bytes) {
  const Exact text(bytes);
  const auto lease = election::parse_lease(text.view());
  if (lease.ok()) check_lease(*lease);
  const auto event = election::parse_event(text.view(), "Lease", &election::parse_lease);
  if (!event.ok()) {
    require(!event.status().message().empty(), "a failure says what is wrong");
  } else if (event->object) {
    check_lease(*event->object);
  }
}

}  // namespace ccm::fuzz
