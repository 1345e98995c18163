#include "ccm/testing/fake_crypto.hpp"

#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace ccm::testing {
namespace {

constexpr std::size_t kBlock = 64;

constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t word_at(std::string_view bytes, std::size_t place) {
  uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<uint8_t>(bytes[place + i]);
  return word;
}

// FIPS 180-4, 6.2.2.
void compress(std::array<uint32_t, 8>& hash, std::string_view block) {
  std::array<uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = word_at(block, t * 4);
  for (std::size_t t = 16; t < 64; ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = std::exchange(g, std::exchange(f, std::exchange(e, d + t1)));
    d = std::exchange(c, std::exchange(b, std::exchange(a, t1 + t2)));
  }
  const std::array<uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] += added[i];
}

int64_t give(const std::string& bytes, uint8_t* out, size_t capacity) {
  if (out != nullptr) std::memcpy(out, bytes.data(), std::min(capacity, bytes.size()));
  return static_cast<int64_t>(bytes.size());
}

}  // namespace

std::string sha256(std::string_view message) {
  std::array<uint32_t, 8> hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string padded(message);
  padded += '\x80';
  while (padded.size() % kBlock != kBlock - 8) padded += '\0';
  const uint64_t bits = uint64_t{message.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);
  for (std::size_t place = 0; place < padded.size(); place += kBlock) {
    compress(hash, std::string_view(padded).substr(place, kBlock));
  }
  std::string digest;
  for (const uint32_t word : hash) {
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  }
  return digest;
}

// RFC 2104.
std::string hmac_sha256(std::string_view key, std::string_view message) {
  std::string block = key.size() > kBlock ? sha256(key) : std::string(key);
  block.resize(kBlock, '\0');
  std::string inner;
  std::string outer;
  for (const char c : block) {
    inner += static_cast<char>(c ^ '\x36');
    outer += static_cast<char>(c ^ '\x5c');
  }
  return sha256(outer + sha256(inner + std::string(message)));
}

struct FakeCrypto::Table {
  static int64_t hash(void*, int32_t digest, ccm_str message, uint8_t* out, size_t capacity) {
    if (digest != CCM_DIGEST_SHA256) return -CCM_CODE_UNIMPLEMENTED;
    return give(sha256(view(message)), out, capacity);
  }
  static int64_t hmac(void*, int32_t digest, ccm_str key, ccm_str message, uint8_t* out,
                      size_t capacity) {
    if (digest != CCM_DIGEST_SHA256) return -CCM_CODE_UNIMPLEMENTED;
    return give(hmac_sha256(view(key), view(message)), out, capacity);
  }
  static int64_t sign(void*, const ccm_sign_request* given, uint8_t* out, size_t capacity) {
    const ccm_sign_request request = known(given);
    const bool algorithm_known =
        request.algorithm >= CCM_SIGN_RS256 && request.algorithm <= CCM_SIGN_ES256;
    if (!only_known(given) || !algorithm_known) return -CCM_CODE_UNIMPLEMENTED;
    if (view(request.key).empty()) return -CCM_CODE_INVALID_ARGUMENT;
    return give(hmac_sha256(view(request.key), view(request.message)), out, capacity);
  }
  static int64_t random(void* self, uint8_t* out, size_t capacity) {
    auto& crypto = *static_cast<FakeCrypto*>(self);
    const std::lock_guard lock(crypto.mutex_);
    for (size_t i = 0; i < capacity; i += 32) {
      const std::string bytes = sha256(std::to_string(++crypto.drawn_));
      std::memcpy(out + i, bytes.data(), std::min<size_t>(bytes.size(), capacity - i));
    }
    return static_cast<int64_t>(capacity);
  }
};

FakeCrypto::FakeCrypto() {
  table_ = sized<ccm_host_crypto>();
  table_.hash = &Table::hash;
  table_.hmac = &Table::hmac;
  table_.sign = &Table::sign;
  table_.random = &Table::random;
}

}  // namespace ccm::testing
