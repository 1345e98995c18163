// Counts of this process' transports to API servers (a transport is a pool of connections with its
// credentials), and of how often one was made or shared; for metrics. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace ccm::kube {

struct TransportCounts {
  std::atomic<int64_t> present{0};
  std::atomic<uint64_t> made{0};
  std::atomic<uint64_t> shared{0};  // by a client that was derived from another

  static TransportCounts& of_process() {
    static TransportCounts counts;
    return counts;
  }
};

}  // namespace ccm::kube
