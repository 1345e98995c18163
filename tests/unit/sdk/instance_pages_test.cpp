#include <ccm/instance_pages.hpp>
#include <ccm/scope.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace ccm {
namespace {

Instance machine(int number, std::string name = "") {
  Instance made;
  made.provider_id = "cloud://" + std::to_string(number);
  made.name = std::move(name);
  return made;
}

std::vector<Instance> machines(std::vector<int> numbers) {
  std::vector<Instance> all;
  for (const int number : numbers) all.push_back(machine(number));
  return all;
}

// Pages of two: {1, 2}, {3, 4}, ...
InstancePages pages(const std::vector<std::vector<int>>& given, int64_t total) {
  InstancePages all;
  int64_t number = 0;
  for (const auto& page : given) all.add(++number, machines(page), total);
  return all;
}

// The result of list_steadily() on these readings.
std::optional<Result<InstanceList>> read(std::vector<Result<InstancePages>> readings) {
  auto next = readings.begin();
  auto reader = [&]() -> Task<Result<InstancePages>> {
    EXPECT_NE(next, readings.end()) << "read too often";
    co_return std::move(*next++);
  };
  std::optional<Result<InstanceList>> outcome;
  Scope scope;
  scope.start(list_steadily(reader),
              [&](Result<InstanceList> list) { outcome.emplace(std::move(list)); });
  EXPECT_EQ(next, readings.end()) << "read too rarely";
  return outcome;
}

TEST(InstancePages, HoldStillWhenEveryInstanceIsThereOnce) {
  EXPECT_TRUE(pages({{1, 2}, {3}}, 3).held_still());
  EXPECT_TRUE(pages({{}}, 0).held_still());
  EXPECT_FALSE(pages({{1, 2}, {3}}, 4).held_still()) << "one is missing";
  EXPECT_FALSE(pages({{1, 2}, {2}}, 3).held_still()) << "one moved to the next page";
  EXPECT_FALSE(pages({{1, 2}, {2}}, 2).held_still());
  InstancePages grown = pages({{1, 2}}, 3);
  grown.add(2, machines({3}), 4);
  EXPECT_FALSE(grown.held_still()) << "one was made meanwhile";
}

TEST(InstancePages, AnInstanceCountsOnceAsItWasReadLast) {
  InstancePages all;
  all.add(2, {machine(2, "later"), machine(3)}, 4);
  all.add(1, {machine(1), machine(2, "earlier")}, 4);
  const auto taken = all.take();
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[0].provider_id, "cloud://1");
  EXPECT_EQ(taken[1].name, "later");
}

TEST(InstancePages, AListingThatHoldsStillIsReadOnce) {
  const auto list = read({pages({{1, 2}, {3}}, 3)});
  ASSERT_TRUE(list && list->ok());
  EXPECT_TRUE((*list)->complete);
  EXPECT_EQ((*list)->instances.size(), 3U);
}

TEST(InstancePages, AListingThatShiftedIsReadAgainOnce) {
  const auto list = read({pages({{1, 2}, {2}}, 3), pages({{0, 1}, {2, 3}}, 4)});
  ASSERT_TRUE(list && list->ok());
  EXPECT_TRUE((*list)->complete);
  EXPECT_EQ((*list)->instances.size(), 4U);
  const auto restless = read({pages({{1, 2}, {2}}, 3), pages({{1, 2}, {3}}, 4)});
  ASSERT_TRUE(restless && restless->ok());
  EXPECT_FALSE((*restless)->complete);
  EXPECT_EQ((*restless)->instances.size(), 3U) << "what was read is there";
}

TEST(InstancePages, WhatIsOddTwiceIsIncomplete) {
  const auto half = read({pages({{1, 2}}, 4), pages({{1, 2}}, 4)});
  ASSERT_TRUE(half && half->ok());
  EXPECT_FALSE((*half)->complete);
  const auto repeated = read({pages({{1, 2}, {2}}, 2), pages({{1, 2}, {2}}, 2)});
  ASSERT_TRUE(repeated && repeated->ok());
  EXPECT_FALSE((*repeated)->complete);
  EXPECT_EQ((*repeated)->instances.size(), 2U);
}

// a cloud that tells no total is listed whole when it is quiet.
TEST(InstancePages, WithoutATotalTwoReadingsWithTheSameInstancesAreSteady) {
  const auto quiet = read({pages({{1, 2}, {3}}, 0), pages({{1, 2}, {3}}, 0)});
  ASSERT_TRUE(quiet && quiet->ok());
  EXPECT_TRUE((*quiet)->complete);
  EXPECT_EQ((*quiet)->instances.size(), 3U);
  const auto settled = read({pages({{1, 2}, {2}}, 0), pages({{1, 2}}, 0)});
  ASSERT_TRUE(settled && settled->ok());
  EXPECT_TRUE((*settled)->complete) << "a single page";
  const auto restless =
      read({pages({{1, 2}, {3}}, 0), pages({{1, 2}, {4}}, 0), pages({{1, 2}, {5}}, 0)});
  ASSERT_TRUE(restless && restless->ok());
  EXPECT_FALSE((*restless)->complete);
  const auto twice =
      read({pages({{1, 2}, {2}}, 0), pages({{1, 2}, {2}}, 0), pages({{1, 2}, {2}}, 0)});
  ASSERT_TRUE(twice && twice->ok());
  EXPECT_FALSE((*twice)->complete) << "one stands twice, so another one may be missed";
}

TEST(InstancePages, WithoutATotalASinglePageIsReadOnce) {
  const auto list = read({pages({{1, 2}}, 0)});
  ASSERT_TRUE(list && list->ok());
  EXPECT_TRUE((*list)->complete);
  const auto none = read({pages({{}}, 0)});
  ASSERT_TRUE(none && none->ok());
  EXPECT_TRUE((*none)->complete);
}

TEST(InstancePages, AFailureIsAFailure) {
  const Status down(Code::unavailable, ErrorClass::unavailable, "down");
  EXPECT_FALSE(read({Result<InstancePages>(down)})->ok());
  EXPECT_FALSE(read({pages({{1}}, 2), Result<InstancePages>(down)})->ok());
}

}  // namespace
}  // namespace ccm
