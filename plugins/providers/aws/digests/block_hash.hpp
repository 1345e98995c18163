// What SHA-1 and MD5 have in common: words of 32 bits, blocks of 16 words, the length at the end
// (RFC 1321, 3.1 to 3.3; RFC 3174, 4). The host's crypto has neither, and where FIPS counts it may
// not have them. Any thread.
#pragma once

#include <ccm/hexadecimal.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ccm::aws {

using HashBlock = std::array<uint32_t, 16>;

// The digest in hexadecimal digits. `kOrder`: of the bytes of a word. `state`: before the first
// block. `rounds(state, block)` gives what a block adds to the state.
template <std::endian kOrder, std::size_t kWords, typename Rounds>
std::string block_hash(std::string_view message, std::array<uint32_t, kWords> state,
                       Rounds rounds) {
  constexpr std::size_t kBlock = 64;
  constexpr std::size_t kLength = 8;  // bytes of the message's length in bits
  const auto shift = [](std::size_t index, std::size_t size) {
    return 8 * (kOrder == std::endian::little ? index : size - 1 - index);
  };
  std::string padded(message);
  padded += '\x80';
  while (padded.size() % kBlock != kBlock - kLength) padded += '\0';
  const uint64_t bits = uint64_t{message.size()} * 8;
  for (std::size_t i = 0; i < kLength; ++i) {
    padded += static_cast<char>(bits >> shift(i, kLength) & 0xFFU);
  }
  for (std::size_t at = 0; at < padded.size(); at += kBlock) {
    HashBlock block{};
    for (std::size_t i = 0; i < kBlock; ++i) {
      block[i / 4] |= uint32_t{static_cast<uint8_t>(padded[at + i])} << shift(i % 4, 4);
    }
    const std::array<uint32_t, kWords> added = rounds(state, block);
    for (std::size_t i = 0; i < kWords; ++i) state[i] += added[i];
  }
  std::string digits;
  for (const uint32_t word : state) {
    for (std::size_t i = 0; i < 4; ++i) {
      append_hexadecimal(digits, static_cast<uint8_t>(word >> shift(i, 4)));
    }
  }
  return digits;
}

}  // namespace ccm::aws
