// Callbacks that one component registered: each is dropped exactly once, as the ABI promises
// (ccm/abi/base.h, R-13), at the latest before the component is destroyed.
#pragma once

#include <ccm/abi/base.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace ccm::testing {

// One of them. Its holder may call it; its end drops it.
class KeptCallback {
 public:
  explicit KeptCallback(ccm_callback callback) : callback_(callback) {}
  ~KeptCallback() { drop(); }
  KeptCallback(const KeptCallback&) = delete;
  KeptCallback& operator=(const KeptCallback&) = delete;

  [[nodiscard]] bool dropped() const { return dropped_; }
  // Not any more after it was dropped. On the loop.
  void call() const {
    if (!dropped_ && callback_.fn != nullptr) callback_.fn(callback_.owner);
  }
  void drop() {
    if (dropped_.exchange(true) || callback_.drop == nullptr) return;
    callback_.drop(callback_.owner);
  }

 private:
  const ccm_callback callback_;
  std::atomic<bool> dropped_{false};
};

class FakeCallbacks {
 public:
  FakeCallbacks() = default;
  ~FakeCallbacks() { drop_all(); }
  FakeCallbacks(const FakeCallbacks&) = delete;
  FakeCallbacks& operator=(const FakeCallbacks&) = delete;

  // After drop_all() it is dropped at once, and the result is null. Any thread.
  std::shared_ptr<KeptCallback> keep(ccm_callback callback);
  // No callback is called any more.
  void drop_all();
  // How many callbacks were not dropped yet. Any thread.
  [[nodiscard]] std::size_t live() const;

 private:
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::vector<std::weak_ptr<KeptCallback>> kept_;
};

// `self` of a service that takes callbacks points to this: the fake itself, and its caller.
struct FakeCaller {
  void* service = nullptr;
  FakeCallbacks* callbacks = nullptr;
  uint64_t background = 0;  // the caller's ctx
};

}  // namespace ccm::testing
