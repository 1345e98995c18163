// ccm::Leader: whether this process holds the Lease. Controllers need not ask: they run only while
// it does, and the host refuses their writes afterwards. [any-thread]
#pragma once

#include <ccm/abi/leader.h>
#include <ccm/service.hpp>

#include <cstdint>

namespace ccm {

class Leader {
 public:
  Leader() = default;
  explicit Leader(Service<ccm_host_leader> host) : host_(host) {}

  // At this moment, by the local clock; false when the host does not say.
  [[nodiscard]] bool leading() const {
    const auto fn = host_.get(&ccm_host_leader::leading);
    return fn != nullptr && fn(host_.self());
  }
  // Grows with each change of leader, so it fences old writers off; 0 without leader election.
  [[nodiscard]] uint64_t transitions() const {
    const auto fn = host_.get(&ccm_host_leader::transitions);
    return fn != nullptr ? fn(host_.self()) : 0;
  }

 private:
  Service<ccm_host_leader> host_;
};

}  // namespace ccm
