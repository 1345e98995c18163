#include <ccm/hexadecimal.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ccm {
namespace {

TEST(Hexadecimal, EachByteHasTwoDigitsInLowerCase) {
  EXPECT_EQ(hexadecimal(std::string_view("\0\x09\x7f\xab\xff", 5)), "00097fabff");
  EXPECT_EQ(hexadecimal(""), "");
}

TEST(Hexadecimal, OneByteComesBehindWhatIsThere) {
  std::string text = "\\x";
  append_hexadecimal(text, 0x1b);
  EXPECT_EQ(text, "\\x1b");
}

}  // namespace
}  // namespace ccm
