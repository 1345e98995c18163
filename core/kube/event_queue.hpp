// Events that wait to be delivered, first in, first out, as bytes in a few blocks. When thousands
// of Nodes join at once, all their Events wait for some seconds. As objects with eight strings
// each they would take more than the Nodes do, and leave holes between these that nothing fills.
// Private to core/kube; not thread-safe.
#pragma once

#include "kube/event_correlator.hpp"

#include <cstddef>
#include <deque>
#include <string>

namespace ccm::kube {

class EventQueue {
 public:
  void push(const RawEvent& event);
  RawEvent pop();  // not when it is empty
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::deque<std::string> blocks_;  // of whole Events
  std::size_t read_ = 0;            // bytes of the first block
  std::size_t size_ = 0;
};

}  // namespace ccm::kube
