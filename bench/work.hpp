// The work of the manager in node_bench, and the patches with which a bare client does the same.
#pragma once

#include "bare_client.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::bench {

struct Work {
  std::vector<std::string> flags;  // of the manager
  std::function<BareRequest(std::size_t i)> create;
  std::function<void(std::size_t i, std::vector<BareRequest>&)> add_patches;
  // Whether a MODIFIED event of a Node, as a line of the watch, says that its work is done.
  std::function<bool(std::string_view line)> done;
};

// "init": initialise; "ipam": give Pod ranges; "route": make routes and say so. Throws
// std::runtime_error for all else.
Work work_called(const std::string& name);

std::string node_name(std::size_t i);
nlohmann::json ready_condition(const std::string& heartbeat);

}  // namespace ccm::bench
