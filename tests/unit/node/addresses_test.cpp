#include "node/addresses.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ccm::node {
namespace {

using Addresses = std::vector<NodeAddress>;

const NodeAddress kInternal{"InternalIP", "10.0.0.1"};
const NodeAddress kInternal2{"InternalIP", "10.0.0.2"};
const NodeAddress kExternal{"ExternalIP", "192.0.2.1"};
const NodeAddress kCloudHost{"Hostname", "machine-1"};
const NodeAddress kKubeletHost{"Hostname", "node-1"};

NodeState with_addresses(Addresses addresses) {
  NodeState node;
  node.addresses = std::move(addresses);
  return node;
}

TEST(Addresses, NODE_29_NoneFromTheCloudMeansNoChange) {
  const NodeState node = with_addresses({kKubeletHost, kInternal});
  const auto desired = desired_addresses(node, {});
  ASSERT_TRUE(desired.ok());
  EXPECT_TRUE(desired->empty());
  EXPECT_FALSE(addresses_differ(node, *desired));
}

TEST(Addresses, NODE_30_TheKubeletsHostnameSurvivesUnlessTheCloudHasOne) {
  const NodeState node = with_addresses({kInternal2, kKubeletHost});
  EXPECT_EQ(*desired_addresses(node, {kInternal, kExternal}),
            (Addresses{kInternal, kExternal, kKubeletHost}));
  EXPECT_EQ(*desired_addresses(node, {kInternal, kCloudHost}), (Addresses{kInternal, kCloudHost}));
}

TEST(Addresses, NODE_31_TheAnnotationOrdersTheCombinedList) {
  NodeState node = with_addresses({kKubeletHost});
  node.provided_node_ip = "10.0.0.2";
  EXPECT_EQ(*desired_addresses(node, {kExternal, kInternal, kInternal2}),
            (Addresses{kInternal2, kExternal, kKubeletHost}));
  node.provided_node_ip = "10.9.9.9";
  EXPECT_FALSE(desired_addresses(node, {kInternal}).ok());
}

TEST(Addresses, TRAP_8_DualStackAndOrderAreComparedInFull) {
  const NodeState node = with_addresses({kInternal, kInternal2});
  EXPECT_FALSE(addresses_differ(node, {kInternal, kInternal2}));
  EXPECT_TRUE(addresses_differ(node, {kInternal2, kInternal}));
  EXPECT_TRUE(addresses_differ(node, {kInternal}));
}

TEST(Addresses, TRAP_33_ExactPairsAppearOnce) {
  const NodeAddress same_text{"ExternalIP", "10.0.0.1"};
  const NodeState node = with_addresses({kKubeletHost, kKubeletHost});
  EXPECT_EQ(*desired_addresses(node, {kInternal, same_text, kInternal}),
            (Addresses{kInternal, same_text, kKubeletHost}));
}

}  // namespace
}  // namespace ccm::node
