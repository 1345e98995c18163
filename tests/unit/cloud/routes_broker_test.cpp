// Changes of routes through the broker: one at a time, and held when too many are to go.
#include "network_broker_fixture.hpp"

namespace ccm::cloud {
namespace {

const std::string kRoutesHeld = "DeletionBrakeEngaged";

TEST_F(NetworkBrokerTest, OneApplyAtATime) {
  const auto provider = route_table();
  start(nullptr, &provider);
  std::vector<std::string> ended;
  for (const char* cidr : {"10.0.1.0/24", "10.0.2.0/24"}) {
    Route added;
    added.destination_cidr = cidr;
    added.target_node = cidr == std::string("10.0.1.0/24") ? "node-1" : "node-2";
    tasks_(routes_->apply({"c", {}, {added}}, component_->background()),
           [&ended, cidr](const Result<std::vector<Status>>& result) {
             ended.push_back(std::string(cidr) + (result.ok() ? "" : " failed"));
           });
  }
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].seen, "+10.0.1.0/24");
  answer(0, Status(Code::unavailable, "cut"));
  ASSERT_EQ(open_.size(), 1u);
  const std::vector<Status> two(2);
  const detail::RouteResultsC raw(two);
  answer(0, {}, raw.get());  // one too many
  EXPECT_EQ(ended, (std::vector<std::string>{"10.0.1.0/24 failed", "10.0.2.0/24 failed"}));
}

TEST_F(NetworkBrokerTest, AMassRemovalOfRoutesIsHeldAndTheRestIsDone) {
  const auto provider = route_table();
  start(nullptr, &provider);
  advance(11min);
  list(routes(0, 40));
  EXPECT_EQ(apply(routes(0, 11), {route(77)}), [] {
    std::vector<std::string> reasons(11, kRoutesHeld);
    reasons.emplace_back();
    return reasons;
  }());
  EXPECT_EQ(applied_, "+10.0.77.0/24");
  EXPECT_TRUE(route_brake_.report().engaged);
  EXPECT_EQ(route_brake_.status_text(),
            "engaged, 11 held: 11 of 40 routes are not wanted any more, 0 were deleted within "
            "10m, 10 may be");
}

// The brake for Nodes has judged them already.
TEST_F(NetworkBrokerTest, RoutesOfNodesThatWereDeletedHereGo) {
  const auto provider = route_table();
  start(nullptr, &provider);
  advance(11min);
  list(routes(0, 6));
  deleted_nodes_ = {"node-0", "node-1", "node-2"};
  EXPECT_EQ(apply(routes(0, 3)), (std::vector<std::string>{"", "", ""}));
  EXPECT_EQ(applied_, "-r0-r1-r2");
  EXPECT_EQ(route_brake_.report().deleted, 0u);
  list(routes(3, 3));
  std::vector<Route> claimed = routes(3, 3);
  for (Route& route : claimed) route.target_node = "node-0";
  EXPECT_EQ(apply(claimed), (std::vector<std::string>{kRoutesHeld, kRoutesHeld, kRoutesHeld}))
      << "what the controller says of them does not count";
}

TEST_F(NetworkBrokerTest, AFewRoutesMayGoAndThenAsManyAsTheLimitSays) {
  const auto provider = route_table();
  start(nullptr, &provider);
  list(routes(0, 40));
  EXPECT_EQ(apply(routes(0, 2)), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(applied_, "-r0-r1");
  EXPECT_EQ(apply(routes(2, 1)),
            (std::vector<std::string>{kRoutesHeld}));  // it has just begun to lead
  advance(11min);
  EXPECT_EQ(apply(routes(2, 9)), std::vector<std::string>(9));
  EXPECT_EQ(apply(routes(11, 1)), std::vector<std::string>{kRoutesHeld});
}

TEST_F(NetworkBrokerTest, WhatIsHeldLongEnoughGoesAtTheLimitsPace) {
  const auto provider = route_table();
  start(nullptr, &provider);
  advance(11min);
  list(routes(0, 8));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(apply(routes(0, 4)), std::vector<std::string>(4, kRoutesHeld));
    advance(4min);
  }
  const auto reasons = apply(routes(0, 4));
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), ""), 2);
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), kRoutesHeld), 2);
}

TEST_F(NetworkBrokerTest, ReplacementsAreNoAbsencesAndForeignRoutesStay) {
  const auto provider = route_table();
  start(nullptr, &provider);
  std::vector<Route> all = routes(0, 10);
  Route duplicate = route(9);
  duplicate.id = "twin";
  all.push_back(duplicate);
  list(all);
  std::vector<Route> moved, added;
  for (int i = 0; i < 8; ++i) {
    moved.push_back(route(i));
    Route to = route(i);
    to.id.clear();
    const std::string n = std::to_string(i);
    if (i % 2 == 0) {
      to.target_node = "other" + n;
      nodes_.nodes["other" + n].ranges = {to.destination_cidr};
      nodes_.nodes.erase("node-" + n);
    } else {
      to.destination_cidr = "10.1." + n + ".0/24";
      nodes_.nodes["node-" + n].ranges.push_back(to.destination_cidr);
    }
    added.push_back(to);
  }
  EXPECT_EQ(apply(moved, added), std::vector<std::string>(16));
  EXPECT_EQ(apply({duplicate}), std::vector<std::string>{""});
  EXPECT_EQ(apply({route(1, false)}), std::vector<std::string>{"NotOwned"});
  EXPECT_EQ(applied_, "");
  EXPECT_EQ(route_brake_.report().deleted, 0u);
}

TEST_F(NetworkBrokerTest, AMalformedListingIsAFailureNotAnEmptyTable) {
  const auto provider = route_table();
  start(nullptr, &provider);
  auto hole = sized<ccm_route_list>();
  hole.count = 2;
  auto short_one = sized<ccm_route_list>();
  short_one.size = 8;
  for (const void* wrong : {static_cast<const void*>(nullptr), static_cast<const void*>(&hole),
                            static_cast<const void*>(&short_one)}) {
    std::optional<Status> status;
    tasks_(routes_->list("c", component_->background()),
           [&](const Result<std::vector<Route>>& result) { status = result.status(); });
    answer(0, {}, wrong);
    EXPECT_EQ(status->code(), Code::internal);
  }
}

}  // namespace
}  // namespace ccm::cloud
