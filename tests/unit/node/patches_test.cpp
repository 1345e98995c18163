#include "node/patches.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::node {
namespace {

constexpr const char* kOurs =
    R"({"key":"node.cloudprovider.kubernetes.io/uninitialized","value":"true","effect":"NoSchedule"})";

TEST(Patches, TRAP_9_AddressesAreReplacedWhole) {
  EXPECT_EQ(address_patch("u-1", "7", {{"InternalIP", "10.0.0.1"}, {"InternalIP", "fd00::1"}}),
            R"({"metadata":{"uid":"u-1","resourceVersion":"7"},)"
            R"("status":{"addresses":[{"$patch":"replace"},)"
            R"({"type":"InternalIP","address":"10.0.0.1"},)"
            R"({"type":"InternalIP","address":"fd00::1"}]}})");
  EXPECT_EQ(address_patch("u-1", "", {}),
            R"({"metadata":{"uid":"u-1"},"status":{"addresses":[{"$patch":"replace"}]}})");
}

TEST(Patches, NODE_20_OnlyTheUninitializedTaintsGoAndTheRestKeepsItsOrder) {
  NodeState node;
  node.uid = "u-1";
  node.resource_version = "7";
  node.taints = {{"b", R"({"key":"b","timeAdded":"x"})"},
                 {"node.cloudprovider.kubernetes.io/uninitialized", kOurs},
                 {"a", R"({"key":"a"})"}};
  EXPECT_EQ(initialization_patch(node, {}),
            R"({"metadata":{"uid":"u-1","resourceVersion":"7"},)"
            R"("spec":{"taints":[{"key":"b","timeAdded":"x"},{"key":"a"}]}})");
}

TEST(Patches, TRAP_30_LIFE_16_TaintsCarryTheResourceVersionLabelsDoNot) {
  NodeState node;
  node.uid = "u-1";
  node.resource_version = "41";
  node.taints = {{"node.cloudprovider.kubernetes.io/uninitialized", kOurs}};
  DesiredState desired;
  desired.provider_id = "sandbox://m-1";
  desired.labels.set = {{"rack", "7"}};
  EXPECT_EQ(initialization_patch(node, desired),
            R"({"metadata":{"uid":"u-1","resourceVersion":"41","labels":{"rack":"7"}},)"
            R"("spec":{"providerID":"sandbox://m-1","taints":null}})");
  EXPECT_EQ(label_patch("u-1", {{"a", "1"}, {"b", "quote\""}}),
            R"({"metadata":{"uid":"u-1","labels":{"a":"1","b":"quote\""}}})");
}

}  // namespace
}  // namespace ccm::node
