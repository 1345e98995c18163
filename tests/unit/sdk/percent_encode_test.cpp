#include <ccm/percent_encode.hpp>

#include <gtest/gtest.h>

namespace ccm {
namespace {

TEST(PercentEncode, UnreservedCharactersStay) {
  EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
}

TEST(PercentEncode, AllElseIsEncodedByteByByte) {
  EXPECT_EQ(percent_encode("a b/c?d=e&f%"), "a%20b%2Fc%3Fd%3De%26f%25");
  EXPECT_EQ(percent_encode("\xC3\xA4"), "%C3%A4");
  EXPECT_EQ(percent_encode(""), "");
}

}  // namespace
}  // namespace ccm
