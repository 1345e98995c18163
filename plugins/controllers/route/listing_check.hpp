// Whether a listing of routes can be true. A listing that lacks most of the routes that the Nodes'
// conditions claim comes rather from a cloud that answers wrongly (another project, half a page, a
// restart) than from somebody who removed them all, and acting on it would send as many calls.
// [serial]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace ccm::route {

class ListingCheck {
 public:
  // How long to wait before the second look.
  static constexpr std::chrono::milliseconds kLookAgain{5'000};

  // `expected` routes, of which the listing lacks `missing`. False = look again after kLookAgain;
  // two such looks in a row, that much apart, are believed.
  bool believe(std::size_t expected, std::size_t missing, std::chrono::milliseconds now);

 private:
  std::optional<std::chrono::milliseconds> since_;
};

}  // namespace ccm::route
