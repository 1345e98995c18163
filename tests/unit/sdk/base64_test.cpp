#include <ccm/base64.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

TEST(Base64, ComesBackAndRefusesWhatIsNone) {
  for (const std::string& text : {std::string(), std::string("a"), std::string("ab"),
                                  std::string("abc"), std::string("\0\xff\x80 x", 5)}) {
    EXPECT_EQ(base64_decode(base64_encode(text)), text);
  }
  EXPECT_EQ(base64_encode("ab"), "YWI=");
  EXPECT_EQ(base64_decode("YW\nI ="), "ab");
  for (const char* bad : {"a", "YWI", "YWI==", "Y=WI", "YW!I", "===="})
    EXPECT_FALSE(base64_decode(bad)) << bad;
}

}  // namespace
}  // namespace ccm
