// Puts the pages of one listing together and refuses what cannot be the whole: half a list would
// look like vanished machines, and those lead to deleted Nodes. Any thread.
#pragma once

#include "machine.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

namespace sandbox {

inline constexpr int64_t kPageSize = 200;

class Listing {
 public:
  // The page to ask for next; nothing when the listing is complete.
  [[nodiscard]] std::optional<int64_t> next_page() const { return next_page_; }

  // How many pages can be asked for at once, next_page() and those behind it: as many as the
  // machines that are missing should fill, at most `most`.
  [[nodiscard]] std::size_t pages_ahead(std::size_t most) const;

  // Takes the page that was asked for. Failures: aborted, class conflict, when machines came or
  // went in between (start again); data_loss when the list cannot be right.
  ccm::Status add(MachinePage page);

  // Once next_page() is empty.
  [[nodiscard]] std::vector<ccm::Instance> take() { return std::move(machines_); }

 private:
  std::optional<int64_t> next_page_ = 1;
  std::optional<int64_t> total_;
  std::vector<ccm::Instance> machines_;
  std::unordered_set<std::string> ids_;
};

// Failure: data_loss when two machines have one ID.
ccm::Status check_unique(const std::vector<ccm::Instance>& machines);

}  // namespace sandbox
