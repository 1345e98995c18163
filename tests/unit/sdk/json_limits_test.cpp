#include <ccm/json.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(JsonLimitsTest, WhatKeepsWithinThemIsRead) {
  for (const char* text : {"{}", "[]", "1", "\"a\"", R"({"a": [1, "x,:[{\"", null]})", "[[[]]]"}) {
    EXPECT_TRUE(check_json(text).ok()) << text;
    ASSERT_TRUE(read_json(text).ok()) << text;
    EXPECT_EQ(*read_json(text), nlohmann::json::parse(text));
  }
  EXPECT_EQ(read_json("{").status().message(), "is not JSON");
  EXPECT_EQ(read_json("").status().code(), Code::data_loss);
}

TEST(JsonLimitsTest, Issue37_Depth) {
  const auto nested = [](std::size_t depth) { return repeated("[", depth) + repeated("]", depth); };
  EXPECT_TRUE(read_json(nested(64)).ok());
  const auto refused = read_json(nested(65));
  EXPECT_EQ(refused.status().code(), Code::resource_exhausted);
  EXPECT_EQ(refused.status().message(), "nests deeper than 64 levels");
  EXPECT_FALSE(read_json(repeated("[", 10u << 20)).ok());
  EXPECT_FALSE(read_json(repeated("{\"a\":", 100'000)).ok());
  // Brackets in texts are none.
  EXPECT_TRUE(read_json("\"" + repeated("[", 100) + "\"").ok());
  EXPECT_TRUE(read_json("\"\\\"" + repeated("[", 100) + "\"").ok());
}

TEST(JsonLimitsTest, Issue37_Values) {
  JsonLimits limits;
  limits.values = 5;
  EXPECT_TRUE(read_json("[1,2,3,4]", limits).ok());
  EXPECT_EQ(read_json("[1,2,3,4,5]", limits).status().message(), "has more than 5 values");
  EXPECT_TRUE(read_json(R"({"a":1,"b":2})", limits).ok());
  EXPECT_FALSE(read_json(R"({"a":1,"b":2,"c":3})", limits).ok()) << "names count, too";
  EXPECT_FALSE(read_json("[" + repeated("[],", 1'000'000) + "0]").ok());
  EXPECT_TRUE(read_json("\"" + repeated(",", 1'000'000) + "\"").ok());
}

TEST(JsonLimitsTest, Issue37_Bytes) {
  JsonLimits limits;
  limits.bytes = 10;
  EXPECT_TRUE(read_json("\"12345678\"", limits).ok());
  EXPECT_EQ(read_json("\"123456789\"", limits).status().message(), "is larger than 10 bytes");
  limits = {};
  limits.text_bytes = 10;
  EXPECT_TRUE(read_json("[\"1234567890\"]", limits).ok());
  EXPECT_EQ(read_json("[\"12345678901\"]", limits).status().message(),
            "has a text of more than 10 bytes");
  EXPECT_FALSE(read_json("[12345678901]", limits).ok()) << "a number";
  EXPECT_FALSE(read_json("[" + std::string(11, ' ') + "1]", limits).ok()) << "space";
  EXPECT_FALSE(read_json("12345678901", limits).ok());
  EXPECT_FALSE(check_json("\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"", limits).ok()) << "without an end";
}

// The count is never below what a parser makes.
TEST(JsonLimitsTest, EveryValueCounts) {
  const std::string text = R"({"a":[1,2,{"b":null},[]],"c":{},"d":"x","e":[[[]]]})";
  std::size_t values = 0;
  const auto count = [&values](int, nlohmann::json::parse_event_t event, const nlohmann::json&) {
    using Event = nlohmann::json::parse_event_t;
    if (event != Event::array_end && event != Event::object_end) ++values;
    return true;
  };
  ASSERT_TRUE(read_json(text, {}, count).ok());
  JsonLimits limits;
  limits.values = values - 1;
  EXPECT_FALSE(check_json(text, limits).ok());
}

TEST(JsonLimitsTest, MembersMayBeDropped) {
  const auto keep = [](int, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    return event != nlohmann::json::parse_event_t::key || parsed != "b";
  };
  EXPECT_EQ(*read_json(R"({"a":1,"b":[1,2]})", {}, keep), nlohmann::json({{"a", 1}}));
}

}  // namespace
}  // namespace ccm
