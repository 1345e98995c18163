#include "ccm/testing/fake_callbacks.hpp"

#include <algorithm>

namespace ccm::testing {

std::shared_ptr<KeptCallback> FakeCallbacks::keep(ccm_callback callback) {
  auto kept = std::make_shared<KeptCallback>(callback);
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      std::erase_if(kept_, [](const auto& weak) { return weak.expired(); });
      kept_.push_back(kept);
      return kept;
    }
  }
  kept->drop();
  return nullptr;
}

void FakeCallbacks::drop_all() {
  std::vector<std::weak_ptr<KeptCallback>> all;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    all.swap(kept_);
  }
  for (const auto& weak : all) {
    if (const auto kept = weak.lock()) kept->drop();
  }
}

std::size_t FakeCallbacks::live() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(kept_.begin(), kept_.end(), [](const auto& weak) { return !weak.expired(); }));
}

}  // namespace ccm::testing
