// ccm::Leader: whether this process holds the Lease. Controllers need not ask: they run only while
// it does, and the host refuses their writes afterwards. [any-thread]
#pragma once

#include <ccm/abi/leader.h>
#include <ccm/callback.hpp>
#include <ccm/log.hpp>
#include <ccm/service.hpp>

#include <cstdint>
#include <functional>
#include <utility>

namespace ccm {

class Leader {
 public:
  Leader() = default;
  explicit Leader(Service<ccm_host_leader> host, Log log = {})
      : host_(host), log_(std::move(log)) {}

  // At this moment, by the local clock; false when the host does not say.
  [[nodiscard]] bool leading() const {
    const auto fn = host_.get(&ccm_host_leader::leading);
    return fn != nullptr && fn(host_.self()) != 0;
  }
  // Grows with each change of leader, so it fences old writers off; 0 without leader election.
  [[nodiscard]] uint64_t transitions() const {
    const auto fn = host_.get(&ccm_host_leader::transitions);
    return fn != nullptr ? fn(host_.self()) : 0;
  }
  // Calls `fn` in [serial] each time leading() has changed, until the component ends. False when
  // the host refuses or cannot. [create]
  bool on_change(std::function<void()> fn) const {
    const auto add = host_.get(&ccm_host_leader::on_change);
    if (add == nullptr) return false;
    return add(host_.self(), detail::make_callback(log_, "leader.on_change", std::move(fn))) != 0;
  }

 private:
  Service<ccm_host_leader> host_;
  Log log_;
};

}  // namespace ccm
