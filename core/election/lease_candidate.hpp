// The LeaseCandidate by which a process proposes itself to the coordinator of the API server
// (KEP-4355, HOST-120, HOST-150..155), and the JSON of it. Plain values; any thread.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace ccm::election {

// The coordinator chooses by these.
struct CandidateVersions {
  std::string binary;     // semantic versions without "v"
  std::string emulation;  // the oldest one is elected
};

struct LeaseCandidate {
  std::string ping_time;   // MicroTime; when the coordinator asked last (API-11)
  std::string renew_time;  // MicroTime; when the candidate answered last
  std::string resource_version;
  std::string document;  // the whole object as JSON, so that writing it back loses no field
};

// data_loss when the text is no object with a resourceVersion.
Result<LeaseCandidate> parse_lease_candidate(std::string_view json);

struct CandidateNames {
  std::string api_version;  // "coordination.k8s.io/v1beta1"
  std::string namespace_name;
  std::string name;   // the identity that the Lease gets as its holder
  std::string lease;  // the name of the Lease
};
// The body of a POST.
std::string new_lease_candidate(const CandidateNames& names, const CandidateVersions& versions,
                                std::chrono::system_clock::time_point wall);

// The body of a PUT that answers the coordinator. The time of the answer is never before that of
// the question, whatever the local clock says (TRAP-2).
std::string renewed_lease_candidate(const LeaseCandidate& candidate,
                                    std::chrono::system_clock::time_point wall);

}  // namespace ccm::election
