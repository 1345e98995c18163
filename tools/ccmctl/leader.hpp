// Names the leader when another manager was asked.
#pragma once

#include "manager_query.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace ccm::ctl {

// Whether this /statusz is that of a standby.
bool is_standby(const nlohmann::json& status);

// One line: that a standby was asked, the holder of its Lease, and how to ask that one. Reads the
// Lease and the holder's Pod from the kubeconfig's API server; a standby does not tell them.
std::string standby_text(const ManagerOptions& options, const nlohmann::json& status);

}  // namespace ccm::ctl
