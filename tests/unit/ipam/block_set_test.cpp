#include "ipam/block_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace ccm::ipam {
namespace {

Cidr cidr(std::string_view text) { return *parse_cidr(text); }

TEST(BlockSet, IPAM_20_BlocksFollowFromTheClusterBase) {
  const BlockSet v4(cidr("10.244.0.0/16"), 24);
  EXPECT_EQ(v4.size(), 256U);
  EXPECT_EQ(v4.block(0).text(), "10.244.0.0/24");
  EXPECT_EQ(v4.block(255).text(), "10.244.255.0/24");
  const BlockSet odd(cidr("10.0.0.128/25"), 30);
  EXPECT_EQ(odd.block(31).text(), "10.0.0.252/30");
  const BlockSet v6(cidr("fd00:1::/48"), 64);
  EXPECT_EQ(v6.size(), 65536U);
  EXPECT_EQ(v6.block(0xABCD).text(), "fd00:1:0:abcd::/64");
  const BlockSet one(cidr("10.0.0.0/24"), 24);
  EXPECT_EQ(one.size(), 1U);
}

TEST(BlockSet, IPAM_22_ARangeTakesEveryBlockThatItOverlaps) {
  const BlockSet set(cidr("10.244.0.0/16"), 24);
  const auto span = [&](std::string_view text) {
    const auto found = set.span(cidr(text));
    return found ? std::to_string(found->first) + "-" + std::to_string(found->last) : "outside";
  };
  EXPECT_EQ(span("10.244.7.0/24"), "7-7");
  EXPECT_EQ(span("10.244.7.64/26"), "7-7");
  EXPECT_EQ(span("10.244.8.0/22"), "8-11");
  EXPECT_EQ(span("10.244.0.0/16"), "0-255");
  EXPECT_EQ(span("10.0.0.0/8"), "0-255");
  EXPECT_EQ(span("10.245.0.0/24"), "outside");
  EXPECT_EQ(span("fd00::/64"), "outside");
}

TEST(BlockSet, IPAM_22_23_HoldingAndReleasingIsBalanced) {
  BlockSet set(cidr("10.0.0.0/22"), 24);
  EXPECT_EQ(set.hold({0, 1}), 2U);
  EXPECT_EQ(set.hold({1, 3}), 2U);
  EXPECT_EQ(set.taken(), 4U);
  EXPECT_FALSE(set.find_free(0));
  EXPECT_EQ(set.release({0, 1}), 1U);  // 1 has another holder
  EXPECT_EQ(set.find_free(2)->block, 0U);
  EXPECT_EQ(set.release({1, 3}), 3U);
  EXPECT_EQ(set.release({1, 3}), 0U);  // of nobody
  EXPECT_EQ(set.taken(), 0U);
}

TEST(BlockSet, WhatIsAvoidedIsGivenLast) {
  BlockSet set(cidr("10.0.0.0/16"), 24);
  set.avoid({0, 255});
  EXPECT_EQ(set.find_free(7)->block, 7U) << "all of them";
  set.stop_avoiding({0, 255});
  set.avoid({8, 15});
  set.avoid({12, 63});
  set.avoid({12, 63});
  EXPECT_EQ(set.find_free(7)->block, 7U);
  EXPECT_EQ(set.find_free(8)->block, 64U);
  EXPECT_EQ(set.find_free(8)->skipped, 56U);
  set.stop_avoiding({12, 63});
  EXPECT_EQ(set.find_free(8)->block, 64U);
  set.stop_avoiding({12, 63});
  EXPECT_EQ(set.find_free(8)->block, 16U);
  set.hold({16, 255});
  EXPECT_EQ(set.find_free(8)->block, 0U);
  set.hold({0, 7});
  EXPECT_EQ(set.find_free(3)->block, 8U);
  set.hold({8, 15});
  EXPECT_FALSE(set.find_free(0));
}

// A claim of the whole pool by each of many Nodes costs no more than one of a block.
TEST(BlockSet, AvoidingCostsTheSameForAnyWidth) {
  BlockSet set(cidr("10.0.0.0/8"), 32);
  for (int i = 0; i < 100'000; ++i) set.avoid({0, set.size() - 1});
  EXPECT_EQ(set.find_free(0)->block, 0U);
  for (int i = 0; i < 100'000; ++i) set.stop_avoiding({0, set.size() - 1});
  EXPECT_EQ(set.holders(0), 0U);
}

// A model that is too simple to be wrong.
class Model {
 public:
  explicit Model(uint32_t size) : holders_(size, 0) {}
  std::vector<int> holders_;
  std::optional<uint32_t> find_free(uint32_t from) const {
    for (uint32_t i = 0; i < holders_.size(); ++i) {
      const auto block = static_cast<uint32_t>((from + i) % holders_.size());
      if (holders_[block] == 0) return block;
    }
    return std::nullopt;
  }
};

TEST(BlockSet, BehavesAsAModelDoes) {
  std::mt19937 random(11);
  for (const unsigned bits : {0U, 1U, 3U, 5U, 6U, 7U, 9U}) {
    BlockSet set(cidr("10.0.0.0/16"), 16 + bits);
    Model model(set.size());
    std::vector<BlockSet::Span> held;
    for (int round = 0; round < 3'000; ++round) {
      if (held.empty() || random() % 5 < 3) {
        const uint32_t first = random() % set.size();
        const uint32_t length = random() % 10 == 0 ? random() % set.size() : 0;
        const BlockSet::Span span{first, std::min(first + length, set.size() - 1)};
        set.hold(span);
        for (uint32_t block = span.first; block <= span.last; ++block) ++model.holders_[block];
        held.push_back(span);
      } else {
        const auto place = held.begin() + static_cast<int64_t>(random() % held.size());
        set.release(*place);
        for (uint32_t b = place->first; b <= place->last; ++b) --model.holders_[b];
        held.erase(place);
      }
      const uint32_t from = random() % set.size();
      const auto expected = model.find_free(from);
      const auto found = set.find_free(from);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (!found) continue;
      ASSERT_EQ(found->block, *expected);
      ASSERT_EQ(found->skipped, (*expected + set.size() - from) % set.size());
    }
  }
}

TEST(BlockSet, TRAP_23_AMillionBlocksAreCheap) {
  BlockSet set(cidr("10.0.0.0/8"), 28);
  EXPECT_EQ(set.size(), uint32_t{1} << 20U);
  uint32_t cursor = 0;
  for (uint32_t i = 0; i < set.size(); ++i) {  // quadratic would not end
    const auto free = set.find_free(cursor);
    ASSERT_TRUE(free);
    ASSERT_EQ(free->skipped, 0U);
    set.hold({free->block, free->block});
    cursor = free->block + 1;
  }
  EXPECT_FALSE(set.find_free(0));
  set.release({777'777, 777'777});
  EXPECT_EQ(set.find_free(777'778)->block, 777'777U);
}

}  // namespace
}  // namespace ccm::ipam
