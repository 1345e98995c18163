#include "sandbox/listing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sandbox {
namespace {

MachinePage page(int first, int count, int64_t total, std::optional<int64_t> next) {
  MachinePage result;
  for (int i = first; i < first + count; ++i) {
    ccm::Instance machine;
    machine.provider_id = "sandbox://m-" + std::to_string(i);
    result.machines.push_back(std::move(machine));
  }
  result.total = total;
  result.next_page = next;
  return result;
}

TEST(Listing, PagesThatMustFollowMayBeReadAtOnce) {
  Listing listing;
  EXPECT_EQ(listing.pages_ahead(4), 1U) << "the first one says how many";
  EXPECT_TRUE(listing.add(page(0, 200, 1201, 2)).ok());
  EXPECT_EQ(listing.pages_ahead(4), 4U);
  EXPECT_EQ(listing.pages_ahead(9), 6U);
  EXPECT_TRUE(listing.add(page(200, 200, 1201, 3)).ok());
  EXPECT_EQ(listing.pages_ahead(9), 5U);
}

TEST(Listing, PutsPagesTogether) {
  Listing listing;
  EXPECT_EQ(listing.next_page(), 1);
  EXPECT_EQ(listing.pages_ahead(4), 1U);
  EXPECT_TRUE(listing.add(page(0, 2, 3, 2)).ok());
  EXPECT_EQ(listing.next_page(), 2);
  EXPECT_EQ(listing.pages_ahead(4), 1U);
  EXPECT_TRUE(listing.add(page(2, 1, 3, std::nullopt)).ok());
  EXPECT_FALSE(listing.next_page().has_value());
  ccm::InstancePages pages = listing.take();
  EXPECT_TRUE(pages.held_still());
  EXPECT_EQ(pages.take().size(), 3U);
}

TEST(Listing, AnEmptyCloudIsAWholeList) {
  Listing listing;
  EXPECT_TRUE(listing.add(page(0, 0, 0, std::nullopt)).ok());
  EXPECT_TRUE(listing.take().held_still());
}

TEST(Listing, WhetherThePagesFitIsForTheReader) {
  Listing listing;
  EXPECT_TRUE(listing.add(page(0, 2, 4, 2)).ok());
  EXPECT_TRUE(listing.add(page(1, 2, 5, std::nullopt)).ok());
  ccm::InstancePages pages = listing.take();
  EXPECT_FALSE(pages.held_still());
  EXPECT_EQ(pages.take().size(), 3U);
}

TEST(Listing, FarMoreThanAnnouncedIsRefused) {
  Listing listing;
  EXPECT_TRUE(listing.add(page(0, 300, 2, 2)).ok());
  EXPECT_EQ(listing.add(page(300, 300, 2, 3)).code(), ccm::Code::data_loss);
  Listing negative;
  EXPECT_EQ(negative.add(page(0, 0, -1, std::nullopt)).code(), ccm::Code::data_loss);
}

TEST(Listing, PagesThatDoNotEndAreRefused) {
  Listing repeats;
  EXPECT_EQ(repeats.add(page(0, 1, 9, 1)).code(), ccm::Code::data_loss);
  Listing skips;
  EXPECT_EQ(skips.add(page(0, 1, 9, 3)).code(), ccm::Code::data_loss);
  Listing empty;
  EXPECT_EQ(empty.add(page(0, 0, 9, 2)).code(), ccm::Code::data_loss);
}

}  // namespace
}  // namespace sandbox
