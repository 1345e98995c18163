#include "route/changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ccm::route {
namespace {

Plan plan_of(int pure_removals, int replacements, int additions) {
  Plan plan;
  std::size_t route = 0;
  std::size_t node = 0;
  for (int i = 0; i < pure_removals; ++i) plan.steps.push_back(Step{{route++}, std::nullopt});
  for (int i = 0; i < replacements; ++i) plan.steps.push_back(Step{{route++}, Addition{node++, 0}});
  for (int i = 0; i < additions; ++i) plan.steps.push_back(Step{{}, Addition{node++, 0}});
  return plan;
}

TEST(Batches, HaveAllStepsOfAPlan) {
  const Batch batch = make_batch(plan_of(2'000, 1'000, 5'000));
  EXPECT_EQ(batch.removals.size(), 3'000U);
  EXPECT_EQ(batch.additions.size(), 6'000U);
  EXPECT_EQ(std::count(batch.replaces.begin(), batch.replaces.end(), true), 1'000);
  EXPECT_TRUE(make_batch(Plan()).removals.empty());
}

TEST(Batches, WithoutRemovalsNothingTakesTheirPlace) {
  const Batch rest = without_removals(make_batch(plan_of(1, 2, 3)));
  EXPECT_TRUE(rest.removals.empty());
  ASSERT_EQ(rest.additions.size(), 3U);
  EXPECT_EQ(rest.additions[0].node, 2U);
}

TEST(NewRoute, ROUTE_23_24_SaysAllThatACloudMayNeed) {
  NodeState node;
  node.name = "node-1";
  node.uid = "0a1b";
  node.provider_id = "fake://1";
  RangePlan range;
  range.text = "10.244.1.0/24";
  const Route v4 = make_route(node, range);
  EXPECT_EQ(v4.name_hint, "0a1b-10-244-1-0-24");
  EXPECT_EQ(v4.destination_cidr, "10.244.1.0/24");
  EXPECT_EQ(v4.target_node, "node-1");
  EXPECT_EQ(v4.target_provider_id, "fake://1");
  EXPECT_TRUE(v4.target_addresses.empty()) << "the host takes them from the cloud";
  EXPECT_TRUE(v4.id.empty());
  range.text = "fd00:10:0:1::/64";
  EXPECT_EQ(make_route(node, range).name_hint, "0a1b-fd00-10-0-1---64");
}

}  // namespace
}  // namespace ccm::route
