// openstack.so's list of what it made, and its removal, on the fakes of Octavia and Neutron.
#include "load_balancers_fixture.hpp"
#include "routes_fixture.hpp"

#include <ccm/testing/owned_calls.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace ccm::openstack {
namespace {

Result<std::vector<OwnedObject>> list_owned(testing::FakeComponent& provider,
                                            const ClusterNames& cluster) {
  const auto table = provider.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
  return provider.finish(
      provider.start("list", testing::ListOwned{table, provider.ctx(), cluster}));
}
Status remove_owned(testing::FakeComponent& provider, const ClusterNames& cluster,
                    const OwnedObject& object) {
  const auto table = provider.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
  return provider.finish(
      provider.start("remove", testing::RemoveOwned{table, provider.ctx(), cluster, object}));
}
ClusterNames cluster_of(const std::string& name) { return {{name}, true}; }

class OwnedBalancersTest : public OpenStackLoadBalancersTest {
 protected:
  OwnedBalancersTest() { start("manage-security-groups = true\n"); }

  // "load-balancer", ...: how many of each kind.
  std::map<std::string, int> kinds(const std::string& cluster) {
    std::map<std::string, int> found;
    const auto objects = list_owned(*provider, cluster_of(cluster));
    EXPECT_TRUE(objects.ok()) << objects.status().message();
    if (!objects.ok()) return found;
    for (const OwnedObject& object : *objects) ++found[object.kind];
    return found;
  }
  Status removed_in_the_end(const std::string& cluster, const OwnedObject& object) {
    Status last;
    for (int i = 0; i < 30; ++i) {
      last = remove_owned(*provider, cluster_of(cluster), object);
      if (last.error_class() != ErrorClass::waiting) break;
      host.loop.advance(seconds(1));
    }
    return last;
  }
  static LoadBalancerService of_cluster(const std::string& cluster, const std::string& uid) {
    LoadBalancerService service = web();
    service.cluster_name = cluster;
    service.uid = uid;
    return service;
  }
};

const std::map<std::string, int> kOfOneService{
    {"floating-ip", 1}, {"load-balancer", 1}, {"security-group", 1}};

TEST_F(OwnedBalancersTest, OS_307_AllOfTheClusterIsListedAndRemovedAndNothingElse) {
  ensured(of_cluster("mine", "0c8ab2c3-1111-2222-3333-444455556666"), nodes());
  known_id.clear();
  ensured(of_cluster("theirs", "11111111-1111-2222-3333-444455556666"), nodes());
  EXPECT_EQ(kinds("mine"), kOfOneService);
  const auto objects = list_owned(*provider, cluster_of("mine"));
  for (const OwnedObject& object : *objects) {
    EXPECT_EQ(object.cluster, "mine") << object.kind;
    ASSERT_EQ(object.services.size(), 1U) << object.kind;
    EXPECT_EQ(object.services.front().key, "default/web") << object.kind;
  }
  for (const OwnedObject& object : *objects) {
    const Status gone = removed_in_the_end("mine", object);
    EXPECT_TRUE(gone.ok()) << object.kind << ": " << gone.message();
  }
  EXPECT_TRUE(kinds("mine").empty());
  EXPECT_EQ(kinds("theirs"), kOfOneService);
  for (const OwnedObject& object : *objects) {  // R-173
    EXPECT_TRUE(removed_in_the_end("mine", object).ok()) << object.kind;
  }
  EXPECT_EQ(kinds("theirs"), kOfOneService);
}

TEST_F(OwnedBalancersTest, R_172_AListingWritesNothing) {
  ensured(of_cluster("mine", "0c8ab2c3-1111-2222-3333-444455556666"), nodes());
  cloud.clear_log();
  EXPECT_EQ(kinds("mine"), kOfOneService);
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OwnedBalancersTest, R_173_WhatBearsAnotherMarkNowIsNotTouched) {
  ensured(of_cluster("mine", "0c8ab2c3-1111-2222-3333-444455556666"), nodes());
  const auto objects = list_owned(*provider, cluster_of("mine"));
  ASSERT_EQ(objects->size(), 3U);
  json& balancer = *octavia().records("loadbalancers").begin();
  balancer["tags"].push_back("kube_service_theirs_default_web");
  for (const char* collection : {"floatingips", "security_groups"}) {
    for (json& record : cloud.region().network.records(collection)) {
      std::string text = record.at("description");
      const auto place = text.find("cluster mine");
      if (place != std::string::npos)
        record["description"] = text.replace(place, 12, "cluster theirs");
    }
  }
  cloud.clear_log();
  for (const OwnedObject& object : *objects) {
    EXPECT_EQ(remove_owned(*provider, cluster_of("mine"), object).reason(), CCM_REASON_NOT_OWNED)
        << object.kind;
  }
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OwnedBalancersTest, AFloatingIpInUseStays) {
  ensured(of_cluster("mine", "0c8ab2c3-1111-2222-3333-444455556666"), nodes());
  const auto objects = list_owned(*provider, cluster_of("mine"));
  const auto address = std::find_if(objects->begin(), objects->end(), [](const OwnedObject& one) {
    return one.kind == CCM_OWNED_FLOATING_IP;
  });
  ASSERT_NE(address, objects->end());
  const Status refused = remove_owned(*provider, cluster_of("mine"), *address);
  EXPECT_NE(refused.message().find("is in use by port"), std::string::npos) << refused.message();
  EXPECT_EQ(floating_ips(), 1U);
}

// Something that is missing is never taken for all.
TEST_F(OwnedBalancersTest, R_170_AFailureAtAnyCallIsAFailureOfTheListing) {
  ensured(of_cluster("mine", "0c8ab2c3-1111-2222-3333-444455556666"), nodes());
  EXPECT_EQ(kinds("mine"), kOfOneService);
  for (const char* path : {"/lbaas/loadbalancers", "/v2.0/floatingips", "/v2.0/security-groups"}) {
    for (const bool cut : {true, false}) {
      Fault fault;
      fault.path = path;
      if (cut) fault.body = R"({"loadbalancers": [{"id")";
      if (!cut) fault.status = 403;
      cloud.faults.add(fault);
      const auto objects = list_owned(*provider, cluster_of("mine"));
      EXPECT_FALSE(objects.ok()) << path << (cut ? ", cut" : ", refused");
      cloud.faults.clear();
    }
  }
}

TEST_F(OwnedBalancersTest, PagesAreReadToTheirEnd) {
  for (int i = 0; i < 5; ++i) {
    LoadBalancerService service =
        of_cluster("mine", "0c8ab2c3-1111-2222-3333-44445555666" + std::to_string(i));
    service.name = "web-" + std::to_string(i);
    known_id.clear();
    ensured(service, nodes());
  }
  octavia().page_size = 2;
  EXPECT_EQ(kinds("mine").at("load-balancer"), 5);
}

class OwnedRoutesTest : public RoutesTest {};

TEST_F(OwnedRoutesTest, OS_425_TheRecordedRoutesOfAClusterAreListedAndRemoved) {
  start();
  apply({}, additions(add_nodes(2)));
  add_route("10.99.0.0/24", "10.10.0.2");
  EXPECT_TRUE(list_owned(*provider, cluster_of("another"))->empty());
  const auto objects = list_owned(*provider, {{"kubernetes", "this-cluster"}, true});
  ASSERT_TRUE(objects.ok()) << objects.status().message();
  ASSERT_EQ(objects->size(), 2U);
  EXPECT_EQ(objects->front().cluster, "this-cluster");
  EXPECT_EQ(remove_owned(*provider, cluster_of("another"), objects->front()).reason(),
            CCM_REASON_NOT_OWNED);
  for (const OwnedObject& object : *objects) {
    EXPECT_TRUE(remove_owned(*provider, cluster_of("this-cluster"), object).ok());
    EXPECT_TRUE(remove_owned(*provider, cluster_of("this-cluster"), object).ok());
  }
  EXPECT_EQ(routes(), "10.99.0.0/24>10.10.0.2");
}

}  // namespace
}  // namespace ccm::openstack
