// Initialisation and label repair when nothing goes wrong.
#include "node_fixture.hpp"

namespace ccm::node {
namespace {

using Calls = std::vector<std::string>;
using std::chrono::milliseconds;

TEST_F(NodeControllerTest, NODE_8_13_15_20_21_24_AJoiningNodeIsInitialisedWithTwoWrites) {
  cloud.machines["n1"] = machine("n1");
  put(joining("n1"));
  start();
  controller->run();
  const Json node = stored("n1");
  EXPECT_EQ(node["spec"]["providerID"], "sandbox://id-n1");
  EXPECT_EQ(node["spec"]["taints"].dump(),
            R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])");
  EXPECT_EQ(node["metadata"]["labels"]["node.kubernetes.io/instance-type"], "small");
  EXPECT_EQ(node["metadata"]["labels"]["topology.kubernetes.io/zone"], "eu-1");
  EXPECT_EQ(node["metadata"]["labels"]["failure-domain.beta.kubernetes.io/region"], "eu");
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/hostname"], "n1");
  EXPECT_EQ(node["status"]["addresses"].dump(),
            R"([{"type":"InternalIP","address":"10.0.0.1"},{"type":"Hostname","address":"n1"}])");
  EXPECT_EQ(node["status"]["capacity"]["cpu"], "2");
  EXPECT_EQ(take_calls(), (Calls{"patch status", "patch"}));
  EXPECT_EQ(event_reasons(), Calls{"Normal Synced"});
  EXPECT_TRUE(host.faults().empty());
}

// The second write needs the version in the first one's answer; nothing needs the second answer.
TEST_F(NodeControllerTest, OnlyTheFirstWriteHasAnAnswer) {
  cloud.machines["n1"] = machine("n1");
  put(joining("n1"));
  start();
  controller->run();
  const auto patches = host.kube.calls("patch");
  ASSERT_EQ(patches.size(), 2U);
  EXPECT_EQ(patches[0].answer, PatchAnswer::metadata);
  EXPECT_EQ(patches[1].answer, PatchAnswer::none);
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeControllerTest, AddressesThatAreRightAlreadyAreNotWritten) {
  cloud.machines["n1"] = machine("n1");
  Json node = joining("n1");
  node["status"]["addresses"] = Json::parse(
      R"([{"type":"InternalIP","address":"10.0.0.1"},{"type":"Hostname","address":"n1"}])");
  put(node);
  start();
  controller->run();
  EXPECT_EQ(take_calls(), Calls{"patch"});
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeControllerTest, OwnWritesLeadToNoFurtherWork) {
  cloud.machines["n1"] = machine("n1");
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_EQ(controller->take_reconciled().size(), 1U);
  EXPECT_EQ(cloud.asked.size(), 1U);
}

TEST_F(NodeControllerTest, MET_2_3_TheNodesAgeIsObserved) {
  cloud.machines["n1"] = machine("n1");
  put(joining("n1"));
  start();
  controller->run();
  for (const char* name : {"node_controller_cloud_provider_taint_removal_delay_seconds",
                           "node_controller_initial_node_sync_delay_seconds"}) {
    const auto metric = host.metrics.find(name);
    ASSERT_TRUE(metric.has_value()) << name;
    EXPECT_EQ(metric->buckets, (std::vector<double>{1, 4, 16, 64, 256, 1024})) << name;
    ASSERT_EQ(metric->records.size(), 1U) << name;
    EXPECT_EQ(metric->records[0].second, 1'000.0) << name;  // the fake clock's start
  }
}

TEST_F(NodeControllerTest, CLOUD_13_TheIdentityCarriesNameIdAndNode) {
  cloud.machines["n1"] = machine("n1");
  Json node = joining("n1");
  node["spec"]["providerID"] = "sandbox://own";
  put(node);
  start();
  controller->run();
  ASSERT_EQ(cloud.asked.size(), 1U);
  EXPECT_EQ(cloud.asked[0].provider_id, "sandbox://own");
  EXPECT_EQ(cloud.asked[0].node.name(), "n1");
  EXPECT_EQ(stored("n1")["spec"]["providerID"], "sandbox://own");  // NODE-13
}

TEST_F(NodeControllerTest, CLOUD_12_AnInstanceThatIsSwitchedOffExists) {
  cloud.machines["n1"] = machine("n1");
  cloud.machines["n1"].state = InstanceState::shutdown;
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeControllerTest, NODE_29_WithoutAddressesTheKubeletsStay) {
  cloud.machines["n1"] = machine("n1");
  cloud.machines["n1"].addresses.clear();
  Json node = joining("n1");
  node["status"]["addresses"].push_back({{"type", "InternalIP"}, {"address", "10.0.0.9"}});
  put(node);
  start();
  controller->run();
  EXPECT_FALSE(tainted("n1"));
  EXPECT_EQ(take_calls(), Calls{"patch"});
}

TEST_F(NodeControllerTest, NODE_3_HeartbeatsAskNobody) {
  cloud.machines["n1"] = machine("n1");
  Json node = joining("n1");
  node["spec"].erase("taints");
  put(node);
  start();
  controller->run();
  controller->take_reconciled();
  node["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", "True"}}});
  put(node);
  controller->run();
  EXPECT_TRUE(controller->take_reconciled().empty());
}

