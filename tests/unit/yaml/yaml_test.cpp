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
