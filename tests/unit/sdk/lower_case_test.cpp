#include <ccm/lower_case.hpp>

#include <gtest/gtest.h>

namespace ccm {
namespace {

TEST(LowerCase, ChangesAsciiLettersAlone) {
  EXPECT_EQ(lower_case("AZ[@az09-\xC3\x84"), "az[@az09-\xC3\x84");
  EXPECT_EQ(lower_case(""), "");
  static_assert(lower_case('Q') == 'q');
}

}  // namespace
}  // namespace ccm
