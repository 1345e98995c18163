#include "listing.hpp"

#include <algorithm>
#include <string>
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
  const int64_t missing = *total_ - static_cast<int64_t>(machines_.size());
  const int64_t pages = std::max<int64_t>(1, missing / kPageSize + (missing % kPageSize > 0));
  return std::min(most, static_cast<std::size_t>(pages));
}

Status Listing::add(MachinePage page) {
  const int64_t current = next_page_.value_or(1);
  if (page.total < 0) return bad_list("has a negative length");
  if (total_ && *total_ != page.total) {
    return Status(Code::aborted, ErrorClass::conflict,
                  "machines came or went while they were listed");
  }
  total_ = page.total;
  for (ccm::Instance& machine : page.machines) {
    if (!ids_.insert(machine.provider_id).second) {
      return bad_list("has " + machine.provider_id + " twice");
    }
    machines_.push_back(std::move(machine));
  }
  const auto count = static_cast<int64_t>(machines_.size());
  if (count > page.total) {
    return bad_list("has more machines than it says (" + std::to_string(page.total) + ")");
  }
  if (!page.next_page) {
    next_page_.reset();
    if (count == page.total) return {};
    return bad_list("ends after " + std::to_string(count) + " of " + std::to_string(page.total) +
                    " machines");
  }
  if (*page.next_page != current + 1) return bad_list("skips or repeats a page");
  if (page.machines.empty()) return bad_list("has an empty page before its end");
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
