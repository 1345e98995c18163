// Whether anything needs an object of the cloud, as ccmctl orphans decides.
#include "ccmctl/cloud/owned_need.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::ctl {
namespace {

using nlohmann::json;

constexpr const char* kUid = "0c8ab2c3-1111-2222-3333-444455556666";

json service(const std::string& name, const std::string& type, const std::string& uid = kUid) {
  return {{"metadata", {{"namespace", "default"}, {"name", name}, {"uid", uid}}},
          {"spec", {{"type", type}}}};
}
ClusterObjects cluster_with(json service) {
  ClusterObjects cluster;
  cluster.services.push_back(std::move(service));
  return cluster;
}
OwnedObject balancer(const std::string& key, const std::string& uid) {
  OwnedObject object;
  object.kind = CCM_OWNED_LOAD_BALANCER;
  object.id = "lb-1";
  object.cluster = "mine";
  object.services = {{key, uid}};
  return object;
}

TEST(OwnedNeedTest, AServiceIsKnownByItsUid) {
  const ClusterObjects cluster = cluster_with(service("web", "LoadBalancer"));
  EXPECT_TRUE(is_needed(balancer("", kUid), cluster));
  EXPECT_FALSE(is_needed(balancer("", "11111111-1111-2222-3333-444455556666"), cluster));
  // A Service that was made again has the name, and another UID.
  EXPECT_FALSE(is_needed(balancer("default/web", "11111111-1111-2222-3333-444455556666"), cluster));
  EXPECT_TRUE(is_needed(balancer("default/web", ""), cluster));
  EXPECT_FALSE(is_needed(balancer("default/other", ""), cluster));
}

// It was made while the cloud was asked.
TEST(OwnedNeedTest, Issue37_WhatEitherOfTwoLooksShowsIsNeeded) {
  const ClusterObjects with = cluster_with(service("web", "LoadBalancer"));
  EXPECT_TRUE(is_needed(balancer("", kUid), of_two_looks({}, with)));
  EXPECT_TRUE(is_needed(balancer("", kUid), of_two_looks(with, {})));
  EXPECT_FALSE(is_needed(balancer("", kUid), of_two_looks({}, {})));
}

TEST(OwnedNeedTest, DO_92_AUidMayLackItsEndAndNotMuchMore) {
  const ClusterObjects cluster = cluster_with(service("web", "LoadBalancer"));
  const std::string uid = kUid;
  EXPECT_TRUE(is_needed(balancer("", uid.substr(0, 35)), cluster));
  EXPECT_FALSE(is_needed(balancer("", uid.substr(0, 10)), cluster));
}

TEST(OwnedNeedTest, AServiceOfAnotherTypeNeedsNoneOnceItIsCleanedUp) {
  json web = service("web", "ClusterIP");
  EXPECT_FALSE(is_needed(balancer("", kUid), cluster_with(web)));
  web["metadata"]["finalizers"] = {"service.kubernetes.io/load-balancer-cleanup"};
  EXPECT_TRUE(is_needed(balancer("", kUid), cluster_with(web)));
}

TEST(OwnedNeedTest, AnAddressOrAnIdOnAServiceCountsInDoubt) {
  json web = service("web", "LoadBalancer", "99999999-1111-2222-3333-444455556666");
  OwnedObject object = balancer("", kUid);
  object.address = "203.0.113.7";
  EXPECT_FALSE(is_needed(object, cluster_with(web)));
  web["status"]["loadBalancer"]["ingress"] = json::array({{{"ip", "203.0.113.7"}}});
  EXPECT_TRUE(is_needed(object, cluster_with(web)));
  web.erase("status");
  web["metadata"]["annotations"] = {{"example.com/load-balancer-id", "lb-1"}};
  EXPECT_TRUE(is_needed(object, cluster_with(web)));
}

TEST(OwnedNeedTest, ARouteIsNeededByANodeWithItsRange) {
  ClusterObjects cluster;
  cluster.nodes.push_back(
      {{"metadata", {{"name", "worker"}}},
       {"spec", {{"podCIDR", "10.244.1.0/24"}, {"podCIDRs", {"10.244.1.0/24", "fd00:1::/64"}}}}});
  OwnedObject route;
  route.kind = CCM_OWNED_ROUTE;
  route.id = "r-1";
  route.destination_cidr = "10.244.1.0/24";
  EXPECT_TRUE(is_needed(route, cluster));
  route.node = "worker";
  EXPECT_TRUE(is_needed(route, cluster));
  route.destination_cidr = "fd00:1::/64";
  EXPECT_TRUE(is_needed(route, cluster));
  route.node = "vanished";
  EXPECT_FALSE(is_needed(route, cluster));
  route.node = "worker";
  route.destination_cidr = "10.244.2.0/24";
  EXPECT_FALSE(is_needed(route, cluster));
}

TEST(OwnedNeedTest, WhatIsForTheWholeClusterIsNeededWhileThereIsOne) {
  OwnedObject firewall;
  firewall.kind = CCM_OWNED_FIREWALL;
  firewall.id = "f-1";
  EXPECT_TRUE(is_needed(firewall, {}));
  OwnedObject balancer_of_nobody = balancer("", kUid);
  balancer_of_nobody.services.clear();
  EXPECT_FALSE(is_needed(balancer_of_nobody, {}));
}

TEST(OwnedNeedTest, TwoLoadBalancersOfOneServiceAreDoubled) {
  const ClusterObjects cluster = cluster_with(service("web", "LoadBalancer"));
  OwnedObject second = balancer("default/web", "");
  second.id = "lb-2";
  const auto doubled = doubled_balancers({balancer("", kUid), second}, cluster);
  ASSERT_EQ(doubled.size(), 1U);
  EXPECT_EQ(doubled.front().service, "default/web");
  EXPECT_EQ(doubled.front().ids, (std::vector<std::string>{"lb-1", "lb-2"}));
  EXPECT_TRUE(doubled_balancers({balancer("", kUid)}, cluster).empty());
}

TEST(OwnedNeedTest, TheSubjectIsNamedByItsKeyWhileItExists) {
  const ClusterObjects cluster = cluster_with(service("web", "LoadBalancer"));
  EXPECT_EQ(subject_of(balancer("", kUid), cluster), "default/web");
  EXPECT_EQ(subject_of(balancer("", kUid), {}), kUid);
  EXPECT_EQ(subject_of(balancer("shop/web", kUid), {}), "shop/web (" + std::string(kUid) + ")");
  const std::string cut = std::string(kUid).substr(0, 35);
  EXPECT_EQ(subject_of(balancer("", cut), {}), cut + "...") << "its last digit is not known";
  EXPECT_EQ(subject_of(balancer("shop/\x1b[2J", ""), {}), "shop/?[2J");
}

}  // namespace
}  // namespace ccm::ctl
