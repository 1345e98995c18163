#include "base/swar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ccm::swar {
namespace {

TEST(Swar, SaysOfEachWordWhatItsBytesSay) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::uint64_t word = random();
    // Bytes beside the limits are the ones that a borrow would spoil.
    if (round % 2 == 0) word = (word & (kEach * 0x03)) + kEach * 0x1e;
    char bytes[8];
    std::memcpy(bytes, &word, sizeof(bytes));
    EXPECT_EQ(load(bytes), word);
    const auto any = [&](auto matches) { return std::any_of(bytes, bytes + 8, matches); };
    EXPECT_EQ(any_below(word, 0x20) != 0,
              any([](char c) { return static_cast<unsigned char>(c) < 0x20; }));
    for (const char byte : {'\0', '\x1f', '"', '\x7f', '\xff'}) {
      EXPECT_EQ(any_equal(word, static_cast<unsigned char>(byte)) != 0,
                any([&](char c) { return c == byte; }));
    }
  }
}

}  // namespace
}  // namespace ccm::swar
