// When the cloud, or what is known of it, is wrong.
#include "route_fixture.hpp"

namespace ccm::route {
namespace {

class FaultTest : public RouteTest {
 protected:
  void many(int count) {
    for (int i = 0; i < count; ++i) {
      put(node("node-" + std::to_string(i), {"10.244." + std::to_string(i) + ".0/24"}));
    }
  }
};

TEST_F(FaultTest, ROUTE_12_AListingThatFailsChangesNothing) {
  put(node("node-1", {"10.244.1.0/24"}));
  list(listed("10.244.9.0/24", "gone"));
  host.routes.fail_next("list", unavailable(), 2);
  start();
  EXPECT_EQ(applies(), 0U);
  EXPECT_EQ(patches(), 0U);
  const auto runs = controller->take_reconciled();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NE(runs[0].status.message().find("the cloud is down"), std::string::npos);
  controller->advance(milliseconds(1'000));
  EXPECT_EQ(applies(), 0U);
  controller->advance(milliseconds(2'000));
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-1"});
}

TEST_F(FaultTest, EventsDoNotHammerACloudThatIsDown) {
  host.routes.fail_next("list", unavailable(), 1'000);
  start();
  for (int i = 0; i < 600; ++i) {
    put(node("node-" + std::to_string(i % 250), {"10.244." + std::to_string(i % 250) + ".0/24"}));
    remove("node-" + std::to_string(i % 250));
    controller->advance(milliseconds(100));
  }
  EXPECT_LE(host.routes.calls("list").size(), 7U);  // 1 + 2 + 4 + 8 + 16 + 32 s
}

TEST_F(FaultTest, ACloudThatCannotListIsAskedSeldom) {
  host.routes.fail_next("list", Status(Code::unimplemented, ErrorClass::unsupported, "no router"),
                        1'000);
  start();
  for (int i = 0; i < 29; ++i) audit();
  EXPECT_EQ(host.routes.calls("list").size(), 1U);
  audit();
  EXPECT_EQ(host.routes.calls("list").size(), 2U);
}

// The pages would show it as settled.
TEST_F(FaultTest, AnAuditDuringTheBackOffSettlesNothing) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.routes.fail_next("apply", unavailable(), 1'000);
  start();
  ASSERT_GE(applies(), 1U);
  (void)controller->take_reconciled();
  for (int i = 0; i < 5; ++i) audit();
  const auto runs = controller->take_reconciled();
  ASSERT_FALSE(runs.empty());
  for (const auto& run : runs) EXPECT_FALSE(run.status.ok());
}

TEST_F(FaultTest, TRAP_25_AFailedRouteIsTriedAgainWithoutAnEvent) {
  host.config.set_flag("route-reconciliation-period", "1h");
  put(node("node-1", {"10.244.1.0/24"}));
  put(node("node-2", {"10.244.2.0/24"}));
  host.routes.refusals["10.244.1.0/24"] = unavailable();
  start();
  EXPECT_EQ(table(), Texts{"10.244.2.0/24>node-2"});
  EXPECT_EQ(events(), Texts{"Warning FailedToCreateRoute node-1"});
  next_run();
  EXPECT_EQ(applies(), 2U);
  host.routes.refusals.clear();
  controller->advance(milliseconds(2'000));
  EXPECT_EQ(table().size(), 2U);
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
  EXPECT_TRUE(controller->take_reconciled().back().status.ok());
}

TEST_F(FaultTest, APermanentRefusalIsNotRepeatedByTheAudit) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.routes.refusals["10.244.1.0/24"] =
      Status(Code::invalid_argument, ErrorClass::invalid_spec, "no such subnet");
  start();
  for (int i = 0; i < 29; ++i) audit();
  EXPECT_EQ(applies(), 1U);
  audit();
  EXPECT_EQ(applies(), 2U);
}

TEST_F(FaultTest, AFailedRemovalIsTriedAgain) {
  host.config.set_flag("route-reconciliation-period", "1h");
  list(listed("10.244.9.0/24", "gone"));
  host.routes.refusals["10.244.9.0/24"] = unavailable();
  start();
  EXPECT_EQ(table().size(), 1U);
  EXPECT_TRUE(events().empty());  // ROUTE-27
  host.routes.refusals.clear();
  next_run();
  EXPECT_TRUE(table().empty());
}

TEST_F(FaultTest, ABatchOfWhichNothingIsKnownIsComparedAgain) {
  many(40);
  host.routes.lose_answer("apply", unavailable());
  start();
  EXPECT_EQ(table().size(), 40U);  // it did happen
  EXPECT_EQ(condition("node-1"), "True NoRouteCreated");
  EXPECT_EQ(host.events.with_reason("FailedToCreateRoute").size(), 20U);  // not one for each
  EXPECT_FALSE(controller->take_reconciled().back().status.ok());
  host.routes.clear_calls();
  next_run();
  EXPECT_EQ(applies(), 0U);
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
}

TEST_F(FaultTest, AnEmptyListingIsSeenTwiceBeforeItIsBelieved) {
  many(5);
  start();
  const auto routes = host.routes.table_of_cloud;
  host.routes.table_of_cloud.clear();
  host.routes.clear_calls();
  audit();
  EXPECT_EQ(applies(), 0U);
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
  host.routes.table_of_cloud = routes;
  controller->advance(milliseconds(5'000));
  EXPECT_EQ(applies(), 0U);
  host.routes.table_of_cloud.clear();
  audit();
  EXPECT_EQ(applies(), 0U);
  controller->advance(milliseconds(5'000));
  EXPECT_EQ(applies(), 1U);
  EXPECT_EQ(table().size(), 5U);
}

TEST_F(FaultTest, TheConditionsTellARestartedProgramWhatThereWas) {
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    put(node("node-" + n, {"10.244." + n + ".0/24"}));
    set_condition("node-" + n, "False", "RouteCreated");
  }
  start();
  EXPECT_EQ(applies(), 0U);
}

TEST_F(FaultTest, HalfAListingIsDoubtedToo) {
  many(10);
  start();
  host.routes.clear_calls();
  host.routes.table_of_cloud.resize(4);
  audit();
  EXPECT_EQ(applies(), 0U);
  host.routes.table_of_cloud.resize(3);
  controller->advance(milliseconds(5'000));
  EXPECT_EQ(applies(), 1U);
}

TEST_F(FaultTest, ACacheThatLacksANodeDoesNotCostItsRoute) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.kube.set_cache_follows(false);
  put(node("node-2", {"10.244.2.0/24"}));  // by the former leader's time
  list(listed("10.244.1.0/24", "node-1"));
  list(listed("10.244.2.0/24", "node-2"));
  list(listed("10.244.3.0/24", "node-3"));
  start();
  EXPECT_EQ(table(), (Texts{"10.244.1.0/24>node-1", "10.244.2.0/24>node-2"}));
}

TEST_F(FaultTest, WhenTheApiServerDoesNotAnswerNoRouteGoes) {
  list(listed("10.244.3.0/24", "node-3"));
  host.kube.fail_next("get", "v1/nodes", unavailable());
  start();
  EXPECT_EQ(table().size(), 1U);
  audit();
  EXPECT_TRUE(table().empty());
}

TEST_F(FaultTest, RBAC_26_WithoutTheRightToLookTheCacheHasToDo) {
  list(listed("10.244.3.0/24", "node-3"));
  host.kube.fail_next("get", "v1/nodes", Status(Code::permission_denied, ErrorClass::auth, "403"));
  start();
  EXPECT_TRUE(table().empty());
}

TEST_F(FaultTest, TheBrakeHoldsSomeRemovals) {
  put(node("node-1", {"10.244.1.0/24"}));
  list(listed("10.244.8.0/24", "gone-8"));
  list(listed("10.244.9.0/24", "gone-9"));
  host.routes.refusals["10.244.9.0/24"] = held();
  start();
  EXPECT_EQ(table(), (Texts{"10.244.1.0/24>node-1", "10.244.9.0/24>gone-9"}));
  EXPECT_EQ(events(), Texts{"Warning RouteRemovalHeld node-1"});
  EXPECT_NE(message_of("RouteRemovalHeld").find("9 of 10 routes"), std::string::npos);
  for (int i = 0; i < 5; ++i) audit();
  EXPECT_EQ(applies(), 1U);
  audit();
  EXPECT_EQ(applies(), 2U);
  EXPECT_EQ(events().size(), 1U);
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
}

TEST_F(FaultTest, TheBrakeMayRefuseTheWholeBatchAndAdditionsGoOn) {
  put(node("node-1", {"10.244.1.0/24"}));
  put(node("node-2", {"10.244.9.0/24"}));
  list(listed("10.244.8.0/24", "gone-8"));
  list(listed("10.244.9.0/24", "gone-9"));
  host.routes.fail_next("apply", held());
  start();
  EXPECT_EQ(applies(), 2U);
  EXPECT_EQ(table(),
            (Texts{"10.244.1.0/24>node-1", "10.244.8.0/24>gone-8", "10.244.9.0/24>gone-9"}));
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
  EXPECT_EQ(condition("node-2"), "True NoRouteCreated");
  controller->advance(milliseconds(60'000));
  EXPECT_EQ(table(), (Texts{"10.244.1.0/24>node-1", "10.244.9.0/24>node-2"}));
}

TEST_F(FaultTest, AComponentThatEndsInTheMiddleOfARunIsNoHarm) {
  many(100);
  ASSERT_TRUE(setup().ok());
  host.routes.delay = milliseconds(50);
  const Ctx ctx = controller->component.ctx();
  auto pending = controller->start_reconcile(ctx, {"routes"});
  host.loop.advance(milliseconds(120));
  controller.reset();
  EXPECT_TRUE(host.faults().empty());
}

}  // namespace
}  // namespace ccm::route
