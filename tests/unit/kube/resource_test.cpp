#include "kube/resource.hpp"

#include <gtest/gtest.h>

namespace ccm::kube {
namespace {

TEST(Resource, API_1_ParsesAndBuildsPaths) {
  const auto nodes = Resource::parse("v1/nodes");
  ASSERT_TRUE(nodes.ok());
  EXPECT_EQ(*nodes, resources::nodes());
  EXPECT_EQ(nodes->kind, "Node");
  EXPECT_FALSE(nodes->namespaced);
  EXPECT_EQ(nodes->path("", "n1"), "/api/v1/nodes/n1");
  EXPECT_EQ(nodes->path("", "n1", "status"), "/api/v1/nodes/n1/status");
  EXPECT_EQ(nodes->path("ignored"), "/api/v1/nodes");
  const auto leases = Resource::parse("coordination.k8s.io/v1/leases");
  ASSERT_TRUE(leases.ok());
  EXPECT_EQ(*leases, resources::leases());
  EXPECT_EQ(leases->api_version(), "coordination.k8s.io/v1");
  EXPECT_EQ(leases->id(), "coordination.k8s.io/v1/leases");
  EXPECT_EQ(leases->path("kube-system", "ccm"),
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm");
  EXPECT_EQ(leases->path(""), "/apis/coordination.k8s.io/v1/leases");
  EXPECT_EQ(nodes->path("", "a/../b?c"), "/api/v1/nodes/a%2F..%2Fb%3Fc");
}

TEST(Resource, UnknownOnesAreNamespacedWithoutAKind) {
  const auto other = Resource::parse("example.com/v1alpha1/widgets");
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->kind, "");
  EXPECT_TRUE(other->namespaced);
}

TEST(Resource, BadTextsAreNamed) {
  for (const char* bad : {"", "nodes", "/nodes", "v1/", "a/b/c/d", "v1/Nodes", "v1/no des", "//"}) {
    const auto resource = Resource::parse(bad);
    ASSERT_FALSE(resource.ok()) << bad;
    EXPECT_EQ(resource.status().code(), Code::invalid_argument);
  }
}

}  // namespace
}  // namespace ccm::kube
