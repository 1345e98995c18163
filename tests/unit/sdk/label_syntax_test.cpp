#include <ccm/label_syntax.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

TEST(LabelSyntax, Values) {
  for (const char* good : {"", "a", "A1", "a-b_c.d", "1"})
    EXPECT_TRUE(is_label_value(good)) << good;
  EXPECT_TRUE(is_label_value(std::string(63, 'a')));
  for (const char* bad : {"-a", "a-", ".", "a b", "a/b", "ä", "a\n"}) {
    EXPECT_FALSE(is_label_value(bad)) << bad;
  }
  EXPECT_FALSE(is_label_value(std::string(64, 'a')));
}

TEST(LabelSyntax, Keys) {
  for (const char* good : {"a", "A.b_c", "example.com/a", "a-b.c/x"}) {
    EXPECT_TRUE(is_label_key(good)) << good;
  }
  const std::string long_name = std::string(64, 'a');
  const std::string long_prefix = std::string(254, 'a') + "/x";
  for (const std::string& bad :
       {std::string(), std::string("/a"), std::string("a/"), std::string("A.com/a"),
        std::string("a..b/c"), std::string("a/b/c"), std::string("a-.b/c"), std::string("-a.b/c"),
        long_name, long_prefix}) {
    EXPECT_FALSE(is_label_key(bad)) << bad;
  }
}

}  // namespace
}  // namespace ccm
