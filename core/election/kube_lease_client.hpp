// The Lease and the LeaseCandidate on an API server. Home thread: the client's.
#pragma once

#include "election/lease_client.hpp"
#include "kube/client.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace ccm::election {

// `timeout` bounds each request but the watch (HOST-109).
std::unique_ptr<LeaseClient> kube_lease_client(kube::Client client, std::string namespace_name,
                                               std::string name, std::chrono::milliseconds timeout);
std::unique_ptr<LeaseCandidateClient> kube_lease_candidate_client(
    kube::Client client, std::string namespace_name, std::string name,
    std::chrono::milliseconds timeout);

}  // namespace ccm::election
