#include "service/packed_texts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::service {
namespace {

TEST(PackedTextsTest, ItHasTheTextsInTheirOrder) {
  const std::string long_one(70'000, 'x');
  const std::string_view with_nul("a\0b", 3);
  const PackedTexts texts({"one", "", long_one, with_nul});
  ASSERT_EQ(texts.size(), 4U);
  EXPECT_EQ(texts[0], "one");
  EXPECT_EQ(texts[1], "");
  EXPECT_EQ(texts[2], long_one);
  EXPECT_EQ(texts[3], with_nul);
}

TEST(PackedTextsTest, BeyondItsEndThereIsNothing) {
  EXPECT_EQ(PackedTexts()[0], "");
  EXPECT_TRUE(PackedTexts().empty());
  EXPECT_TRUE(PackedTexts(std::vector<std::string_view>()).empty());
  const PackedTexts one({"one"});
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one[1], "");
}

TEST(PackedTextsTest, WhatWasMovedIsElsewhere) {
  PackedTexts from({"one"});
  const PackedTexts to = std::move(from);
  EXPECT_EQ(to[0], "one");
}

}  // namespace
}  // namespace ccm::service
