// The name of a parameter or an element, as Amazon's API reference has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ccm::aws {

// BORROWS. Nearly all of them are literals, whose length the compiler knows: as string_views they
// cost a call for it at each of some hundred places.
class ApiName {
 public:
  template <std::size_t N>
  constexpr ApiName(const char (&literal)[N]) : text_(literal, N - 1) {}  // NOLINT: implicit
  constexpr ApiName(std::string_view text) : text_(text) {}               // NOLINT
  ApiName(const std::string& text) : text_(text) {}                       // NOLINT

  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace ccm::aws
