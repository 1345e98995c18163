#include "node/node_state.hpp"

#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace ccm::node {
namespace {

TEST(NodeState, ReadsWhatItNeeds) {
  testing::FakeHost host;
  const Object object = host.objects.make(R"({
    "metadata": {"name": "n1", "resourceVersion": "5", "creationTimestamp": "2026-01-01T00:00:10Z",
      "labels": {"a": "1"}, "annotations": {"alpha.kubernetes.io/provided-node-ip": "10.0.0.1"}},
    "spec": {"providerID": "sandbox://1", "taints": [{"key": "k", "effect": "NoSchedule", "x": 3}]},
    "status": {"addresses": [{"type": "Hostname", "address": "n1"}]}})");
  const NodeState state = read_node(object);
  EXPECT_EQ(state.name, "n1");
  EXPECT_EQ(state.resource_version, "5");
  EXPECT_EQ(state.provider_id, "sandbox://1");
  EXPECT_EQ(state.labels, (Labels{{"a", "1"}}));
  ASSERT_EQ(state.taints.size(), 1U);
  EXPECT_EQ(state.taints[0].json, R"({"key":"k","effect":"NoSchedule","x":3})");
  EXPECT_EQ(state.addresses, (std::vector<NodeAddress>{{"Hostname", "n1"}}));
  EXPECT_EQ(state.provided_node_ip, "10.0.0.1");
  EXPECT_EQ(state.created, std::chrono::milliseconds(1'767'225'610'000));
  EXPECT_FALSE(state.uninitialized());
}

TEST(NodeState, AnEmptyNodeIsReadable) {
  testing::FakeHost host;
  const NodeState state = read_node(host.objects.make(R"({"metadata": {"name": "n1"}})"));
  EXPECT_TRUE(state.taints.empty());
  EXPECT_FALSE(state.provided_node_ip.has_value());
  EXPECT_FALSE(state.created.has_value());
}

TEST(NodeState, NODE_6_TheTaintsKeyAloneDecides) {
  NodeState state;
  state.taints = {{"other", "{}"}, {"node.cloudprovider.kubernetes.io/uninitialized", "{}"}};
  EXPECT_TRUE(state.uninitialized());
  state.taints.pop_back();
  EXPECT_FALSE(state.uninitialized());
}

TEST(NodeState, NODE_6_WhatTheInitialisationDependsOnIsComparedUnread) {
  testing::FakeHost host;
  const std::string text = R"({"metadata":{"name":"n","resourceVersion":"1",
    "labels":{"label":"value"},"annotations":{"alpha.kubernetes.io/provided-node-ip":"10.9.9.9"}},
    "spec":{"providerID":"sandbox://1","taints":[{"key":"taint"}]},
    "status":{"addresses":[{"address":"10.0.0.1"}]}})";
  const Object node = host.objects.make(text);
  const auto same_with = [&](const std::string& part, const std::string& other) {
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), other);
    return same_input(node, host.objects.make(changed));
  };
  EXPECT_TRUE(same_with("\"1\"", "\"2\"")) << "the resourceVersion";
  EXPECT_TRUE(same_with("10.0.0.1", "10.0.0.2")) << "addresses are ours";
  for (const char* part : {"value", "10.9.9.9", "sandbox://1", "taint\"}"}) {
    EXPECT_FALSE(same_with(part, "x" + std::string(part))) << part;
  }
}

}  // namespace
}  // namespace ccm::node
