// Notices that another program allocates Nodes' ranges while this controller does (IPAM-37): there
// is no lock between two allocators, so sooner or later both allocate the same block. But a kubelet
// may set the range of its own Node, in any name, so only several Nodes are a sign of an allocator.
// One thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace ccm::ipam {

class Rivals {
 public:
  // Counts from the last range that a rival allocated.
  static constexpr std::chrono::milliseconds kHold{600'000};
  // One or two Nodes with a range set by hand are no sign of a rival.
  static constexpr std::size_t kStrangers = 3;

  // `node` got its range from another writer; `manager` is the field manager, empty = not known.
  // With the third Node within kHold there is a rival.
  void note(std::string_view node, std::string_view manager, std::chrono::milliseconds now);

  // How long allocation has to pause; 0 = go on.
  [[nodiscard]] std::chrono::milliseconds hold_left(std::chrono::milliseconds now) const;
  // The field manager to name in messages.
  [[nodiscard]] const std::string& who() const { return who_; }

 private:
  std::map<std::string, std::chrono::milliseconds, std::less<>> strangers_;  // by node
  std::chrono::milliseconds until_{0};
  std::string who_;
};

}  // namespace ccm::ipam
