// Texts that others wrote, as ccmctl prints them.
#include "ccmctl/output.hpp"

#include <gtest/gtest.h>

namespace ccm::ctl {
namespace {

TEST(Output, Issue37_12_NobodyControlsTheTerminalOrTurnsATextAround) {
  EXPECT_EQ(printable("a\x1b[31m\nb\u0085c\xff"), "a?[31m?b?c?");
  EXPECT_EQ(printable("web\u202egnp.exe\u2066\u200b\u2028"), "web?gnp.exe???");
  EXPECT_EQ(printable("\u65e5\u672c \u20ac"), "\u65e5\u672c \u20ac");
}

}  // namespace
}  // namespace ccm::ctl
