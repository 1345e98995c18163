#include "api/yaml.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace sandbox {
namespace {

TEST(Yaml, MergeKeysAreFollowed) {
  const Json object = parse_yaml(
      "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nboth: {z: 3, <<: [*a, *b]}\nquoted: {'<<': 4}\n");
  EXPECT_EQ(object.at("both"), Json::parse(R"({"x":1,"y":1,"z":3})"));
  EXPECT_EQ(object.at("quoted"), Json::parse(R"({"<<":4})"));
  EXPECT_THROW(parse_yaml("a: {<<: x}"), std::invalid_argument);
}

TEST(Yaml, AliasesThatMakeATreeOfItAreRefused) {
  EXPECT_THROW(parse_yaml("&a [*a]"), std::invalid_argument);
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            "]\n";
  }
  EXPECT_THROW(parse_yaml(bomb), std::invalid_argument);
}

}  // namespace
}  // namespace sandbox
