#include "yaml/yaml.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

using nlohmann::json;

std::string refusal(const std::string& text) {
  const auto parsed = parse_yaml(text);
  return parsed.ok() ? "(none)" : parsed.status().message();
}

TEST(YamlTest, MapsListsAndTexts) {
  EXPECT_EQ(*parse_yaml("a: {b: 1, c: [x, 'y']}\nd: \"true\"\n"),
            (json{{"a", {{"b", "1"}, {"c", {"x", "y"}}}}, {"d", "true"}}));
}

TEST(YamlTest, PlainScalarsMayBeNullOrBoolean) {
  EXPECT_EQ(*parse_yaml("[~, null, '', yes, Off, 007, 1.5, \u00e4]"),
            (json{nullptr, nullptr, "", true, false, "007", "1.5", "\u00e4"}));
}

TEST(YamlTest, AnEmptyTextIsNull) {
  for (const char* text : {"", "# nothing\n", "---\n"}) EXPECT_TRUE(parse_yaml(text)->is_null());
}

TEST(YamlTest, Aliases) {
  EXPECT_EQ(*parse_yaml("a: &x {b: c}\nd: *x\n"), (json{{"a", {{"b", "c"}}}, {"d", {{"b", "c"}}}}));
}

TEST(YamlTest, MergeKeys) {
  EXPECT_EQ(*parse_yaml("a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\n"
                        "one: {<<: *a, y: own}\nlist: {z: own, <<: [*a, *b]}\n"
                        "twice: {<<: {<<: *b, q: 3}}\nquoted: {'<<': 1}\n"),
            (json{{"a", {{"x", "1"}, {"y", "1"}}},
                  {"b", {{"y", "2"}, {"z", "2"}}},
                  {"one", {{"x", "1"}, {"y", "own"}}},
                  {"list", {{"x", "1"}, {"y", "1"}, {"z", "own"}}},
                  {"twice", {{"y", "2"}, {"z", "2"}, {"q", "3"}}},
                  {"quoted", {{"<<", "1"}}}}));
  EXPECT_EQ(refusal("a: {<<: secret}"), "line 1: << merges maps only");
  EXPECT_EQ(refusal("a: {<<: [{}, secret]}"), "line 1: << merges maps only");
  EXPECT_EQ(refusal("a: &a {}\nb: {<<: *a, <<: *a}"), "line 2: << is given twice");
}

TEST(YamlTest, MergeKeysWithoutAnEndAreRefused) {
  EXPECT_EQ(refusal("a: &a {<<: *a}"), "line 1: too many values or levels");
  std::string bomb = "a0: &a0 {x: x}\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + before + ", " +
            before + ", " + before + "]}\n";
  }
  EXPECT_NE(refusal(bomb).find("too many values"), std::string::npos);
}

TEST(YamlTest, AFaultHasItsLineAndNoValue) {
  EXPECT_TRUE(refusal("a: b\nc: [secret\n").starts_with("line ")) << refusal("a: b\nc: [secret\n");
  EXPECT_EQ(refusal("a: [secret").find("secret"), std::string::npos);
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "line 3: a is given twice");
  EXPECT_EQ(refusal("a: 1\n? [k]\n: 2\n"), "line 1: a key is no text");
}

TEST(YamlTest, ASecondDocumentIsRefused) {
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "line 2: text after the end of the document");
  EXPECT_EQ(refusal("a: 1\n---\n[\n"), "line 4: text after the end of the document");
  EXPECT_EQ(refusal("---\na: 1\n...\n"), "(none)");
}

TEST(YamlTest, JsonIsYaml) {
  EXPECT_EQ(*parse_yaml("{\n\t\"a\": [\"b\\u00e4\", {\"c\": true, \"d\": null}]\n}\n"),
            (json{{"a", {"b\u00e4", {{"c", true}, {"d", nullptr}}}}}));
}

TEST(YamlTest, AsManyValuesAsTheCallerAllows) {
  EXPECT_TRUE(parse_yaml("[1, 2]", 3).ok());
  EXPECT_EQ(parse_yaml("[1, 2]", 2).status().message(), "line 1: too many values or levels");
}

TEST(YamlTest, AliasesWithoutAnEndAreRefused) {
  EXPECT_EQ(refusal("&a [*a]"), "line 1: too many values or levels");
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + before + ", *a" +
            before + "]\n";
  }
  EXPECT_NE(refusal(bomb).find("too many values"), std::string::npos);
}

}  // namespace
}  // namespace ccm
