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

std::string texts(const std::vector<NodeAddress>& addresses) {
  std::string text;
  for (const NodeAddress& each : addresses) text += (text.empty() ? "" : " ") + each.address;
  return text;
}

TEST_F(BackendsTest, NODE_34_TheKubeletsChoiceComesFirstAndAddsNothing) {
  const std::vector<NodeAddress> cloud{{"InternalIP", "10.0.0.1"},
                                       {"InternalIP", "10.1.0.1"},
                                       {"InternalIP", "fd00::1"},
                                       {"ExternalIP", "192.0.2.1"}};
  const auto ordered = [&](const char* annotation) {
    Json json = plain_node("n");
    json["metadata"]["annotations"]["alpha.kubernetes.io/provided-node-ip"] = annotation;
    return texts(ordered_addresses(cloud, node(json)));
  };
  EXPECT_EQ(texts(ordered_addresses(cloud, node(plain_node("n")))),
            "10.0.0.1 10.1.0.1 fd00::1 192.0.2.1");
  EXPECT_EQ(ordered("10.1.0.1"), "10.1.0.1 10.0.0.1 fd00::1 192.0.2.1");
  EXPECT_EQ(ordered("fd00:0::1,10.1.0.1"), "fd00::1 10.1.0.1 10.0.0.1 192.0.2.1");
  for (const char* of_no_use : {"", ",", "169.254.169.254", "x", "10.0.0.0/8", ",,,"}) {
    EXPECT_EQ(ordered(of_no_use), "10.0.0.1 10.1.0.1 fd00::1 192.0.2.1") << of_no_use;
  }
}

TEST_F(BackendsTest, SVC_56_TheSetIsNamesProviderIdsAndAddresses) {
  const auto hash_of = [&](const char* name, const char* id, const char* address) {
    BackendSet set;
    set.backends = std::vector<Backend>{{name, id, {{"InternalIP", address}}, {}}};
    return set.hash({});
  };
  const uint64_t before = hash_of("a", "c://1", "10.0.0.1");
  EXPECT_EQ(hash_of("a", "c://1", "10.0.0.1"), before);
  EXPECT_NE(hash_of("b", "c://1", "10.0.0.1"), before);
  EXPECT_NE(hash_of("a", "c://2", "10.0.0.1"), before);
  EXPECT_NE(hash_of("a", "c://1", "10.0.0.2"), before);
}

TEST_F(BackendsTest, OnlyTheLabelsThatCountAreInTheHash) {
  const auto hash_of = [&](const Json& labels, const std::vector<std::string>& keys) {
    Json json = plain_node("n");
    json["metadata"]["labels"] = labels;
    BackendSet set;
    set.backends = std::vector<Backend>{{"n", "c://1", {}, node(json)}};
    return set.hash(keys);
  };
  EXPECT_EQ(hash_of({{"a", "1"}}, {}), hash_of({{"a", "2"}}, {}));
  EXPECT_NE(hash_of({{"a", "1"}}, {"a"}), hash_of({{"a", "2"}}, {"a"}));
  EXPECT_NE(hash_of({{"a", "1"}}, {"a"}), hash_of(Json::object(), {"a"}));
  EXPECT_EQ(hash_of({{"a", "1"}, {"b", "2"}}, {"a", "b"}),
            hash_of({{"b", "2"}, {"a", "1"}, {"c", "3"}}, {"a", "b"}));
}

TEST_F(BackendsTest, hcloud_961_769_NodesThatAreLeftOutAreCountedByReason) {
  BackendSet set;
  EXPECT_EQ(set.why_none(), "the cluster has no Nodes");
  set.nodes = 6;
  set.left_out[static_cast<size_t>(LeftOut::excluded)] = 3;
  EXPECT_EQ(set.why_none(),
            "3 Nodes are left out by node.kubernetes.io/exclude-from-external-load-balancers");
  set.left_out[static_cast<size_t>(LeftOut::deleting)] = 1;
  set.left_out[static_cast<size_t>(LeftOut::no_instance)] = 2;
  EXPECT_EQ(set.why_none(),
            "3 Nodes are left out by node.kubernetes.io/exclude-from-external-load-balancers, 1 "
            "Node is being deleted, 2 Nodes have no instance in the cloud");
  for (size_t kind = 1; kind < kLeftOutKinds; ++kind) {
    BackendSet one;
    one.nodes = 1;
    one.left_out[kind] = 1;
    EXPECT_TRUE(one.why_none().starts_with("1 Node ")) << kind;
    EXPECT_GT(one.why_none().size(), 10U) << kind;
  }
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
