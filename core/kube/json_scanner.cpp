#include "kube/json_scanner.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace ccm::kube {
namespace {

constexpr std::size_t kBlock = 64;

// Bytes that change step()'s state, outside of strings and inside.
constexpr std::array<bool, 256> table(std::string_view bytes) {
  std::array<bool, 256> result{};
  for (const char c : bytes) result[static_cast<unsigned char>(c)] = true;
  return result;
}
constexpr auto kOutside = table("{}[]\"");
constexpr auto kInside = table("\"\\\n");

}  // namespace

#ifdef __SSE2__

namespace {

// Bit i of each: whether byte i of a block is one of those.
struct Marks {
  uint64_t quotes = 0;
  uint64_t opening = 0;
  uint64_t closing = 0;
  uint64_t special = 0;  // a backslash or the end of a line
};

Marks marks_of(const char* block) {
  Marks marks;
  for (std::size_t at = 0; at < kBlock; at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
    // This bit is the only difference between '[' and '{', and between ']' and '}'.
    const __m128i braces = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const auto equal = [at](__m128i all, char one) {
      const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(one)));
      return static_cast<uint64_t>(static_cast<uint32_t>(mask)) << at;
    };
    marks.quotes |= equal(bytes, '"');
    marks.opening |= equal(braces, '{');
    marks.closing |= equal(braces, '}');
    marks.special |= equal(bytes, '\\') | equal(bytes, '\n');
  }
  return marks;
}

// Bit i: how many of the bits 0 to i are set, odd or even.
uint64_t parities(uint64_t bits) {
  for (unsigned shift = 1; shift < kBlock; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

bool JsonScanner::pass(const char* block) {
  const Marks marks = marks_of(block);
  if (escaped || marks.special != 0) return false;
  const uint64_t inside = parities(marks.quotes) ^ (in_string ? ~uint64_t{0} : 0);
  const auto closed = static_cast<uint32_t>(std::popcount(marks.closing & ~inside));
  if (closed >= depth) return false;
  depth += static_cast<uint32_t>(std::popcount(marks.opening & ~inside)) - closed;
  in_string = (inside >> (kBlock - 1)) != 0;
  return true;
}

#else

bool JsonScanner::pass(const char* /*block*/) { return false; }

#endif

std::size_t JsonScanner::step(const char* data, std::size_t from, std::size_t end) {
  std::size_t i = from;
  while (i < end) {
    if (in_string) {
      if (escaped) {
        escaped = false;
        ++i;
        continue;
      }
      while (i < end && !kInside[static_cast<unsigned char>(data[i])]) ++i;
      if (i == end) break;
      const char c = data[i++];
      if (c == '\n') {
        *this = {};
        broken = true;
        return i;
      }
      escaped = c == '\\';
      in_string = c != '"';
      continue;
    }
    while (i < end && !kOutside[static_cast<unsigned char>(data[i])]) ++i;
    if (i == end) break;
    const char c = data[i++];
    if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (--depth == 0) {
      return i;
    }
  }
  return kOpen;
}

std::size_t JsonScanner::scan(const char* data, std::size_t from, std::size_t end) {
  for (std::size_t at = from; at < end;) {
    const std::size_t stop = at + std::min(kBlock, end - at);
    if (stop - at < kBlock || !pass(data + at)) {
      const std::size_t found = step(data, at, stop);
      if (found != kOpen) return found;
    }
    at = stop;
  }
  return kOpen;
}

}  // namespace ccm::kube
