#include "listing_check.hpp"

namespace ccm::route {
namespace {

// One or two may well have been removed by hand, and cost little.
constexpr std::size_t kFewest = 3;

}  // namespace

bool ListingCheck::believe(std::size_t expected, std::size_t missing,
                           std::chrono::milliseconds now) {
  if (missing < kFewest || missing * 2 <= expected) {
    since_.reset();
    return true;
  }
  if (!since_) since_ = now;
  return now - *since_ >= kLookAgain;
}

}  // namespace ccm::route
