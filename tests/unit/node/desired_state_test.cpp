#include "node/desired_state.hpp"

#include <gtest/gtest.h>

namespace ccm::node {
namespace {

Instance machine() {
  Instance instance;
  instance.state = InstanceState::running;
  instance.provider_id = "sandbox://m-1";
  instance.addresses = {{"InternalIP", "10.0.0.1"}};
  return instance;
}

TEST(DesiredState, NODE_13_TheProviderIdIsSetOnlyWhereThereIsNone) {
  NodeState node;
  EXPECT_EQ(desired_state(node, machine())->provider_id, "sandbox://m-1");
  node.provider_id = "sandbox://other";
  EXPECT_EQ(desired_state(node, machine())->provider_id, "");
}

TEST(DesiredState, NODE_9_NoProviderIdOnEitherSideIsAFailure) {
  Instance nameless = machine();
  nameless.provider_id.clear();
  NodeState node;
  EXPECT_EQ(desired_state(node, nameless).status().reason(), "NoProviderID");
  node.provider_id = "sandbox://m-1";
  EXPECT_TRUE(desired_state(node, nameless).ok());
}

TEST(DesiredState, NODE_14_TheAnnotationIsCheckedAgainstTheInstancesAddresses) {
  NodeState node;
  node.addresses = {{"InternalIP", "10.0.0.9"}, {"Hostname", "n1"}};
  node.provided_node_ip = "10.0.0.9";  // the kubelet's own, not the cloud's
  EXPECT_EQ(desired_state(node, machine()).status().reason(), "InvalidProvidedNodeIP");
  node.provided_node_ip = "10.0.0.1";
  EXPECT_TRUE(desired_state(node, machine()).ok());
  Instance without_addresses = machine();
  without_addresses.addresses.clear();
  EXPECT_FALSE(desired_state(node, without_addresses).ok());
}

}  // namespace
}  // namespace ccm::node
