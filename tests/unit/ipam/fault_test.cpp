// When the API server does not play along, or somebody else writes, too.
#include "ipam_fixture.hpp"

#include <optional>

namespace ccm::ipam {
namespace {

class FaultTest : public IpamTest {
 protected:
  FaultTest() {
    pools("10.0.0.0/22");
    put(node("first"));
    start();
    controller->run();
    EXPECT_EQ(range("first"), "10.0.0.0/24");
    host.kube.clear_calls();
  }
  [[nodiscard]] double used() const {
    return 4 * gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/22");
  }
};

TEST_F(FaultTest, TRAP_20_ALostAnswerIsReadBeforeAnythingIsDecided) {
  host.kube.lose_answer("patch", "v1/nodes", lost());
  host.kube.set_cache_follows(false);
  put(node("n1"));
  put(node("n2"));
  host.kube.catch_up();
  controller->run();
  controller->advance(milliseconds(5));
  EXPECT_EQ(range("n1"), "10.0.1.0/24");
  EXPECT_EQ(range("n2"), "10.0.2.0/24");
  EXPECT_EQ(take_calls(), (Texts{"patch", "patch", "get"}));
  EXPECT_EQ(used(), 3);
  host.kube.set_cache_follows(true);
  host.kube.catch_up();
  controller->run();
  EXPECT_TRUE(take_calls().empty());
  EXPECT_EQ(used(), 3);
}

TEST_F(FaultTest, TRAP_20_AWriteThatDidNotHappenIsRepeatedWithTheSameBlock) {
  host.kube.fail_next("patch", "v1/nodes", lost(), 3);
  put(node("n1"));
  controller->run();
  put(node("n2"));
  controller->run();
  EXPECT_TRUE(ranges("n1").empty());
  EXPECT_TRUE(ranges("n2").empty());
  EXPECT_EQ(used(), 3);  // what may have been written belongs to nobody else
  controller->advance(milliseconds(5));
  controller->advance(milliseconds(10));
  EXPECT_EQ(range("n1"), "10.0.1.0/24");
  EXPECT_EQ(range("n2"), "10.0.2.0/24");
  EXPECT_EQ(used(), 3);
}

TEST_F(FaultTest, ALostWriteToANodeThatLeftIsOver) {
  host.kube.fail_next("patch", "v1/nodes", lost());
  put(node("n1"));
  controller->run();
  EXPECT_EQ(used(), 2);
  remove("n1");
  controller->run();
  EXPECT_EQ(used(), 1);
}

TEST_F(FaultTest, ALostWriteThatTheWatchShowsIsOver) {
  host.kube.lose_answer("patch", "v1/nodes", lost());
  put(node("n1"));
  controller->run();
  EXPECT_EQ(used(), 2);
  take_calls();
  controller->advance(milliseconds(1'000));
  EXPECT_TRUE(take_calls().empty());
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(FaultTest, IPAM_31_34_WhoWasFasterKeepsHisRange) {
  host.kube.before_next("patch", "v1/nodes", [this] { set_ranges("n1", {"10.0.3.0/24"}); });
  put(node("n1"));
  controller->run();
  EXPECT_EQ(range("n1"), "10.0.3.0/24");
  EXPECT_EQ(take_calls(), (Texts{"patch", "get"}));
  EXPECT_EQ(used(), 2);
  EXPECT_TRUE(controller->waiting().empty());
  put(node("n2"));
  put(node("n3"));
  controller->run();
  EXPECT_EQ(used(), 4);
}

TEST_F(FaultTest, IPAM_31_TheSameRangeFromElsewhereIsNoHarm) {
  host.kube.before_next("patch", "v1/nodes", [this] { set_ranges("n1", {"10.0.1.0/24"}); });
  put(node("n1"));
  controller->run();
  EXPECT_EQ(used(), 2);
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(FaultTest, ConflictAndFailedPreconditionAreReadAgainThenTriedAgain) {
  const Status conflict(Code::aborted, ErrorClass::conflict, "409");
  for (const Status& status : {conflict, Status(conflict).with_reason("PreconditionFailed")}) {
    host.kube.fail_next("patch", "v1/nodes", status);
    put(node("n1"));
    controller->run();
    EXPECT_EQ(used(), 1);
    EXPECT_EQ(take_calls(), (Texts{"patch", "get"}));
    controller->advance(milliseconds(5));
    EXPECT_EQ(ranges("n1").size(), 1U);
    EXPECT_EQ(take_calls(), Texts{"patch"});
    remove("n1");
    controller->run();
  }
}

TEST_F(FaultTest, TRAP_22_ANodeThatVanishesLeaksNothing) {
  host.kube.before_next("patch", "v1/nodes", [this] { remove("n1"); });
  put(node("n1"));
  controller->run();
  EXPECT_EQ(used(), 1);
  EXPECT_TRUE(controller->waiting().empty());
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(FaultTest, ANodeThatIsMadeAgainMeanwhileDoesNotGetTheOldOnesWrite) {
  host.kube.before_next("patch", "v1/nodes", [this] {
    remove("n1");
    Json again = node("n1");
    again["metadata"]["uid"] = "another";
    put(again);
  });
  put(node("n1"));
  controller->run();
  controller->advance(milliseconds(10));
  EXPECT_EQ(ranges("n1").size(), 1U);
  EXPECT_EQ(used(), 2);
}

TEST_F(FaultTest, ANodeThatLeavesAfterTheWriteButBeforeTheAnswerLeaksNothing) {
  // The watch shows the whole life of the Node before the answer is there.
  host.kube.lose_answer("patch", "v1/nodes", lost());
  put(node("n1"));
  host.kube.set_cache_follows(false);
  controller->run();
  host.kube.set_cache_follows(true);
  host.kube.catch_up();
  remove("n1");
  controller->advance(milliseconds(100));
  EXPECT_EQ(used(), 1);
}

TEST_F(FaultTest, IPAM_33_FailuresAreToldAfterTheThirdTry) {
  host.kube.fail_next("patch", "v1/nodes", lost(), 4);
  put(node("n1"));
  controller->run();
  controller->advance(milliseconds(5));
  EXPECT_TRUE(event_reasons().empty());
  controller->advance(milliseconds(10));
  EXPECT_EQ(event_reasons(), Texts{"Normal CIDRAssignmentFailed"});
  EXPECT_NE(host.events.all()[0].message.find("Node n1 status is now: CIDRAssignmentFailed"),
            std::string::npos);
  controller->advance(milliseconds(20));
  controller->advance(milliseconds(40));
  EXPECT_EQ(ranges("n1").size(), 1U);
  EXPECT_EQ(event_reasons().size(), 1U);
}

TEST_F(FaultTest, A422WithoutAnyRangeIsToldAtOnceAndTriedAgainSlowly) {
  host.kube.fail_next("patch", "v1/nodes", invalid());
  put(node("n1"));
  controller->run();
  EXPECT_EQ(event_reasons(), Texts{"Normal CIDRAssignmentFailed"});
  EXPECT_EQ(used(), 1);
  controller->advance(milliseconds(299'999));
  EXPECT_TRUE(ranges("n1").empty());
  controller->advance(milliseconds(1));
  EXPECT_EQ(ranges("n1").size(), 1U);
}

TEST_F(FaultTest, ThrottlingAndRefusalsGiveTheBlockBack) {
  for (const ErrorClass kind : {ErrorClass::throttled, ErrorClass::auth}) {
    host.kube.fail_next("patch", "v1/nodes", Status(Code::unavailable, kind, "no"));
    put(node("n1"));
    controller->run();
    EXPECT_EQ(used(), 1);
    controller->advance(milliseconds(20'000));
    EXPECT_EQ(ranges("n1").size(), 1U);
    remove("n1");
    controller->run();
  }
}

TEST_F(FaultTest, ASecondTryWaitsForTheEndOfTheFirst) {
  std::optional<testing::Pending<Result<ReconcileResult>>> second;
  host.kube.before_next("patch", "v1/nodes", [&] {
    second = controller->start_reconcile(controller->component.ctx(), {"n1"});
  });
  put(node("n1"));
  controller->run();
  ASSERT_TRUE(second && second->done());
  EXPECT_EQ(second->outcome().status().error_class(), ErrorClass::waiting);
  EXPECT_EQ(take_calls(), Texts{"patch"});
  EXPECT_EQ(ranges("n1").size(), 1U);
  EXPECT_EQ(used(), 2);
}

class RivalTest : public FaultTest {
 protected:
  void assign(const std::string& name, const std::string& range, const std::string& manager) {
    host.kube.before_next("patch", "v1/nodes", [=, this] { set_ranges(name, {range}, manager); });
    put(node(name));
    controller->run();
  }
};

TEST_F(RivalTest, IPAM_37_AControllerManagerThatAllocatesStopsUs) {
  assign("n1", "192.168.1.0/24", "kube-controller-manager");
  assign("n2", "192.168.2.0/24", "kube-controller-manager");
  EXPECT_TRUE(host.events.with_reason("CIDRAllocatorConflict").empty());
  assign("n3", "192.168.3.0/24", "kube-controller-manager");
  ASSERT_EQ(host.events.with_reason("CIDRAllocatorConflict").size(), 1U);
  const std::string message = host.events.with_reason("CIDRAllocatorConflict")[0].message;
  EXPECT_NE(message.find("\"kube-controller-manager\""), std::string::npos) << message;
  EXPECT_NE(message.find("--allocate-node-cidrs=false"), std::string::npos) << message;
  put(node("n4"));
  controller->run();
  controller->advance(milliseconds(500'000));
  EXPECT_TRUE(ranges("n4").empty());
  controller->advance(milliseconds(100'000));  // nothing came from it for ten minutes
  EXPECT_EQ(ranges("n4").size(), 1U);
}

// Its kubelet may set it, and call itself as it likes.
TEST_F(RivalTest, Issue37_4_OneNodeStopsNobody) {
  assign("evil", "192.168.1.0/24", "kube-controller-manager");
  put(node("n1"));
  controller->run();
  EXPECT_EQ(ranges("n1").size(), 1U);
  EXPECT_TRUE(host.events.with_reason("CIDRAllocatorConflict").empty());
  EXPECT_TRUE(host.log.contains("Another program allocated a node's pod ranges"));
}

TEST_F(RivalTest, IPAM_37_ItIsNoticedOnNodesThatWait) {
  for (const char* name : {"n1", "n2", "n3", "n4", "n5", "n6"}) put(node(name));
  controller->run();
  std::vector<std::string> waiting;
  for (const char* name : {"n1", "n2", "n3", "n4", "n5", "n6"}) {
    if (ranges(name).empty()) waiting.emplace_back(name);
  }
  ASSERT_GE(waiting.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    set_ranges(waiting[i], {"10.7." + std::to_string(i) + ".0/24"}, "kube-controller-manager");
  }
  controller->run();
  EXPECT_EQ(host.events.with_reason("CIDRAllocatorConflict").size(), 1U);
}

TEST_F(RivalTest, ANodeOrTwoByHandAreNoRival) {
  assign("n1", "10.9.1.0/24", "kubectl-edit");
  assign("n2", "10.9.2.0/24", "kubectl-edit");
  EXPECT_TRUE(host.events.with_reason("CIDRAllocatorConflict").empty());
  put(node("n3"));
  controller->run();
  EXPECT_EQ(ranges("n3").size(), 1U);
  assign("n4", "10.9.4.0/24", "kubectl-edit");
  EXPECT_EQ(host.events.with_reason("CIDRAllocatorConflict").size(), 1U);
}

TEST_F(RivalTest, ANodeThatJoinsWithARangeIsNoRival) {
  for (int i = 0; i < 5; ++i) put(node("n" + std::to_string(i), {"10.0.1.0/28"}));
  controller->run();
  EXPECT_TRUE(host.events.with_reason("CIDRAllocatorConflict").empty());
}

}  // namespace
}  // namespace ccm::ipam
