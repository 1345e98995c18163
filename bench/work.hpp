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
  std::vector<std::string> flags;                     // of the manager
  std::function<nlohmann::json(std::size_t i)> node;  // as it is before
  std::function<void(std::size_t i, std::vector<BareRequest>&)> add_patches;
  // Whether the event of a Node that was modified, as its protobuf message, says that its work is
  // done.
  std::function<bool(std::string_view event)> done;
};

// "init": initialise; "ipam": give Pod ranges; "route": make routes and say so. The Nodes have
// `images` container images each. Throws std::runtime_error for all else.
Work work_called(const std::string& name, std::size_t images);

}  // namespace ccm::bench
