// Eight bytes at a time in a register (SWAR), for the loops over every byte that is received or
// sent. Any thread.
#pragma once

#include <cstdint>
#include <cstring>

namespace ccm::swar {

inline constexpr std::uint64_t kEach = 0x0101010101010101;
inline constexpr std::uint64_t kHighest = kEach * 0x80;

// The eight bytes at `data`.
inline std::uint64_t load(const char* data) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof(word));
  return word;
}

// Not zero when a byte of `word` is below `limit` (at most 0x80), and only then. Which one, it does
// not say.
constexpr std::uint64_t any_below(std::uint64_t word, unsigned char limit) {
  return (word - kEach * limit) & ~word & kHighest;
}

// Not zero when a byte of `word` is `byte`, and only then.
constexpr std::uint64_t any_equal(std::uint64_t word, unsigned char byte) {
  return any_below(word ^ (kEach * byte), 1);
}

}  // namespace ccm::swar
