// Which manager leads, by the Lease: where it is asked, and what to say when another one was.
#pragma once

#include "manager_query.hpp"
#include "port_forward.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace ccm::ctl {

// Whether this /statusz is that of a standby.
bool is_standby(const nlohmann::json& status);

// One line: that a standby was asked, the holder of its Lease, and how to ask that one. Reads the
// Lease and the holder's Pod from the kubeconfig's API server; a standby does not tell them.
std::string standby_text(const ManagerOptions& options, const nlohmann::json& status);

// The leader's Pod and port, and the SHA-256 of the certificate that it serves there, as it says in
// annotations of the Lease options.lease.
struct Leader {
  PodPort target;  // without a Pod when it was not found: no_pod says so
  std::string fingerprint;
  std::string host;  // where it runs, as its Lease says; empty when that names none
  std::string no_pod;
};
// Failures say why nobody can tell where the leader is asked.
Result<Leader> find_leader(const ManagerOptions& options);

}  // namespace ccm::ctl
