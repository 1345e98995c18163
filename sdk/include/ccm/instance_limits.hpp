// The limits of a cloud's instances, as a provider tells them after its log-in
// (ccm/abi/instances.h).
#pragma once

#include <chrono>
#include <cstdint>

namespace ccm {

struct InstanceLimits {
  std::chrono::milliseconds timeout{0};       // of describe and get; 0 = 30 s
  std::chrono::milliseconds list_timeout{0};  // 0 = 60 s
  int64_t batch = 0;                          // Nodes of one describe; 0 = any number
  int64_t parallel = 0;                       // operations at once; 0 = any number
};

}  // namespace ccm
