#include "openstack/network/name_pattern.hpp"

#include "openstack/load_balancers/options.hpp"

#include <gtest/gtest.h>

namespace ccm::openstack {
namespace {

bool fits(const std::string& pattern, const std::string& name = "test-123") {
  return NamePattern::parse(pattern)->fits(name);
}

TEST(OpenStackNamePatternTest, OS_244_417_GlobsAndRegularExpressions) {
  for (const char* pattern : {"test-*", "~test-.*", "*", "{test,other}-???", "~test-\\d+"}) {
    EXPECT_TRUE(fits(pattern)) << pattern;
    EXPECT_FALSE(fits("!" + std::string(pattern))) << pattern;
  }
  EXPECT_FALSE(fits("other*"));
  EXPECT_TRUE(fits("!other*"));
  EXPECT_FALSE(fits("test")) << "the whole name";
  EXPECT_FALSE(fits("~test"));
}

TEST(OpenStackNamePatternTest, OS_244_WhatWouldTakeLongIsRefused) {
  for (const std::string& pattern :
       {std::string("~(a{1,99}){1,99}"), std::string("~(a)\\1"), std::string("~("),
        std::string("~a++"), std::string(1'100, 'a')}) {
    const auto refused = NamePattern::parse(pattern);
    ASSERT_FALSE(refused.ok()) << pattern;
    EXPECT_EQ(refused.status().error_class(), ErrorClass::invalid_spec);
    EXPECT_TRUE(refused.status().message().starts_with("floating-subnet \""));
  }
}

// The C library's regcomp() takes minutes for these.
TEST(OpenStackNamePatternTest, NestedRepetitionsTakeNoTime) {
  for (const char* pattern : {"~((((((((a?)+)+)+)+)+)+)+)+", "~(((((((((((a+)+)+)+)+)+)+)+)+)+)+)+",
                              "~(a*)*(a*)*(a*)*(a*)*", "~(a?){30}a{30}"}) {
    EXPECT_TRUE(fits(pattern, std::string(30, 'a'))) << pattern;
    EXPECT_FALSE(fits(pattern, std::string(200, 'a') + "b")) << pattern;
  }
  EXPECT_TRUE(fits("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "abababa"));
}

// As in the Go manager.
TEST(OpenStackNamePatternTest, OS_244_AStarStopsAtASlash) {
  EXPECT_FALSE(fits("ext-*", "ext-10.0.0.0/24"));
  EXPECT_TRUE(fits("ext-*/24", "ext-10.0.0.0/24"));
  EXPECT_TRUE(fits("ext-**", "ext-10.0.0.0/24"));
}

TEST(OpenStackNamePatternTest, OS_245_TagsAsTheyAreDocumented) {
  EXPECT_EQ(tag_query(""), "");
  EXPECT_EQ(tag_query("a"), "&tags-any=a");
  EXPECT_EQ(tag_query("&a"), "&tags=a");
  EXPECT_EQ(tag_query("!a"), "&not-tags-any=a");
  EXPECT_EQ(tag_query("!&a"), "&not-tags=a");
}

TEST(OpenStackNodeSelectorTest, OS_213_416_KeysAndValues) {
  const NodeSelector expected = {{"k1", "v1"}, {"k2", "v2=true"}};
  EXPECT_EQ(parse_node_selector("k1=v1,k2=v2=true"), expected);
  const NodeSelector blank = {{"k1", "v1"}, {"k2", std::nullopt}};
  EXPECT_EQ(parse_node_selector(" k1=v1, k2 "), blank);
  EXPECT_TRUE(parse_node_selector("").empty());
}

}  // namespace
}  // namespace ccm::openstack
