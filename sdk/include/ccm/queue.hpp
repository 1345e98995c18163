// ccm::Queue: the keys that a controller is to reconcile.
#pragma once

#include <ccm/abi/queue.h>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace ccm {

// Everything at `changed` goes before anything at `periodic`.
enum class Priority : int32_t {
  changed = CCM_PRIORITY_CHANGED,
  periodic = CCM_PRIORITY_PERIODIC,
};

// A controller's own queue. Does nothing in other components.
class Queue {
 public:
  Queue() = default;
  explicit Queue(Service<ccm_host_queue> host) : host_(host) {}

  // A key that waits already keeps the better priority and the earlier time. [any-thread]
  void add(std::string_view key, Priority priority = Priority::changed,
           std::chrono::milliseconds delay = std::chrono::milliseconds(0)) const {
    const auto fn = host_.get(&ccm_host_queue::add);
    if (fn == nullptr) return;
    ccm_queue_item item = sized<ccm_queue_item>();
    item.priority = static_cast<int32_t>(priority);
    item.key = c_str(key);
    item.delay_ms = delay.count();
    fn(host_.self(), &item);
  }

 private:
  Service<ccm_host_queue> host_;
};

}  // namespace ccm
