// The limits of a cloud's instances, as a provider tells them after its log-in
// (ccm/abi/instances.h).
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/sized.hpp>

#include <chrono>
#include <cstdint>

namespace ccm {

struct InstanceLimits {
  std::chrono::milliseconds timeout{0};       // of describe and get; 0 = 30 s
  std::chrono::milliseconds list_timeout{0};  // 0 = 60 s
  int64_t batch = 0;                          // Nodes of one describe; 0 = any number
  int64_t parallel = 0;                       // operations at once; 0 = any number
};

namespace detail {

inline ccm_instance_limits limits_to_c(const InstanceLimits& limits) {
  ccm_instance_limits raw = sized<ccm_instance_limits>();
  raw.timeout_ms = limits.timeout.count();
  raw.list_timeout_ms = limits.list_timeout.count();
  raw.batch = limits.batch;
  raw.parallel = limits.parallel;
  return raw;
}
inline InstanceLimits instance_limits_from_c(const ccm_instance_limits& given) {
  const ccm_instance_limits raw = known(&given);
  return {std::chrono::milliseconds(raw.timeout_ms), std::chrono::milliseconds(raw.list_timeout_ms),
          raw.batch, raw.parallel};
}

}  // namespace detail

}  // namespace ccm
