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

TEST(NodeState, TimesHaveOneForm) {
  EXPECT_EQ(parse_time("1970-01-02T00:00:01Z"), std::chrono::milliseconds(86'401'000));
  for (const char* wrong :
       {"", "2026-01-01", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:-1Z", "2026-01-01T00:00:0xZ"}) {
    EXPECT_FALSE(parse_time(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace ccm::node
