// Reads the pages of one listing in order and rejects impossible ones. ccm::InstancePages decides
// whether they are consistent. Any thread.
#pragma once

#include "machine.hpp"

#include <ccm/instance_pages.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sandbox {

inline constexpr int64_t kPageSize = 200;

class Listing {
 public:
  // The next page; nothing when the listing is complete.
  [[nodiscard]] std::optional<int64_t> next_page() const { return next_page_; }

  // How many pages can be requested at once, next_page() and those that follow: as many as the
  // missing machines should fill, at most `most`.
  [[nodiscard]] std::size_t pages_ahead(std::size_t most) const;

  // Takes the requested page. Failure: data_loss when the list cannot be right.
  ccm::Status add(MachinePage page);

  // Once next_page() is empty.
  [[nodiscard]] ccm::InstancePages take() { return std::move(pages_); }

 private:
  std::optional<int64_t> next_page_ = 1;
  std::optional<int64_t> total_;
  int64_t count_ = 0;
  ccm::InstancePages pages_;
};

// Failure: data_loss when two machines have one ID.
ccm::Status check_unique(const std::vector<ccm::Instance>& machines);

}  // namespace sandbox
