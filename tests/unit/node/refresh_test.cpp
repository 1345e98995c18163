// The periodic comparison of addresses.
#include "node_fixture.hpp"

namespace ccm::node {
namespace {

using Calls = std::vector<std::string>;
using std::chrono::milliseconds;

class RefreshTest : public NodeControllerTest {
 protected:
  RefreshTest() {
    cloud.machines["n1"] = machine("n1");
    put(initialised("n1"));
  }
  // A Node in a zone that somebody wrote by hand, and its instance in another one.
  void put_moved() {
    Json node = initialised("n1");
    node["metadata"]["labels"]["topology.kubernetes.io/zone"] = "by-hand";
    put(node);
    cloud.machines["n1"].zone = "eu-1";
  }
  static Json initialised(const std::string& name) {
    Json node = joining(name);
    node["spec"].erase("taints");
    node["spec"]["providerID"] = "sandbox://id-" + name;
    node["status"]["addresses"] = Json::parse(
        R"([{"type":"InternalIP","address":"10.0.0.1"},{"type":"Hostname","address":")" + name +
        R"("}])");
    return node;
  }
};

TEST_F(RefreshTest, NODE_26_BeginsWithTheFirstListing) {
  cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.7"}};
  start();
  controller->run();
  EXPECT_EQ(stored("n1")["status"]["addresses"][0]["address"], "10.0.0.7");
  EXPECT_EQ(take_calls(), Calls{"patch status"});
}

TEST_F(RefreshTest, NODE_32_TRAP_8_NoWriteWhenEqual) {
  start();
  controller->run();
  for (int round = 0; round < 3; ++round) {
    host.kube.resync();
    controller->run();
  }
  EXPECT_TRUE(take_calls().empty());
  EXPECT_EQ(cloud.asked.size(), 4U);
}

TEST_F(RefreshTest, NODE_33_AResyncWritesAddressesToTheStatus) {
  start();
  controller->run();
  cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.1"}, {"InternalIP", "fd00::1"}};
  host.kube.resync();
  controller->run();
  ASSERT_EQ(host.kube.calls().size(), 1U);
  EXPECT_EQ(host.kube.calls()[0].subresource, "status");
  EXPECT_EQ(host.kube.calls()[0].answer, PatchAnswer::none);
  EXPECT_EQ(host.kube.calls()[0].body.find("resourceVersion"), std::string::npos);
  EXPECT_EQ(stored("n1")["status"]["addresses"].size(), 3U);
  EXPECT_EQ(controller->take_reconciled().back().priority, Priority::periodic);
}

TEST_F(RefreshTest, R_121_AHintIsFollowedAtOnce) {
  start();
  controller->run();
  cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.7"}};
  host.kube.hint("v1/nodes", "n1");
  controller->run();
  EXPECT_EQ(stored("n1")["status"]["addresses"][0]["address"], "10.0.0.7");
}

TEST_F(RefreshTest, NODE_28_LabelsFollowAnInstanceThatIsResizedOrMoved) {
  Json node = initialised("n1");
  node["metadata"]["labels"]["node.kubernetes.io/instance-type"] = "small";
  node["metadata"]["labels"]["beta.kubernetes.io/instance-type"] = "small";
  put(node);
  cloud.machines["n1"].instance_type = "large";
  cloud.machines["n1"].zone = "somewhere";  // under neither name: not this Node's
  start();
  controller->run();
  EXPECT_EQ(take_calls(), Calls{"patch"});
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["node.kubernetes.io/instance-type"], "large");
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["beta.kubernetes.io/instance-type"], "large");
  EXPECT_FALSE(stored("n1")["metadata"]["labels"].contains("topology.kubernetes.io/zone"));
  host.kube.resync();
  controller->run();
  EXPECT_TRUE(take_calls().empty());
}

TEST_F(RefreshTest, NODE_28_AZoneThatDiffersIsToldOnceAndNotOverwritten) {
  put_moved();
  start();
  controller->run();
  host.kube.resync();
  controller->run();
  EXPECT_TRUE(take_calls().empty());
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["topology.kubernetes.io/zone"], "by-hand");
  const auto events = host.events.all();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].reason, "CloudLabelsDiffer");
  EXPECT_NE(events[0].message.find("topology.kubernetes.io/zone=eu-1"), std::string::npos);
}

TEST_F(RefreshTest, NODE_28_AllOverwritesTheZoneToo) {
  put_moved();
  host.config.set_flag("refresh-node-labels", "all");
  start();
  controller->run();
  EXPECT_EQ(take_calls(), Calls{"patch"});
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["topology.kubernetes.io/zone"], "eu-1");
}

TEST_F(RefreshTest, NODE_28_LabelsStayWhereTheFlagSaysSo) {
  Json node = initialised("n1");
  node["metadata"]["labels"]["node.kubernetes.io/instance-type"] = "small";
  put(node);
  cloud.machines["n1"].instance_type = "large";
  host.config.set_flag("refresh-node-labels", "false");
  start();
  controller->run();
  EXPECT_TRUE(take_calls().empty());
}

