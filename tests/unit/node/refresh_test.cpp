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
  host.kube.resync();
  controller->run();
  ended = controller->take_reconciled();
  ASSERT_FALSE(ended.empty());
  EXPECT_EQ(ended.back().status.reason(), "NotInitialized");
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

TEST_F(RefreshTest, issue_37_3_AddressesThatAKubeletWritesAreComparedAtOnce) {
  start();
  controller->run();
  take_calls();
  Json node = initialised("n1");
  node["status"]["addresses"][0]["address"] = "169.254.169.254";
  put(node);
  controller->run();
  EXPECT_EQ(stored("n1")["status"]["addresses"][0]["address"], "10.0.0.1");
  EXPECT_EQ(take_calls(), Calls{"patch status"});
  EXPECT_TRUE(event_reasons().empty());
}

// kubernetes#109793, hcloud#567: a kubelet without --cloud-provider=external restores its own.
TEST_F(RefreshTest, kubernetes_109793_AKubeletThatInsistsIsToldOnce) {
  start();
  controller->run();
  take_calls();
  Json node = initialised("n1");
  node["status"]["addresses"][0]["address"] = "192.168.7.7";
  for (int second = 0; second < 1'200; second += 10) {
    put(node);
    if (second % 300 == 0) host.kube.resync();
    controller->advance(milliseconds(10'000));
  }
  EXPECT_EQ(take_calls().size(), 4U) << "one in each period";
  EXPECT_EQ(event_reasons(), std::vector<std::string>{"Warning CloudAddressesOverwritten"});
}

TEST_F(RefreshTest, AKubeletThatWritesAnotherAddressEachTimeCostsOneWriteAMinute) {
  start();
  controller->run();
  take_calls();
  Json node = initialised("n1");
  for (int second = 0; second < 600; second += 10) {
    node["status"]["addresses"][0]["address"] = "192.168.7." + std::to_string(second / 10);
    put(node);
    controller->advance(milliseconds(10'000));
  }
  const Calls calls = take_calls();
  EXPECT_GE(calls.size(), 9U);
  EXPECT_LE(calls.size(), 11U);
}

// Its own writes, and those of a cloud that changes, are nobody's fault.
TEST_F(RefreshTest, AnAddressThatTheCloudChangesTwiceTellsNothing) {
  start();
  controller->run();
  for (const char* address : {"10.0.0.2", "10.0.0.3", "10.0.0.2"}) {
    cloud.machines["n1"].addresses = {{"InternalIP", address}};
    host.kube.resync();
    controller->run();
    EXPECT_EQ(stored("n1")["status"]["addresses"][0]["address"], address);
  }
  EXPECT_TRUE(event_reasons().empty());
  EXPECT_EQ(take_calls().size(), 3U);
}

TEST_F(RefreshTest, k0s_5116_ANodeOfOneFamilyInADualStackClusterIsToldOnce) {
  cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.1"}, {"InternalIP", "fd00::1"}};
  Json old = initialised("n1");
  old["metadata"]["annotations"]["alpha.kubernetes.io/provided-node-ip"] = "10.0.0.1";
  old["spec"]["podCIDRs"] = {"10.244.0.0/24"};
  put(old);
  start();
  controller->run();
  EXPECT_TRUE(event_reasons().empty()) << "the cluster has one family, too";
  cloud.machines["n2"] = machine("n2");
  Json late = initialised("n2");
  late["spec"]["podCIDRs"] = {"10.244.1.0/24", "fd01:0:0:1::/64"};
  put(late);
  for (int i = 0; i < 3; ++i) {
    host.kube.resync();
    controller->run();
  }
  EXPECT_EQ(event_reasons(), std::vector<std::string>{"Warning OneIPFamily"});
  const std::string text = host.events.all().back().message;
  EXPECT_NE(text.find("no IPv6 address"), std::string::npos) << text;
  EXPECT_NE(text.find("--node-ip=10.0.0.1"), std::string::npos) << text;
  EXPECT_NE(text.find("kubectl delete node n1"), std::string::npos) << text;
}

TEST_F(RefreshTest, k0s_5116_AnInstanceOfOneFamilyIsFine) {
  host.config.set_flag("cluster-cidr", "10.244.0.0/16,fd01::/48");
  Json node = initialised("n1");
  node["spec"]["podCIDRs"] = {"10.244.1.0/24", "fd01:0:0:1::/64"};
  put(node);
  start();
  controller->run();
  EXPECT_TRUE(event_reasons().empty());
}

}  // namespace
}  // namespace ccm::node
