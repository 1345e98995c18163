#include "listing.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::Status;

Status bad_list(const std::string& what) {
  return Status(Code::data_loss, ErrorClass::unavailable, "the cloud's machine list " + what)
      .with_reason("BadMachineList");
}

}  // namespace

std::size_t Listing::pages_ahead(std::size_t most) const {
  if (!total_) return 1;  // the first page says how many there are
  const int64_t missing = *total_ - count_;
  const int64_t pages = std::max<int64_t>(1, missing / kPageSize + (missing % kPageSize > 0));
  return std::min(most, static_cast<std::size_t>(pages));
}

Status Listing::add(MachinePage page) {
  const int64_t current = next_page_.value_or(1);
  if (page.total < 0) return bad_list("has a negative length");
  if (page.next_page && *page.next_page != current + 1) {
    return bad_list("skips or repeats a page");
  }
  if (page.next_page && page.machines.empty()) return bad_list("has an empty page before its end");
  total_ = page.total;
  count_ += static_cast<int64_t>(page.machines.size());
  // A few are listed twice while machines come and go.
  if (page.next_page && count_ / 2 > std::max(page.total, kPageSize)) {
    return bad_list("has more machines than it says (" + std::to_string(page.total) + ")");
  }
  pages_.add(current, std::move(page.machines), page.total);
  next_page_ = page.next_page;
  return {};
}

Status check_unique(const std::vector<ccm::Instance>& machines) {
  std::unordered_set<std::string_view> ids;
  for (const ccm::Instance& machine : machines) {
    if (!ids.insert(machine.provider_id).second) {
      return bad_list("has " + machine.provider_id + " twice");
    }
  }
  return {};
}

}  // namespace sandbox
