#include "base/text.hpp"

#include <gtest/gtest.h>

namespace ccm {
namespace {

TEST(UserInfo, NoUserAndNoPasswordOfAnUrlIsShown) {
  EXPECT_EQ(without_user_info("https://api:6443"), "https://api:6443");
  EXPECT_EQ(without_user_info("https://u:p@api/x@y"), "https://[redacted]@api/x@y");
  EXPECT_EQ(without_user_info("a,http://u@b,https://v:w@c"),
            "a,http://[redacted]@b,https://[redacted]@c");
  EXPECT_EQ(without_user_info("://@"), "://[redacted]@");
  EXPECT_EQ(without_user_info("plain@value"), "plain@value");
}

}  // namespace
}  // namespace ccm
