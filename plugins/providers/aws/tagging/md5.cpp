#include "md5.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace ccm::aws {
namespace {

using Md5State = std::array<uint32_t, 4>;
constexpr std::size_t kMd5Block = 64;

// One byte with its highest bit, zeros, and the length in bits as eight bytes, the lowest first.
std::string md5_padded(std::string_view message) {
  std::string padded(message);
  padded += '\x80';
  while (padded.size() % kMd5Block != kMd5Block - 8) padded += '\0';
  const uint64_t bits = static_cast<uint64_t>(message.size()) * 8;
  for (unsigned shift = 0; shift < 64; shift += 8)
    padded += static_cast<char>(bits >> shift & 0xFFU);
  return padded;
}

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

void md5_take(Md5State& state, std::string_view block) {
  std::array<uint32_t, 16> words{};
  for (std::size_t i = 0; i < kMd5Block; ++i) {
    words[i / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(block[i])) << (i % 4 * 8);
  }
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < kMd5Block; ++i) {
    const uint32_t sum = a + md5_mix(i, b, c, d) + md5_sine(i) + words[md5_word(i)];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, md5_turn(i));
  }
  const Md5State added{a, b, c, d};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

std::string md5_hex(std::string_view message) {
  Md5State state{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U};
  const std::string padded = md5_padded(message);
  for (std::size_t at = 0; at < padded.size(); at += kMd5Block) {
    md5_take(state, std::string_view(padded).substr(at, kMd5Block));
  }
  std::string hex;
  for (const uint32_t word : state) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      hex += "0123456789abcdef"[word >> (shift + 4) & 0xFU];
      hex += "0123456789abcdef"[word >> shift & 0xFU];
    }
  }
  return hex;
}

}  // namespace ccm::aws