TEST_F(RefreshTest, HOST_38_ThePeriodIsTheFlags) {
  start();
  EXPECT_EQ(controller->watches()[0].resync_period, std::chrono::minutes(5));
  host.config.set_flag("node-status-update-frequency", "90s");
  start();
  EXPECT_EQ(controller->watches()[0].resync_period, std::chrono::seconds(90));
  host.config.set_flag("node-status-update-frequency", "0s");
  start();
  EXPECT_EQ(controller->watches()[0].resync_period, std::chrono::minutes(5));
}

TEST_F(RefreshTest, NODE_26_TRAP_10_ACloudWithoutAnAnswerChangesNothingAndWaitsForTheNextRound) {
  start();
  controller->run();
  take_calls();
  const auto fails = [&](const std::string& what) {
    host.kube.resync();
    controller->run();
    EXPECT_TRUE(take_calls().empty()) << what;
    EXPECT_TRUE(controller->waiting().empty()) << what;
  };
  cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.7"}};
  cloud.machines["n1"].state = InstanceState::unknown;
  fails("unknown");
  cloud.machines["n1"].state = InstanceState::terminated;
  fails("terminated");
  cloud.failure = Status(Code::unavailable, ErrorClass::unavailable, "down");
  fails("failure");
  cloud.failure = Status();
  cloud.machines.clear();
  fails("absent");
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(RefreshTest, NODE_31_AnAnnotationThatDoesNotFitIsLogged) {
  Json node = initialised("n1");
  node["metadata"]["annotations"]["alpha.kubernetes.io/provided-node-ip"] = "10.9.9.9";
  put(node);
  start();
  controller->run();
  EXPECT_TRUE(take_calls().empty());
  EXPECT_EQ(host.log.lines(CCM_LOG_WARNING).size(), 1U);
}

TEST_F(RefreshTest, AFailedWriteIsTriedAgain) {
  cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.7"}};
  host.kube.fail_next("patch", "v1/nodes/status",
                      Status(Code::unavailable, ErrorClass::unavailable, "503"));
  start();
  controller->run();
  EXPECT_EQ(controller->waiting(), std::vector<std::string>{"n1"});
  controller->advance(milliseconds(5));
  EXPECT_EQ(stored("n1")["status"]["addresses"][0]["address"], "10.0.0.7");
}

TEST_F(RefreshTest, NewNodesGoBeforeRefreshes) {
  host.config.set_flag("concurrent-node-syncs", "1");
  for (int i = 2; i < 6; ++i) put(initialised("n" + std::to_string(i)));
  cloud.machines["late"] = machine("late");
  put(joining("late"));
  start();
  controller->run();
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 6U);
  EXPECT_EQ(ended[0].key, "late");
}

TEST_F(RefreshTest, HOST_36_TheUsersBoundOfStatusUpdatesIsObeyed) {
  host.config.set_flag("concurrent-node-status-updates", "2");
  cloud.delay = milliseconds(10);
  for (int i = 2; i <= 6; ++i) {
    const std::string name = "n" + std::to_string(i);
    cloud.machines[name] = machine(name);
    put(initialised(name));
  }
  start();
  const auto before = host.loop.now();
  controller->run();
  EXPECT_EQ(controller->take_reconciled().size(), 6U);
  EXPECT_EQ(host.loop.now() - before, milliseconds(30));  // six in pairs
}

TEST_F(NodeControllerTest, ISSUE_38_8_ANodeThatRegisteredWithoutTheTaintIsLeftAlone) {
  Json node = joining("n1");
  node["spec"].erase("taints");
  cloud.machines.clear();
  put(node);
  start();
  controller->run();
  auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].status.code(), Code::implemented_elsewhere);
  EXPECT_EQ(ended[0].status.reason(), "NotInitialized");
  EXPECT_NE(ended[0].status.message().find("--cloud-provider=external"), std::string::npos);

  cloud.machines["n1"] = machine("n1");  // its addresses follow, as with the Go manager (NODE-45)
  controller->advance(std::chrono::minutes(5));
  ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].status.reason(), "NotInitialized");
  EXPECT_EQ(stored("n1")["status"]["addresses"].size(), machine("n1").addresses.size() + 1);
}

TEST_F(NodeControllerTest, ISSUE_38_8_AnotherProvidersNodeIsLeftAloneUntilItIsGone) {
  Json node = joining("n1");
  node["spec"] = {{"providerID", "metal://7"}};
  cloud.failure = Status(Code::unimplemented, ErrorClass::unsupported, "of another provider")
                      .with_reason("ForeignProviderID");
  put(node);
  start();
  controller->run();
  auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].status.code(), Code::implemented_elsewhere);
  EXPECT_EQ(ended[0].status.reason(), "ForeignProviderID");
  host.kube.remove("v1/nodes", "n1");
  controller->run();
  ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].status.ok()) << "or its record would stay";
}

}  // namespace
}  // namespace ccm::node
