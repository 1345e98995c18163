// Which cluster and Service the marks of OpenStack's objects name.
#include "openstack/owned/cluster_marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack {
namespace {

const std::vector<std::string> kMine{"mine"};
const std::string kUid = "0c8ab2c3-1111-2222-3333-444455556666";

ExistingLoadBalancer balancer(const std::string& name, std::vector<std::string> tags) {
  ExistingLoadBalancer made;
  made.id = "lb-1";
  made.name = name;
  made.tags = std::move(tags);
  std::sort(made.tags.begin(), made.tags.end());
  return made;
}

TEST(ClusterMarksTest, OS_225_ANameHasClusterNamespaceAndService) {
  const auto marked = service_in_name("kube_service_my_cluster_default_web");
  ASSERT_TRUE(marked);
  EXPECT_EQ(marked->cluster, "my_cluster");
  EXPECT_EQ(marked->service, "default/web");
  for (const char* name :
       {"", "kube_service_", "kube_service_default_web", "kube_service__default_web",
        "kube_service_mine_default_", "kube_service_mine__web", "service_mine_default_web"}) {
    EXPECT_FALSE(service_in_name(name)) << name;
  }
  EXPECT_FALSE(service_in_name("kube_service_mine_default_" + std::string(240, 'a')));
}

TEST(ClusterMarksTest, OS_220_221_DescriptionsNameTheCluster) {
  const auto address = service_in_description(
      "Floating IP for Kubernetes external service default/web from cluster mine");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->cluster, "mine");
  EXPECT_EQ(address->service, "default/web");
  const auto group =
      service_in_description("Security group for default/web Service LoadBalancer in cluster mine");
  ASSERT_TRUE(group);
  EXPECT_EQ(group->cluster, "mine");
  EXPECT_FALSE(service_in_description("Floating IP for Kubernetes external service default/web"));
  EXPECT_FALSE(service_in_description("by hand"));
  std::string cut = "Floating IP for Kubernetes external service default/web from cluster ";
  cut.resize(255, 'm');
  EXPECT_FALSE(service_in_description(cut));
}

TEST(ClusterMarksTest, ALoadBalancerOfTheClusterHasItsServices) {
  const std::string name = "kube_service_mine_default_web";
  const auto object = owned_load_balancer(balancer(name, {name, "ccm-service:" + kUid}), kMine);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->cluster, "mine");
  EXPECT_EQ(object->services, (std::vector<Label>{{"default/web", kUid}}));
  EXPECT_FALSE(object->shared || object->no_cluster);
  // As the Go manager leaves it: without tags.
  const auto of_go = owned_load_balancer(balancer(name, {}), kMine);
  ASSERT_TRUE(of_go);
  EXPECT_EQ(of_go->services, (std::vector<Label>{{"default/web", ""}}));
}

TEST(ClusterMarksTest, OS_225_WhatOthersUseOrMadeIsShared) {
  const std::string name = "kube_service_mine_default_web";
  const auto both =
      owned_load_balancer(balancer(name, {name, "kube_service_theirs_default_web"}), kMine);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->shared);
  const auto by_user = owned_load_balancer(balancer("by-hand", {name}), kMine);
  ASSERT_TRUE(by_user);
  EXPECT_TRUE(by_user->shared);
  const auto cut = owned_load_balancer(
      balancer(name, {name, "kube_service_mine_default_" + std::string(240, 'a')}), kMine);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->shared);
}

const std::string kSystem = "7a3164c5-1111-2222-3333-444455556666";
const std::string kOther = "7a3164c5-1111-2222-3333-444455557777";

// Clusters of one name differ by the UID of kube-system, for a user who gives it.
TEST(ClusterMarksTest, OS_229_TheClustersUidOutweighsItsName) {
  const std::string name = "kube_service_mine_default_web";
  const auto marked = balancer(name, {name, "ccm-service:" + kUid, "ccm-cluster:" + kSystem});
  const auto object = owned_load_balancer(marked, {"mine", kSystem});
  ASSERT_TRUE(object);
  EXPECT_EQ(object->cluster, kSystem);
  EXPECT_FALSE(object->shared || object->no_cluster);
  EXPECT_FALSE(owned_load_balancer(marked, {"mine", kOther}));
  EXPECT_EQ(owned_load_balancer(marked, {"mine"})->cluster, "mine");
  EXPECT_EQ(owned_load_balancer(balancer(name, {name}), {"mine", kOther})->cluster, "mine");
  const auto both = owned_load_balancer(
      balancer(name, {name, "ccm-cluster:" + kSystem, "ccm-cluster:" + kOther}), {"mine", kSystem});
  EXPECT_TRUE(both && both->shared);

  LoadBalancerService service;
  service.namespace_name = "default";
  service.name = "web";
  service.uid = kUid;
  service.cluster_name = "mine";
  const FloatingIp address{"f-1", "203.0.113.1", floating_ip_description(service, kSystem), ""};
  EXPECT_EQ(owned_floating_ip(address, {"mine", kSystem})->cluster, kSystem);
  EXPECT_FALSE(owned_floating_ip(address, {"mine", kOther}));
  const NamedSecurityGroup group{"g-1", security_group_name(service),
                                 security_group_description(service, kSystem)};
  EXPECT_EQ(owned_security_group(group, {"mine", kSystem})->services,
            (std::vector<Label>{{"default/web", kUid}}));
  EXPECT_FALSE(owned_security_group(group, {"mine", kOther}));
}

TEST(ClusterMarksTest, AnotherClustersOrNobodysIsNotListed) {
  EXPECT_FALSE(owned_load_balancer(balancer("kube_service_theirs_default_web", {}), kMine));
  EXPECT_FALSE(owned_load_balancer(balancer("kube_service_mine2_default_web", {}), kMine));
  EXPECT_FALSE(owned_load_balancer(balancer("by-hand", {"blue"}), kMine));
  FloatingIp address{"f-1", "203.0.113.1", "by hand", ""};
  EXPECT_FALSE(owned_floating_ip(address, kMine));
  address.description =
      "Floating IP for Kubernetes external service default/web from cluster theirs";
  EXPECT_FALSE(owned_floating_ip(address, kMine));
  EXPECT_FALSE(owned_security_group({"g-1", "lb-sg-" + kUid + "-default-web", "by hand"}, kMine));
}

TEST(ClusterMarksTest, OS_223_ANameOfAUidNamesNoCluster) {
  const auto object = owned_load_balancer(balancer("a0c8ab2c3111122223333444455556666", {}), kMine);
  EXPECT_FALSE(object);  // 33 characters
  const auto of_uid = owned_load_balancer(balancer("a0c8ab2c311112222333344445555666", {}), kMine);
  ASSERT_TRUE(of_uid);
  EXPECT_TRUE(of_uid->no_cluster);
}

TEST(ClusterMarksTest, OS_222_ASecurityGroupHasTheUidInItsName) {
  const auto object =
      owned_security_group({"g-1", "lb-sg-" + kUid + "-default-web",
                            "Security group for default/web Service LoadBalancer in cluster mine"},
                           kMine);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->services, (std::vector<Label>{{"default/web", kUid}}));
}

}  // namespace
}  // namespace ccm::openstack
