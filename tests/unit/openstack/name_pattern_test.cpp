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
        std::string(300, 'a'), std::string("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}")}) {
    EXPECT_FALSE(NamePattern::parse(pattern).ok()) << pattern;
  }
}

// Each of them doubles the memory that the C library takes: a fuzzer's finding.
TEST(OpenStackNamePatternTest, ManyRepeatsAreRefused) {
  EXPECT_TRUE(NamePattern::parse("~a+b+c+[0-9]+").ok());
  EXPECT_TRUE(NamePattern::parse("~a" + std::string(10, '+')).ok());
  const auto refused = NamePattern::parse("~a" + std::string(40, '+'));
  EXPECT_NE(refused.status().message().find("10 + at most"), std::string::npos);
  EXPECT_FALSE(NamePattern::parse("~((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+").ok());
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
