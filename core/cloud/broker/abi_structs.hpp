// Reads structs of components that may be shorter or longer than this host's version of them, and
// lists that may be invalid. Any thread.
#pragma once

#include "base/text.hpp"

#include <ccm/abi/ctx.h>
#include <ccm/abi/object.h>
#include <ccm/object.hpp>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace ccm::cloud {

// The time that a provider wants for an operation, within bounds, or the host's choice.
inline std::chrono::milliseconds time_limit(std::chrono::milliseconds wanted,
                                            std::chrono::milliseconds otherwise) {
  constexpr std::chrono::minutes kMost{10};
  if (wanted <= std::chrono::milliseconds(0)) return otherwise;
  return std::min<std::chrono::milliseconds>(wanted, kMost);
}

// No list is longer in practice; a count that was never set is likely to be above.
inline constexpr std::size_t kListLimit = 10'000;
inline constexpr std::size_t kThingLimit = 1'000'000;  // instances, backends, routes

template <typename T>
bool sound_list(const T* items, std::size_t count, std::size_t limit = kListLimit) {
  return count == 0 || (items != nullptr && count <= limit);
}

// The elements of a list of pointers, each complete. Check with sound() before reading.
template <typename T>
class WholeList {
 public:
  WholeList(const T* const* raw, std::size_t count, std::size_t limit) {
    sound_ = sound_list(raw, count, limit);
    if (!sound_) return;
    items_.reserve(count);
    for (std::size_t index = 0; index < count && sound_; ++index) {
      sound_ = raw[index] != nullptr;
      if (sound_) items_.push_back(known(raw[index]));
    }
    for (const T& item : items_) pointers_.push_back(&item);
  }
  WholeList& operator=(WholeList&&) = delete;

  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] const std::vector<T>& items() const { return items_; }
  [[nodiscard]] const T* const* data() const { return pointers_.data(); }
  [[nodiscard]] std::size_t size() const { return pointers_.size(); }

 private:
  bool sound_ = false;
  std::vector<T> items_;
  std::vector<const T*> pointers_;
};

// Limit of the cloud's ids, names and addresses, in bytes. Longer ones are rejected.
inline constexpr std::size_t kNameLimit = 4'096;

inline bool sound_name(ccm_str text) { return view(text).size() <= kNameLimit; }

// Text that is not UTF-8 could not be sent to Kubernetes.
inline void repair(std::string& text) {
  if (!is_utf8(text)) text = utf8_text(text);
}

// For values that keep handles of the host's objects: takes and releases references, reads nothing.
ObjectHost kept_objects();

}  // namespace ccm::cloud
