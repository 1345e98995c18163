#include "md5.hpp"

#include "block_hash.hpp"

#include <cmath>

namespace ccm::aws {
namespace {

using Md5State = std::array<uint32_t, 4>;

// Which word of the block, and how far, in round i (RFC 1321, 3.4).
std::size_t md5_word(std::size_t i) {
  constexpr std::array<std::size_t, 4> kFactor{1, 5, 3, 7};
  constexpr std::array<std::size_t, 4> kOffset{0, 1, 5, 0};
  return (kFactor[i / 16] * i + kOffset[i / 16]) % 16;
}
int md5_turn(std::size_t i) {
  constexpr std::array<std::array<int, 4>, 4> kTurns{
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  return kTurns[i / 16][i % 4];
}
uint32_t md5_mix(std::size_t i, uint32_t b, uint32_t c, uint32_t d) {
  if (i < 16) return (b & c) | (~b & d);
  if (i < 32) return (d & b) | (~d & c);
  if (i < 48) return b ^ c ^ d;
  return c ^ (b | ~d);
}
// The RFC's table T.
uint32_t md5_sine(std::size_t i) {
  return static_cast<uint32_t>(4294967296.0 * std::fabs(std::sin(static_cast<double>(i + 1))));
}

Md5State md5_rounds(const Md5State& state, const HashBlock& block) {
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const uint32_t sum = a + md5_mix(i, b, c, d) + md5_sine(i) + block[md5_word(i)];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, md5_turn(i));
  }
  return {a, b, c, d};
}

}  // namespace

std::string md5_hex(std::string_view message) {
  constexpr Md5State kStart{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U};
  return block_hash<std::endian::little>(message, kStart, &md5_rounds);
}

}  // namespace ccm::aws
