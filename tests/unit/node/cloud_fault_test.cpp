// Initialisation when the cloud fails, waits or contradicts.
#include "fault_fixture.hpp"
#include "node_fixture.hpp"

namespace ccm::node {
namespace {

using Calls = std::vector<std::string>;
using std::chrono::milliseconds;

TEST_F(NodeFaultTest, NODE_8_AnInstanceThatIsStillBuiltIsWaitedFor) {
  cloud.machines["n1"].state = InstanceState::starting;
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_TRUE(take_calls().empty());
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].status.reason(), "InstanceNotReady");
  EXPECT_EQ(ended[0].status.error_class(), ErrorClass::waiting);
  EXPECT_EQ(cloud.asked[0].max_age, milliseconds(0));
  cloud.machines["n1"].state = InstanceState::running;
  controller->advance(milliseconds(5));
  EXPECT_FALSE(tainted("n1"));
  EXPECT_EQ(cloud.asked[1].max_age, milliseconds(1'000)) << "the same answer would be no news";
}

TEST_F(NodeFaultTest, NODE_29_AnInstanceWithoutAddressesIsWaitedForAndToldAfterAWhile) {
  cloud.machines["n1"].addresses.clear();
  put(joining("n1"));
  start();
  run_to_attempt(8);
  EXPECT_TRUE(event_reasons().empty()) << "it is only being built";
  controller->advance(milliseconds(2'560));
  controller->advance(milliseconds(5'120));
  EXPECT_EQ(event_reasons(), Calls{"Warning InstanceNotReady"});
  cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.1"}};
  controller->advance(milliseconds(10'240));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, NODE_4_ACloudThatAsksToWaitAnHourIsTriedWithinAMinute) {
  cloud.failure = Status(Code::resource_exhausted, ErrorClass::throttled, "429")
                      .with_retry_after(std::chrono::hours(1));
  put(joining("n1"));
  start();
  controller->run();
  cloud.failure = Status();
  controller->advance(std::chrono::minutes(1));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, AnotherProvidersNodeIsToldOnceAndLeftAlone) {
  cloud.failure = Status(Code::unimplemented, ErrorClass::unsupported, "of another provider")
                      .with_reason("ForeignProviderID");
  put(joining("n1"));
  start();
  for (int round = 0; round < 3; ++round) {
    controller->run();
    host.kube.resync();
    controller->advance(std::chrono::hours(1));
  }
  EXPECT_TRUE(tainted("n1"));
  EXPECT_TRUE(take_calls().empty());
  EXPECT_EQ(event_reasons(), Calls{"Warning ForeignProviderID"});
}

// The host forgets a refusal with the next reconcile, and a refused Node is not retried.
TEST_F(NodeFaultTest, ARefusedNodeThatGoesIsSettled) {
  cloud.failure = Status(Code::unimplemented, ErrorClass::unsupported, "of another provider");
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_TRUE(controller->take_reconciled().at(0).status.refused());
  host.kube.remove("v1/nodes", "n1");
  controller->run();
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].status.ok());
}

TEST_F(NodeFaultTest, ANodeThatGoesWhileItIsRefusedIsSettled) {
  cloud.failure = Status(Code::unimplemented, ErrorClass::unsupported, "of another provider");
  cloud.delay = milliseconds(10);
  put(joining("n1"));
  start();
  host.loop.after(milliseconds(5), [&] { host.kube.remove("v1/nodes", "n1"); });
  controller->run();
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].status.ok());
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(NodeFaultTest, ISSUE_38_5_TheEventSaysWhatTheHostKnowsOfAMissingInstance) {
  Instance absent;
  absent.state = InstanceState::absent;
  absent.why = Status(Code::not_found, "no instance is called \"n1\"");
  cloud.machines["n1"] = absent;
  put(joining("n1"));
  start();
  run_to_attempt(5);
  ASSERT_EQ(event_reasons(), Calls{"Warning InstanceNotFound"});
  EXPECT_EQ(host.events.all()[0].message,
            "The Node is not initialised: the cloud has no instance for this Node: no instance is "
            "called \"n1\"");
}

TEST_F(NodeFaultTest, AMissingInstanceIsRetriedAndToldOnce) {
  cloud.machines.clear();
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_TRUE(event_reasons().empty());  // it may only be early
  run_to_attempt(5);
  EXPECT_EQ(event_reasons(), Calls{"Warning InstanceNotFound"});
  run_to_attempt(8);
  EXPECT_EQ(event_reasons().size(), 1U);
  EXPECT_TRUE(tainted("n1"));
  EXPECT_TRUE(take_calls().empty());
  cloud.machines["n1"] = machine("n1");
  controller->advance(std::chrono::seconds(10));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, ADestroyedInstanceInitialisesNothing) {
  cloud.machines["n1"].state = InstanceState::terminated;
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_TRUE(tainted("n1"));
  EXPECT_EQ(controller->take_reconciled().at(0).status.error_class(), ErrorClass::not_found);
}

TEST_F(NodeFaultTest, TRAP_10_AnUnknownInstanceIsTriedAgain) {
  cloud.machines["n1"].state = InstanceState::unknown;
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_TRUE(tainted("n1"));
  EXPECT_EQ(controller->waiting(), std::vector<std::string>{"n1"});
  cloud.machines["n1"].state = InstanceState::running;
  controller->advance(milliseconds(5));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, NODE_9_NoProviderIdKeepsTheTaint) {
  cloud.machines["n1"].provider_id.clear();
  put(joining("n1"));
  start();
  run_to_attempt(5);
  EXPECT_TRUE(tainted("n1"));
  EXPECT_EQ(event_reasons(), Calls{"Warning NoProviderID"});
}

TEST_F(NodeFaultTest, NODE_14_AnAnnotationThatDoesNotFitKeepsTheTaintAndWritesNothing) {
  Json node = joining("n1");
  node["metadata"]["annotations"]["alpha.kubernetes.io/provided-node-ip"] = "10.9.9.9";
  put(node);
  start();
  run_to_attempt(5);
  EXPECT_TRUE(tainted("n1"));
  EXPECT_TRUE(take_calls().empty());
  EXPECT_EQ(event_reasons(), Calls{"Warning InvalidProvidedNodeIP"});
  node["metadata"]["annotations"]["alpha.kubernetes.io/provided-node-ip"] = "10.0.0.1";
  put(node);  // a correction is seen at once, not after the back-off
  controller->run();
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, TroubleOfTheWholeCloudIsNotToldOnEachNode) {
  cloud.failure = Status(Code::unauthenticated, ErrorClass::auth, "token refused");
  put(joining("n1"));
  start();
  run_to_attempt(6);
  EXPECT_TRUE(event_reasons().empty());
  EXPECT_TRUE(tainted("n1"));
}

TEST_F(NodeFaultTest, TheCloudsDelayIsKept) {
  cloud.failure = Status(Code::resource_exhausted, ErrorClass::throttled, "slow down")
                      .with_retry_after(std::chrono::seconds(9));
  put(joining("n1"));
  start();
  controller->run();
  cloud.failure = Status();
  controller->advance(milliseconds(8'999));
  EXPECT_TRUE(tainted("n1"));
  controller->advance(milliseconds(1));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, TRAP_32_AnInvalidLabelIsLeftOutAndTold) {
  cloud.machines["n1"].zone = "zone with spaces";
  cloud.machines["n1"].labels = {{"kubernetes.io/reserved", "x"}, {"rack", "7"}};
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_FALSE(tainted("n1"));
  const Json labels = stored("n1")["metadata"]["labels"];
  EXPECT_FALSE(labels.contains("topology.kubernetes.io/zone"));
  EXPECT_FALSE(labels.contains("kubernetes.io/reserved"));
  EXPECT_EQ(labels["rack"], "7");
  EXPECT_EQ(event_reasons(), (Calls{"Warning InvalidCloudLabel", "Normal Synced"}));
  EXPECT_EQ(host.log.lines(CCM_LOG_WARNING).size(), 2U);
}

}  // namespace
}  // namespace ccm::node
