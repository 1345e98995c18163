// Functions as the ABI takes them: called later in [serial], then dropped once (ccm/abi/base.h,
//
#pragma once

#include <ccm/abi/base.h>
#include <ccm/log.hpp>
#include <ccm/task.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace ccm::detail {

// OWNERSHIP: of `fn` goes to the receiver of the callback, who drops it. An exception of `fn` is
// logged under `name`, a literal.
inline ccm_callback make_callback(const Log& log, const char* name, std::function<void()> fn) {
  struct Kept {
    Log log;
    const char* name;
    std::function<void()> fn;
  };
  auto kept = std::make_unique<Kept>(Kept{log, name, std::move(fn)});
  const auto call = [](void* owner) noexcept {
    const auto& self = *static_cast<Kept*>(owner);
    try {
      self.fn();
    } catch (...) {
      self.log.error("A callback threw", {{"callback", self.name}, {"err", status_of_exception()}});
    }
  };
  const auto drop = [](void* owner) noexcept { delete static_cast<Kept*>(owner); };
  return {call, drop, kept.release()};
}

// For an owner that lives elsewhere and takes its callback back in time.
inline ccm_callback borrowed_callback(ccm_callback_fn fn, void* owner) {
  return {fn, nullptr, owner};
}

inline void drop(const ccm_callback& callback) {
  if (callback.drop != nullptr) callback.drop(callback.owner);
}

}  // namespace ccm::detail
