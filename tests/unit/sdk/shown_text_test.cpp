#include <ccm/shown_text.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

TEST(ShownText, Issue37_12_CharactersThatTurnOrHideOthersAreReplaced) {
  for (const char* hidden :
       {"\u0085", "\u00ad",     "\u061c",     "\u115f",     "\u180e", "\u200b", "\u200f", "\u2028",
        "\u202a", "\u202e",     "\u2060",     "\u2066",     "\u206f", "\u3164", "\ufeff", "\uffa0",
        "\ufff9", "\U0001d173", "\U000e0041", "\U000e0100", "\x1b",   "\r",     "\x7f"}) {
    EXPECT_EQ(shown_text(std::string("a") + hidden + "b"), "a\ufffdb") << hidden;
    EXPECT_EQ(shown_text(hidden), "\ufffd") << hidden;
  }
  EXPECT_EQ(hidden_length("\u202ex"), 3u);
  EXPECT_EQ(hidden_length("x\u202e"), 0u);
  EXPECT_EQ(hidden_length("\xe2\x80"), 0u) << "no character";
  EXPECT_EQ(hidden_length(""), 0u);
}

TEST(ShownText, AllOthersStay) {
  const std::string text =
      "a b\n\tc \u00a0\u00e4\u20ac\u2027\u202f\u2070\u65e5\u672c\ufffd\U0001f600";
  EXPECT_EQ(shown_text(text), text);
}

}  // namespace
}  // namespace ccm
