#include "ipam/rivals.hpp"

#include <gtest/gtest.h>

namespace ccm::ipam {
namespace {

using std::chrono::milliseconds;

// The writer chooses the name of the field manager.
TEST(Rivals, IPAM_37_ByTheThirdNodeWhateverTheWriterIsCalled) {
  Rivals rivals;
  const milliseconds now(1'000);
  rivals.note("n1", "kubectl", now);
  rivals.note("n1", "kube-controller-manager", now);
  rivals.note("n2", "kube-controller-manager", now);
  EXPECT_EQ(rivals.hold_left(now), milliseconds(0));
  rivals.note("n3", "", now);
  EXPECT_EQ(rivals.hold_left(now), Rivals::kHold);
  EXPECT_EQ(rivals.who(), "another allocator");
  rivals.note("n4", "cloud-controller-manager", now + milliseconds(5));
  EXPECT_EQ(rivals.hold_left(now), Rivals::kHold + milliseconds(5));
  EXPECT_EQ(rivals.who(), "\"cloud-controller-manager\"");
  EXPECT_EQ(rivals.hold_left(now + Rivals::kHold + milliseconds(5)), milliseconds(0));
}

TEST(Rivals, WhatLiesLongAgoDoesNotCount) {
  Rivals rivals;
  for (int i = 0; i < 20; ++i) {
    const milliseconds now = (i + 1) * Rivals::kHold / 2;
    rivals.note("n" + std::to_string(i), "kubectl", now);
    EXPECT_EQ(rivals.hold_left(now), milliseconds(0));
  }
}

}  // namespace
}  // namespace ccm::ipam
