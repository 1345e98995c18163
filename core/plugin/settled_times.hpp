// The time of each key's last successful reconcile, in 8 bytes a key: for status pages of objects
// about which nothing else is known. Loop thread.
#pragma once

#include "runtime/timers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// Doubles while it fills, up to 16,384 places (128 KiB). From then on a new key may replace the
// oldest of a few.
class SettledTimes {
 public:
  void note(std::string_view key, runtime::TimePoint when);
  void forget(std::string_view key);
  // To the second; nullopt when nothing is known of the key.
  [[nodiscard]] std::optional<runtime::TimePoint> find(std::string_view key) const;

 private:
  struct Place {
    uint32_t mark = 0;     // the key's hash; 0 = free
    uint32_t seconds = 0;  // since begin_
  };
  [[nodiscard]] const Place* search(uint32_t mark) const;
  void put(Place place);
  void grow();

  std::optional<runtime::TimePoint> begin_;
  std::size_t used_ = 0;
  std::vector<Place> places_;
};

}  // namespace ccm::plugin
