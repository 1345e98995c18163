#include "rivals.hpp"

#include <algorithm>

namespace ccm::ipam {

using std::chrono::milliseconds;

void Rivals::note(std::string_view node, std::string_view manager, milliseconds now) {
  std::erase_if(strangers_, [now](const auto& entry) { return entry.second + kHold <= now; });
  strangers_.insert_or_assign(std::string(node), now);
  if (strangers_.size() < kStrangers) return;
  until_ = now + kHold;
  who_ = manager.empty() ? "another allocator" : "\"" + std::string(manager) + "\"";
}

milliseconds Rivals::hold_left(milliseconds now) const {
  return std::max(until_ - now, milliseconds(0));
}

}  // namespace ccm::ipam
