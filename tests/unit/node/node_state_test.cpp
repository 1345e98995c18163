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
  const auto node = [&](const std::string& taint, const std::string& label,
                        const std::string& address) {
    return host.objects.make(R"({"metadata":{"name":"n","creationTimestamp":"x","labels":{"l":")" +
                             label + R"("}},"spec":{"taints":[{"key":")" + taint +
                             R"("}]},"status":{"addresses":[{"address":")" + address + R"("}]}})");
  };
  const Object first = node("t", "l", "10.0.0.1");
  EXPECT_TRUE(same_input(first, node("t", "l", "10.0.0.1")));
  EXPECT_TRUE(same_input(first, node("t", "l", "10.0.0.2"))) << "addresses are ours";
  EXPECT_FALSE(same_input(first, node("u", "l", "10.0.0.1")));
  EXPECT_FALSE(same_input(first, node("t", "m", "10.0.0.1")));
}

}  // namespace
}  // namespace ccm::node
