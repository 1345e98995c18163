#include "matcher.hpp"

#include <gtest/gtest.h>

namespace ccm::e2e {
namespace {

using nlohmann::json;

TEST(Matcher, ObjectsMayHaveMoreMembers) {
  const json actual = {{"a", 1}, {"b", {{"c", 2}, {"d", 3}}}};
  EXPECT_EQ(mismatch({{"b", {{"d", 3}}}}, actual, {}), "");
  EXPECT_EQ(mismatch({{"b", {{"d", 4}}}}, actual, {}), "/b/d: expected 4, is 3");
  EXPECT_EQ(mismatch({{"x", 1}}, actual, {}), "/x: expected 1, is missing");
}

TEST(Matcher, ListsAreExact) {
  const json actual = {{"list", {{{"a", 1}, {"b", 2}}, {{"a", 3}}}}};
  EXPECT_EQ(mismatch({{"list", {{{"a", 1}}, {{"a", 3}}}}}, actual, {}), "");
  EXPECT_NE(mismatch({{"list", {{{"a", 3}}, {{"a", 1}}}}}, actual, {}), "");
  EXPECT_NE(mismatch({{"list", json::array({{{"a", 1}}})}}, actual, {}), "");
  EXPECT_NE(mismatch({{"list", json::array()}}, actual, {}), "");
}

TEST(Matcher, Conditions) {
  const Memory memory{{"first", "one"}};
  const json actual = {{"name", "one"}, {"count", 3}};
  EXPECT_EQ(mismatch({{"name", {{"$matches", "^o"}}}}, actual, memory), "");
  EXPECT_NE(mismatch({{"name", {{"$matches", "^n"}}}}, actual, memory), "");
  EXPECT_EQ(mismatch({{"name", {{"$sameAs", "first"}}}}, actual, memory), "");
  EXPECT_NE(mismatch({{"name", {{"$differsFrom", "first"}}}}, actual, memory), "");
  EXPECT_EQ(mismatch({{"count", {{"$atLeast", 3}, {"$atMost", 3}}}}, actual, memory), "");
  EXPECT_NE(mismatch({{"count", {{"$atLeast", 4}}}}, actual, memory), "");
  const json list = {{"items", {"a", "b"}}};
  EXPECT_EQ(mismatch({{"items", {{"$size", 2}}}}, list, memory), "");
  EXPECT_NE(mismatch({{"items", {{"$size", 1}}}}, list, memory), "");
  EXPECT_NE(mismatch({{"count", {{"$size", 3}}}}, actual, memory), "");
  EXPECT_EQ(mismatch({{"other", {{"$absent", true}}}}, actual, memory), "");
  EXPECT_NE(mismatch({{"name", {{"$absent", true}}}}, actual, memory), "");
  EXPECT_THROW(mismatch({{"name", {{"$invented", 1}}}}, actual, memory), std::runtime_error);
  EXPECT_THROW(mismatch({{"name", {{"$sameAs", "second"}}}}, actual, memory), std::runtime_error);
}

}  // namespace
}  // namespace ccm::e2e
