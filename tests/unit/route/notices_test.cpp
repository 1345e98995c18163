// Events and log lines for operators.
#include "route_fixture.hpp"

namespace ccm::route {
namespace {

class NoticeTest : public RouteTest {};

TEST_F(NoticeTest, ROUTE_25_AFailedRouteNamesAllThatMatters) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.routes.refusals["10.244.1.0/24"] = unavailable();
  host.routes.delay = milliseconds(1'500);
  start();
  const std::string message = message_of("FailedToCreateRoute");
  for (const char* part : {"uid-of-node-1-10-244-1-0-24", "10.244.1.0/24", "Node node-1", "1.50 s",
                           "the cloud is down"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST_F(NoticeTest, Issue37_2_ARangeOutsideOfTheClusterIsRefusedAndTold) {
  put(node("node-1", {"10.99.1.0/24"}));
  start();
  EXPECT_TRUE(table().empty());
  EXPECT_EQ(condition("node-1"), "True NoRouteCreated");
  EXPECT_EQ(events(), Texts{"Warning PodCIDROutOfRange node-1"});
  EXPECT_NE(message_of("PodCIDROutOfRange").find("--additional-pod-cidrs"), std::string::npos);
  for (int i = 0; i < 10; ++i) audit();
  EXPECT_EQ(events().size(), 1U);
}

TEST_F(NoticeTest, Issue37_2_AFlagPermitsIt) {
  host.config.set_flag("additional-pod-cidrs", "10.99.0.0/16");
  put(node("node-1", {"10.99.1.0/24"}));
  start();
  EXPECT_EQ(table(), Texts{"10.99.1.0/24>node-1"});
  EXPECT_TRUE(events().empty());
  remove("node-1");
  next_run();
  EXPECT_TRUE(table().empty());
}

// As an earlier version made it, or before a change of flags.
TEST_F(NoticeTest, Issue37_2_ARouteOutsideGoesWithItsNode) {
  put(node("node-1", {"10.99.1.0/24"}));
  list(listed("10.99.1.0/24", "node-1"));
  start();
  EXPECT_EQ(table(), Texts{"10.99.1.0/24>node-1"});
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
  EXPECT_EQ(events(), Texts{"Warning PodCIDROutOfRange node-1"});
  remove("node-1");
  next_run();
  EXPECT_TRUE(table().empty());
}

TEST_F(NoticeTest, TwoNodesWithOneRangeAreToldAndNothingMoves) {
  Json first = node("node-1", {"10.244.1.0/24"});
  first["metadata"]["creationTimestamp"] = "2026-01-02T00:00:00Z";
  put(first);
  start();
  Json second = node("node-2", {"10.244.1.0/24"});
  second["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  put(second);
  next_run();
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-1"});
  EXPECT_EQ(condition("node-2"), "True NoRouteCreated");
  EXPECT_EQ(events(), Texts{"Warning CIDRConflict node-2"});
  EXPECT_NE(message_of("CIDRConflict").find("Node node-1 has the Pod range 10.244.1.0/24"),
            std::string::npos);
  for (int i = 0; i < 10; ++i) audit();
  EXPECT_EQ(host.routes.writes(), 1);
  EXPECT_EQ(events().size(), 1U);
  remove("node-1");
  next_run();
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-2"});
  EXPECT_EQ(condition("node-2"), "False RouteCreated");
}

TEST_F(NoticeTest, AForeignRouteInTheWayIsTold) {
  put(node("node-1", {"10.244.1.0/24"}));
  list(listed("10.244.1.0/24", "", false));
  start();
  EXPECT_EQ(applies(), 0U);
  EXPECT_EQ(events(), Texts{"Warning CIDRConflict node-1"});
  EXPECT_EQ(condition("node-1"), "True NoRouteCreated");
}

TEST_F(NoticeTest, AnOverlayNetworkIsTold) {
  for (const char* name : {"node-1", "node-2"})
    put(node(name, {"10.244." + std::string(name + 5) + ".0/24"}));
  set_condition("node-1", "False", "CalicoIsUp");
  set_condition("node-2", "False", "CalicoIsUp");
  start();
  EXPECT_EQ(events(), Texts{"Warning OverlayNetwork node-1"});
  const std::string message = message_of("OverlayNetwork");
  for (const char* part : {"2 Nodes", "CalicoIsUp", "--configure-cloud-routes=false"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST_F(NoticeTest, TroubleThatLastsIsToldAgainAfterHalfAnHour) {
  put(node("node-1", {"10.99.1.0/24"}));
  start();
  for (int i = 0; i < 179; ++i) audit();
  EXPECT_EQ(events().size(), 1U);
  for (int i = 0; i < 2; ++i) audit();
  EXPECT_EQ(events().size(), 2U);
}

}  // namespace
}  // namespace ccm::route
