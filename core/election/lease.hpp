// The Lease as leader election sees it, and the JSON that it writes (HOST-107, HOST-111,
// API-61..66). Plain values; any thread.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace ccm::election {

// spec of a coordination.k8s.io/v1 Lease. Times are kept as the server's texts: they are shown and
// copied, never compared with the local clock (TRAP-2).
struct LeaseRecord {
  std::string holder_identity;  // empty = free (API-64)
  std::chrono::seconds lease_duration{0};
  std::string acquire_time;  // MicroTime (API-11)
  std::string renew_time;
  int64_t lease_transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

struct Lease {
  LeaseRecord record;
  std::string preferred_holder;  // of coordinated election: for whom the holder makes room
  std::string resource_version;
  std::string document;  // the whole object as JSON, so that writing it back loses no field
};

// Fails with data_loss when the text is no Lease with a name and a resourceVersion.
Result<Lease> parse_lease(std::string_view json);

// The body of a POST that creates the Lease: no labels, no owner references (HOST-107).
std::string new_lease(std::string_view namespace_name, std::string_view name,
                      const LeaseRecord& record);

// The body of a PUT: `lease.document` with the fields of `record` replaced; its resourceVersion
// makes the write conditional (API-62).
std::string updated_lease(const Lease& lease, const LeaseRecord& record);

// "2026-01-02T03:04:05.000006Z".
std::string micro_time(std::chrono::system_clock::time_point time);

}  // namespace ccm::election
