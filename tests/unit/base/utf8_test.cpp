#include "base/text.hpp"

#include <gtest/gtest.h>

namespace ccm {
namespace {

TEST(Utf8, WellFormedTextStaysAsItIs) {
  for (const char* text :
       {"", "plain", "\u00e9", "\u20ac", "\U0001F600", "\ud7ff\ue000", "\U0010FFFF"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(utf8_text(text), text);
  }
}

TEST(Utf8, EachStrayByteBecomesOneReplacement) {
  const std::pair<const char*, const char*> cases[] = {
      {"a\xff", "a\uFFFD"},
      {"\x80z", "\uFFFDz"},
      {"\xc3", "\uFFFD"},                                // cut short
      {"\xe2\x82", "\uFFFD\uFFFD"},                      // cut short
      {"\xc0\xaf", "\uFFFD\uFFFD"},                      // overlong
      {"\xe0\x80\x80", "\uFFFD\uFFFD\uFFFD"},            // overlong
      {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},            // surrogate
      {"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},  // above U+10FFFF
      {"\xf5", "\uFFFD"},
  };
  for (const auto& [text, repaired] : cases) {
    EXPECT_FALSE(is_utf8(text)) << repaired;
    EXPECT_EQ(utf8_text(text), repaired);
  }
}

TEST(Utf8, NulIsACharacter) {
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
  EXPECT_EQ(utf8_text(std::string_view("\0\xff", 2)), std::string("\0\uFFFD", 4));
}

TEST(Utf8, TheFrontEndsBetweenTwoCharacters) {
  EXPECT_EQ(utf8_front("abc", 3), "abc");
  EXPECT_EQ(utf8_front("abcd", 3), "abc");
  EXPECT_EQ(utf8_front("a\u20acb", 3), "a");
  EXPECT_EQ(utf8_front("a\u20acb", 4), "a\u20ac");
  EXPECT_EQ(utf8_front("\u20ac", 0), "");
}

}  // namespace
}  // namespace ccm
