#include "fuzz.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace ccm::fuzz {

uint8_t Input::byte() {
  if (rest_.empty()) return 0;
  const auto first = static_cast<uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return first;
}

std::string_view Input::line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return line;
}

std::vector<std::string> cut(std::string_view text, uint8_t seed) {
  std::vector<std::string> pieces;
  uint32_t state = seed * 2654435761U + 12345U;
  while (!text.empty()) {
    std::size_t length = text.size();
    if (seed == 1) {
      length = 1;
    } else if (seed != 0) {
      state = state * 1664525U + 1013904223U;
      length = std::min<std::size_t>(length, 1 + (state >> 16U) % (1 + seed));
    }
    pieces.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "property broken: %s\n", what);
  std::abort();
}

void require_equal(std::string_view left, std::string_view right, const char* what) {
  if (left == right) return;
  std::fprintf(stderr, "  %.*s\n  %.*s\n", static_cast<int>(left.size()), left.data(),
               static_cast<int>(right.size()), right.data());
  require(false, what);
}

}  // namespace ccm::fuzz
