// Route tables have a size.
#include "route_fixture.hpp"

namespace ccm::route {
namespace {

class TableSizeTest : public RouteTest {
 protected:
  void many(int count) {
    for (int i = 0; i < count; ++i) {
      put(node("node-" + std::to_string(i), {"10.244." + std::to_string(i) + ".0/24"}));
    }
  }
};

TEST_F(TableSizeTest, AKnownLimitIsNotRunInto) {
  host.routes.known_limits.routes = 5;
  list(listed("0.0.0.0/0", "", false));
  many(7);
  start();
  EXPECT_EQ(table().size(), 5U);
  EXPECT_EQ(host.routes.calls("apply")[0].additions.size(), 4U);
  EXPECT_EQ(condition("node-3"), "False RouteCreated");
  EXPECT_EQ(condition("node-4"), "True NoRouteCreated");
  EXPECT_EQ(events(), (Texts{"Warning RouteTableFull node-4", "Warning RouteTableFull node-5",
                             "Warning RouteTableFull node-6"}));
  const std::string message = message_of("RouteTableFull");
  for (const char* part : {"5 routes of at most 5", "1 of them not this cluster's", "3 Nodes"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  audit();
  EXPECT_EQ(applies(), 1U);
  EXPECT_EQ(events().size(), 3U);
}

TEST_F(TableSizeTest, RoomThatComesBackIsUsed) {
  host.routes.known_limits.routes = 2;
  many(3);
  start();
  remove("node-0");
  next_run();
  EXPECT_EQ(table(), (Texts{"10.244.1.0/24>node-1", "10.244.2.0/24>node-2"}));
  EXPECT_EQ(condition("node-2"), "False RouteCreated");
}

TEST_F(TableSizeTest, ALimitThatTheCloudDoesNotTellIsLearned) {
  many(6);
  for (const char* range : {"10.244.4.0/24", "10.244.5.0/24"})
    host.routes.refusals[range] = quota();
  start();
  EXPECT_EQ(table().size(), 4U);
  EXPECT_EQ(events().size(), 2U);
  const std::string message = message_of("RouteTableFull");
  for (const char* part : {"4 routes", "2 Nodes", "router 7 takes no more"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_TRUE(host.events.with_reason("FailedToCreateRoute").empty());
  host.routes.refusals.clear();
  for (int i = 0; i < 29; ++i) audit();
  EXPECT_EQ(applies(), 1U);  // it is not hammered
  remove("node-0");
  next_run();
  EXPECT_EQ(table().size(), 4U);  // one left, one more fits
  for (int i = 0; i < 3; ++i) audit();
  EXPECT_EQ(table().size(), 5U);  // and after 5 minutes it is tried
}

TEST_F(TableSizeTest, FourFifthsAreToldOnce) {
  host.routes.known_limits.routes = 10;
  many(7);
  start();
  EXPECT_TRUE(events().empty());
  many(8);
  next_run();
  EXPECT_EQ(events(), Texts{"Warning RouteTableNearlyFull node-0"});
  EXPECT_NE(message_of("RouteTableNearlyFull").find("8 routes of at most 10"), std::string::npos);
  many(9);
  next_run();
  audit();
  EXPECT_EQ(events().size(), 1U);
}

TEST_F(TableSizeTest, TheMetricsSayHowFullItIs) {
  host.routes.known_limits.routes = 10;
  many(7);
  start();
  EXPECT_EQ(sum("ccm_route_table_routes"), 7);
  EXPECT_EQ(sum("ccm_route_table_limit"), 10);
}

TEST_F(TableSizeTest, ACloudWithoutLimitsIsNoTrouble) {
  host.routes.fail_next("limits", Status(Code::unimplemented, ErrorClass::unsupported, "no"));
  many(3);
  start();
  EXPECT_EQ(table().size(), 3U);
}

}  // namespace
}  // namespace ccm::route
