// Watches Nodes until the work was done for all of them.
#pragma once

#include "bare_client.hpp"
#include "work.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

namespace ccm::bench {

// What a watch of the Nodes begins with to see all that happens from now on.
std::string version_of_nodes(const Server& admin);

// A watch that begins at once and ends when the work was done for every node.
class NodeWatch {
 public:
  NodeWatch(const Server& admin, const Work& work, std::size_t nodes,
            const std::string& resource_version);
  void wait() { ended_.wait(false); }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::atomic<bool> ended_ = false;
  std::jthread thread_;
};

}  // namespace ccm::bench
