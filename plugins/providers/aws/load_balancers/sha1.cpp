#include "sha1.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ccm::aws {
namespace {

using Sha1State = std::array<uint32_t, 5>;
constexpr std::size_t kSha1Block = 64;

// One byte with its highest bit, zeros, and the length in bits as eight bytes.
std::string sha1_padded(std::string_view message) {
  std::string padded(message);
  padded += '\x80';
  while (padded.size() % kSha1Block != kSha1Block - 8) padded += '\0';
  const uint64_t bits = static_cast<uint64_t>(message.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xFFU);
  return padded;
}

std::array<uint32_t, 80> sha1_schedule(std::string_view block) {
  std::array<uint32_t, 80> words{};
  for (std::size_t i = 0; i < kSha1Block; ++i) {
    words[i / 4] = words[i / 4] << 8U | static_cast<uint8_t>(block[i]);
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
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

void sha1_take(Sha1State& state, std::string_view block) {
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
  const Sha1State added{a, b, c, d, e};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

std::string sha1_hex(std::string_view message) {
  Sha1State state{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  const std::string padded = sha1_padded(message);
  for (std::size_t at = 0; at < padded.size(); at += kSha1Block) {
    sha1_take(state, std::string_view(padded).substr(at, kSha1Block));
  }
  std::string hex;
  for (const uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 0xFU];
  }
  return hex;
}

}  // namespace ccm::aws
