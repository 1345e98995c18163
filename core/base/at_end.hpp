// Code for the end of a scope or of a coroutine's frame, however that comes. Any thread.
#pragma once

#include <utility>

namespace ccm {

template <typename Act>
class AtEnd {
 public:
  explicit AtEnd(Act act) : act_(std::move(act)) {}
  ~AtEnd() { act_(); }
  AtEnd& operator=(AtEnd&&) = delete;

 private:
  Act act_;
};

}  // namespace ccm
