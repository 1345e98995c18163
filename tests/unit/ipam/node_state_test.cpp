#include "ipam/node_state.hpp"

#include <ccm/testing/fake_objects.hpp>

#include <gtest/gtest.h>

namespace ccm::ipam {
namespace {

class NodeStateTest : public ::testing::Test {
 protected:
  NodeState read(std::string_view spec) {
    return read_node(objects.make(R"({"metadata":{"name":"n","uid":"u","resourceVersion":"17"},)"
                                  R"("spec":)" +
                                  std::string(spec) + "}"));
  }
  testing::FakeObjects objects;
};

TEST_F(NodeStateTest, ReadsBothForms) {
  const NodeState node =
      read(R"({"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24","fd00::/64"]})");
  EXPECT_EQ(node.name, "n");
  EXPECT_EQ(node.uid, "u");
  EXPECT_EQ(node.version, 17U);
  EXPECT_FALSE(node.deleting);
  EXPECT_EQ(node.joined(), "10.0.0.0/24, fd00::/64");
  EXPECT_EQ(read("{}").joined(), "");
  EXPECT_EQ(read(R"({"podCIDRs":["10.0.0.0/24"]})").joined(), "10.0.0.0/24");
}

TEST_F(NodeStateTest, TheSingleFormHoldsWhereTheyDiffer) {
  EXPECT_EQ(read(R"({"podCIDR":"10.0.1.0/24"})").joined(), "10.0.1.0/24");
  EXPECT_EQ(read(R"({"podCIDR":"10.0.1.0/24","podCIDRs":["10.0.0.0/24","fd00::/64"]})").joined(),
            "10.0.1.0/24");
}

TEST_F(NodeStateTest, WhatIsNoNumberIsNoVersion) {
  const Object object =
      objects.make(R"({"metadata":{"name":"n","resourceVersion":"a1","deletionTimestamp":"x"}})");
  EXPECT_EQ(read_node(object).version, 0U);
  EXPECT_TRUE(read_node(object).deleting);
}

TEST_F(NodeStateTest, TheAssignerIsTheManagerOfTheField) {
  const Object object = objects.make(
      R"({"metadata":{"name":"n","managedFields":[)"
      R"({"manager":"kubelet","fieldsV1":{"f:spec":{"f:providerID":{}}}},)"
      R"({"manager":"kube-controller-manager","fieldsV1":{"f:spec":{"f:podCIDR":{}}}},)"
      R"({"manager":"kubectl","fieldsV1":{"f:metadata":{}}}]}})");
  EXPECT_EQ(assigner(object), "kube-controller-manager");
  EXPECT_EQ(assigner(objects.make(R"({"metadata":{"name":"n"}})")), "");
}

TEST_F(NodeStateTest, IPAM_32_ThePatchHasBothFormsAndTheUid) {
  const std::vector<Cidr> blocks{*parse_cidr("10.0.0.0/24"), *parse_cidr("fd00::/64")};
  EXPECT_EQ(cidr_patch("u-1", blocks),
            R"({"metadata":{"uid":"u-1"},"spec":{"podCIDR":"10.0.0.0/24",)"
            R"("podCIDRs":["10.0.0.0/24","fd00::/64"]}})");
}

}  // namespace
}  // namespace ccm::ipam