TEST_F(NodeControllerTest, NODE_45_ANodeWithoutTheTaintIsNeverInitialised) {
  cloud.machines["n1"] = machine("n1");
  Json node = joining("n1");
  node["spec"].erase("taints");
  put(node);
  start();
  controller->run();
  EXPECT_FALSE(stored("n1")["spec"].contains("providerID"));
  EXPECT_FALSE(stored("n1")["metadata"]["labels"].contains("topology.kubernetes.io/zone"));
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(NodeControllerTest, NODE_43_TRAP_30_LabelRepairIsOnePatchWithoutAVersion) {
  Json node = joining("n1");
  node["spec"].erase("taints");
  node["metadata"]["labels"]["beta.kubernetes.io/instance-type"] = "large";
  put(node);
  start();
  controller->run();
  ASSERT_EQ(host.kube.calls("patch").size(), 1U);
  EXPECT_EQ(host.kube.calls("patch")[0].answer, PatchAnswer::none);
  EXPECT_EQ(
      host.kube.calls("patch")[0].body,
      R"({"metadata":{"uid":"uid-of-n1","labels":{"node.kubernetes.io/instance-type":"large"}}})");
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["node.kubernetes.io/instance-type"], "large");
}

TEST_F(NodeControllerTest, TRAP_31_ALabelThatAUserChangesIsRepairedAtOnce) {
  Json node = joining("n1");
  node["spec"].erase("taints");
  node["metadata"]["labels"]["failure-domain.beta.kubernetes.io/zone"] = "a";
  node["metadata"]["labels"]["topology.kubernetes.io/zone"] = "a";
  put(node);
  start();
  controller->run();
  take_calls();
  node["metadata"]["labels"]["topology.kubernetes.io/zone"] = "mine";
  put(node);
  controller->run();
  EXPECT_EQ(take_calls(), Calls{"patch"});
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["topology.kubernetes.io/zone"], "a");
}

TEST_F(NodeControllerTest, ATaintThatComesLaterIsSeen) {
  cloud.machines["n1"] = machine("n1");
  Json node = joining("n1");
  const Json taints = node["spec"]["taints"];
  node["spec"].erase("taints");
  put(node);
  start();
  controller->run();
  node["spec"]["taints"] = taints;
  put(node);
  controller->run();
  EXPECT_FALSE(tainted("n1"));
  EXPECT_EQ(stored("n1")["spec"]["providerID"], "sandbox://id-n1");
}

TEST_F(NodeControllerTest, HOST_35_TheUsersNumberOfWorkersIsObeyed) {
  host.config.set_flag("concurrent-node-syncs", "1", false);
  start();
  EXPECT_EQ(controller->workers(), 64U);
  host.config.set_flag("concurrent-node-syncs", "3");
  start();
  EXPECT_EQ(controller->workers(), 3U);
  cloud.delay = milliseconds(10);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "n" + std::to_string(i);
    cloud.machines[name] = machine(name);
    put(joining(name));
  }
  controller->run();
  EXPECT_EQ(controller->most_at_once(), 3U);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(tainted("n" + std::to_string(i)));
}

TEST_F(NodeControllerTest, NODE_1_WithoutInstancesThereIsNothingToDo) {
  host.hide(CCM_CLOUD_INSTANCES);
  testing::FakeController alone(host, plugin(), "test");
  EXPECT_EQ(alone.setup().code(), Code::unimplemented);
}

TEST_F(NodeControllerTest, OnlyNeededFieldsAreDeclared) {
  start();
  ASSERT_EQ(controller->watches().size(), 1U);
  EXPECT_EQ(controller->watches()[0].resource, "v1/nodes");
  EXPECT_EQ(controller->watches()[0].fields,
            (std::vector<std::string>{"/metadata/labels", "/metadata/creationTimestamp",
                                      "/metadata/annotations/alpha.kubernetes.io~1provided-node-ip",
                                      "/spec/providerID", "/spec/taints", "/spec/podCIDRs",
                                      "/status/addresses"}));
}

}  // namespace
}  // namespace ccm::node
