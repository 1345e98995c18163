// The Nodes that take the traffic, and the changes of them that matter.
#include "service/backends.hpp"

#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class BackendsTest : public ::testing::Test {
 protected:
  Object node(const Json& json) { return objects.make(json.dump()); }
  bool included_with(const std::string& value) {
    Json json = plain_node("n");
    json["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] = value;
    return included(node(json));
  }

  testing::FakeObjects objects;
};

TEST_F(BackendsTest, SVC_58_TRAP_19_TheExclusionLabel) {
  EXPECT_TRUE(included(node(plain_node("n"))));
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) {
    EXPECT_TRUE(included_with(no)) << no;
  }
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True", "", "fAlse", "no", "x"}) {
    EXPECT_FALSE(included_with(yes)) << yes;
  }
}

TEST_F(BackendsTest, SVC_57_TRAP_18_WhatKeepsANodeOut) {
  Json json = plain_node("n");
  json["status"]["conditions"] = {{{"type", "Ready"}, {"status", "False"}}};
  json["spec"]["taints"] = {
      {{"key", "node.cloudprovider.kubernetes.io/uninitialized"}, {"effect", "NoSchedule"}}};
  json["metadata"]["labels"]["node-role.kubernetes.io/control-plane"] = "";
  json["spec"].erase("providerID");
  EXPECT_TRUE(takes_traffic(node(json)));
  json["spec"]["taints"].push_back(
      {{"key", "ToBeDeletedByClusterAutoscaler"}, {"effect", "PreferNoSchedule"}});
  EXPECT_FALSE(takes_traffic(node(json)));
  Json leaving = plain_node("n");
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_FALSE(takes_traffic(node(leaving)));
}

TEST_F(BackendsTest, SVC_52_53_WhatMayNeedOtherBackends) {
  const Json old = plain_node("n");
  bool exclude_cordoned = false;
  const auto matters = [&](auto change) {
    Json now = old;
    change(now);
    return changes_backends(node(old), node(now), exclude_cordoned);
  };
  const auto cordon = [](Json& n) { n["spec"]["unschedulable"] = true; };
  EXPECT_TRUE(matters([](Json& n) { n["spec"]["providerID"] = "test://other"; }));
  EXPECT_TRUE(matters([](Json& n) {
    n["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] = "";
  }));
  EXPECT_TRUE(matters([](Json& n) {
    n["spec"]["taints"] = {{{"key", "ToBeDeletedByClusterAutoscaler"}}};
  })) << "TRAP-17";
  EXPECT_TRUE(matters([](Json& n) { n["metadata"]["deletionTimestamp"] = "x"; }));
  EXPECT_FALSE(matters([](Json& n) { n["spec"]["taints"] = {{{"key", "other"}}}; }));
  EXPECT_FALSE(matters([](Json& n) { n["metadata"]["labels"]["a"] = "b"; }));
  EXPECT_FALSE(matters(cordon));
  exclude_cordoned = true;
  EXPECT_TRUE(matters(cordon));
  exclude_cordoned = false;
  EXPECT_TRUE(matters([](Json& n) {
    n["status"]["addresses"] = {{{"type", "InternalIP"}, {"address", "10.0.0.1"}}};
  }));
}

TEST_F(BackendsTest, SVC_53_TheOrderOfAddressesMeansNothing) {
  const Json internal = {{"type", "InternalIP"}, {"address", "10.0.0.1"}};
  const Json external = {{"type", "ExternalIP"}, {"address", "192.0.2.1"}};
  Json one = plain_node("n");
  Json other = one;
  one["status"]["addresses"] = {internal, external};
  other["status"]["addresses"] = {external, internal};
  EXPECT_FALSE(changes_backends(node(one), node(other), true));
}

TEST_F(BackendsTest, SVC_56_TheSetIsNamesProviderIdsAndAddresses) {
  testing::FakeHost host;
  const Kube kube(Service<ccm_host_kube>(host.kube.table(), &host.kube), host.objects.service());
  host.kube.watch("v1/nodes", node_fields(), [](int32_t, const Object&, const Object&) {});
  Json first = plain_node("b");
  first["status"]["addresses"] = {{{"type", "InternalIP"}, {"address", "10.0.0.1"}}};
  host.kube.put("v1/nodes", first.dump());
  host.kube.put("v1/nodes", plain_node("a").dump());
  const auto before = select_backends(kube, false);
  ASSERT_EQ(before.backends.size(), 2U);
  EXPECT_EQ(before.backends[0].name, "a");
  EXPECT_EQ(before.backends[1].provider_id, "test://b");
  ASSERT_EQ(before.backends[1].addresses.size(), 1U);
  EXPECT_EQ(before.backends[1].addresses[0].address, "10.0.0.1");
  first["metadata"]["labels"]["a"] = "b";
  host.kube.put("v1/nodes", first.dump());
  EXPECT_EQ(select_backends(kube, false).hash, before.hash);
  first["status"]["addresses"][0]["address"] = "10.0.0.2";
  host.kube.put("v1/nodes", first.dump());
  EXPECT_NE(select_backends(kube, false).hash, before.hash);
  first["status"]["addresses"][0]["address"] = "10.0.0.1";
  first["spec"]["providerID"] = "test://c";
  host.kube.put("v1/nodes", first.dump());
  EXPECT_NE(select_backends(kube, false).hash, before.hash);
}

TEST_F(BackendsTest, CordonedNodesAreLeftOutUnlessNoOtherIsLeft) {
  testing::FakeHost host;
  const Kube kube(Service<ccm_host_kube>(host.kube.table(), &host.kube), host.objects.service());
  host.kube.watch("v1/nodes", node_fields(), [](int32_t, const Object&, const Object&) {});
  Json first = plain_node("a");
  Json second = plain_node("b");
  first["spec"]["unschedulable"] = true;
  host.kube.put("v1/nodes", first.dump());
  host.kube.put("v1/nodes", second.dump());
  EXPECT_EQ(node_names(select_backends(kube, false).backends), "a, b");
  EXPECT_EQ(node_names(select_backends(kube, true).backends), "b");
  second["spec"]["unschedulable"] = true;
  host.kube.put("v1/nodes", second.dump());
  EXPECT_EQ(node_names(select_backends(kube, true).backends), "a, b");
}

TEST_F(BackendsTest, SVC_62_AtMostTwentyNames) {
  std::vector<Backend> backends(20);
  for (size_t i = 0; i < backends.size(); ++i) backends[i].name = "n" + std::to_string(i);
  EXPECT_EQ(node_names(backends).find("more"), std::string::npos);
  backends.resize(23);
  EXPECT_TRUE(node_names(backends).ends_with("n19, 3 more")) << node_names(backends);
  EXPECT_EQ(node_names({}), "");
}

}  // namespace
}  // namespace ccm::service
