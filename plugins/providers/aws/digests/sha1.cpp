#include "sha1.hpp"

#include "block_hash.hpp"

#include <algorithm>

namespace ccm::aws {
namespace {

using Sha1State = std::array<uint32_t, 5>;

std::array<uint32_t, 80> sha1_schedule(const HashBlock& block) {
  std::array<uint32_t, 80> words{};
  std::copy(block.begin(), block.end(), words.begin());
  for (std::size_t i = block.size(); i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  return words;
}

uint32_t sha1_mix(std::size_t round, uint32_t b, uint32_t c, uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5A827999U;
  if (round < 40) return (b ^ c ^ d) + 0x6ED9EBA1U;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
  return (b ^ c ^ d) + 0xCA62C1D6U;
}

Sha1State sha1_rounds(const Sha1State& state, const HashBlock& block) {
  const auto words = sha1_schedule(block);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const uint32_t next = std::rotl(a, 5) + sha1_mix(i, b, c, d) + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  return {a, b, c, d, e};
}

}  // namespace

std::string sha1_hex(std::string_view message) {
  constexpr Sha1State kStart{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  return block_hash<std::endian::big>(message, kStart, &sha1_rounds);
}

}  // namespace ccm::aws
