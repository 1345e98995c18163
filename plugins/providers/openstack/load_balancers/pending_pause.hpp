// When to look again at load balancers that Octavia works on: after a second, and less often the
// longer it takes (OS-332). [serial]
#pragma once

#include "existing.hpp"

#include <ccm/host.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

namespace ccm::openstack {

class PendingPause {
 public:
  explicit PendingPause(Host& host) : host_(host) {}

  // A fifth of the time that it has been pending.
  milliseconds of(const ExistingLoadBalancer& balancer) {
    const milliseconds now = host_.timer.now();
    if (!balancer.pending()) {
      since_.erase(balancer.id);
      return kShortest;
    }
    const milliseconds since = since_.try_emplace(balancer.id, now).first->second;
    return std::clamp((now - since) / kShare, kShortest, kLongest);
  }
  void forget(const std::string& id) { since_.erase(id); }

 private:
  static constexpr milliseconds kShortest{1'000};
  static constexpr milliseconds kLongest{30'000};
  static constexpr int kShare = 5;

  Host& host_;
  std::map<std::string, milliseconds> since_;  // by ID
};

}  // namespace ccm::openstack
