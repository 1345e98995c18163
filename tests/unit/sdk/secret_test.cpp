#include <ccm/secret.hpp>

#include <gtest/gtest.h>

#include <sstream>

namespace ccm {
namespace {

TEST(SecretTest, PrintsItselfNever) {
  std::ostringstream out;
  out << Secret("hunter2") << Secret();
  EXPECT_EQ(out.str(), "(secret)(no secret)");
  EXPECT_EQ(::testing::PrintToString(Secret("hunter2")), "(secret)");
}

TEST(SecretTest, IsComparedAndRevealed) {
  EXPECT_EQ(Secret("a"), Secret("a"));
  EXPECT_NE(Secret("a"), Secret("b"));
  EXPECT_EQ(Secret("a").reveal(), "a");
  EXPECT_TRUE(Secret().empty());
}

}  // namespace
}  // namespace ccm
