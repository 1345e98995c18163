// Notices that somebody else gives Nodes their ranges while this controller does (IPAM-37): there
// is no lock between two allocators, so sooner or later both give the same block away. One thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace ccm::ipam {

class Rivals {
 public:
  // After the last range that a rival gave.
  static constexpr std::chrono::milliseconds kHold{600'000};
  // A Node or two that were given a range by hand are no rival.
  static constexpr std::size_t kStrangers = 3;

  // `node` got its range from somebody else; `manager` is the field manager, empty = not known. A
  // controller manager is a rival at once, anybody else with the third Node within kHold.
  void note(std::string_view node, std::string_view manager, std::chrono::milliseconds now);

  // How long nothing is to be allocated; 0 = go on.
  [[nodiscard]] std::chrono::milliseconds hold_left(std::chrono::milliseconds now) const;
  // The field manager to name in messages.
  [[nodiscard]] const std::string& who() const { return who_; }

 private:
  std::map<std::string, std::chrono::milliseconds, std::less<>> strangers_;  // by node
  std::chrono::milliseconds until_{0};
  std::string who_;
};

}  // namespace ccm::ipam
