// How long the host waits for a provider before it gives up on an operation.
#pragma once

#include <chrono>

namespace ccm::cloud {

struct ProviderTimeouts {
  std::chrono::milliseconds call{30'000};
  std::chrono::milliseconds list{60'000};           // many pages
  std::chrono::milliseconds load_balancer{60'000};  // several calls to the cloud
  std::chrono::milliseconds routes{120'000};        // a batch on a cloud that takes single changes
};

}  // namespace ccm::cloud
