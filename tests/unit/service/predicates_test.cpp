// The needs of a Service, and which of its changes matter.
#include "service/predicates.hpp"

#include "service_fixture.hpp"

#include <functional>
#include <map>

namespace ccm::service {
namespace {

class PredicatesTest : public ::testing::Test {
 protected:
  using Change = std::function<void(Json&)>;

  ServiceState read(const Json& service) { return read_service(objects.make(service.dump())); }
  bool wants(const Change& change) {
    Json service = balanced("s");
    change(service);
    return wants_load_balancer(read(service), table);
  }
  bool cleanup(const Change& change) {
    Json service = balanced("s");
    change(service);
    return needs_cleanup(read(service));
  }
  // Whether a change to a Service that wants one is news.
  bool update(const Change& change) {
    Json now = balanced("s");
    change(now);
    return needs_update(read(balanced("s")), read(now), table);
  }

  testing::FakeObjects objects;
  ClassTable table;
};

TEST_F(PredicatesTest, SVC_7_TypeAndClassDecide) {
  EXPECT_TRUE(wants([](Json&) {}));
  EXPECT_FALSE(wants([](Json& s) { s["spec"]["type"] = "NodePort"; }));
  EXPECT_FALSE(wants([](Json& s) { s["spec"]["type"] = "ClusterIP"; }));
  EXPECT_FALSE(wants([](Json& s) { s["spec"]["loadBalancerClass"] = "example.com/x"; }));
  table = *ClassTable::parse(R"({"classes": [{"name": "example.com/x"}]})");
  EXPECT_TRUE(wants([](Json& s) { s["spec"]["loadBalancerClass"] = "example.com/x"; }));
  EXPECT_FALSE(wants([](Json&) {}));
}

TEST_F(PredicatesTest, SVC_9_CleanupNeedsOurFinalizer) {
  const auto finalized = [](Json& s) {
    s["metadata"]["finalizers"] = {"example.com/other", kCleanup};
  };
  const auto deleted = [](Json& s) { s["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"; };
  const auto cluster_ip = [](Json& s) { s["spec"]["type"] = "ClusterIP"; };
  EXPECT_FALSE(cleanup(finalized));
  EXPECT_FALSE(cleanup(deleted));
  EXPECT_FALSE(cleanup(cluster_ip));
  EXPECT_TRUE(cleanup([&](Json& s) { finalized(s), deleted(s); }));
  EXPECT_TRUE(cleanup([&](Json& s) { finalized(s), cluster_ip(s); }));
  // Another controller's, which uses the same finalizer.
  EXPECT_FALSE(cleanup([&](Json& s) { finalized(s), s["spec"]["loadBalancerClass"] = "x"; }));
}

TEST_F(PredicatesTest, SVC_13_TheseChangesAreNews) {
  const std::map<std::string, Change> changes{
      {"SVC-13a type", [](Json& s) { s["spec"]["type"] = "ClusterIP"; }},
      {"SVC-13a class", [](Json& s) { s["spec"]["loadBalancerClass"] = "x"; }},
      {"SVC-13b", [](Json& s) { s["spec"]["loadBalancerSourceRanges"] = {"10.0.0.0/8"}; }},
      {"SVC-13b empty", [](Json& s) { s["spec"]["loadBalancerSourceRanges"] = Json::array(); }},
      {"SVC-13c count",
       [](Json& s) {
         s["spec"]["ports"].push_back({{"port", 81}, {"protocol", "TCP"}});
       }},
      {"SVC-13c name", [](Json& s) { s["spec"]["ports"][0]["name"] = "http"; }},
      {"SVC-13c protocol", [](Json& s) { s["spec"]["ports"][0]["protocol"] = "UDP"; }},
      {"SVC-13c port", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; }},
      {"SVC-13c nodePort", [](Json& s) { s["spec"]["ports"][0]["nodePort"] = 30081; }},
      {"SVC-13c targetPort", [](Json& s) { s["spec"]["ports"][0]["targetPort"] = "web"; }},
      {"SVC-13c appProtocol", [](Json& s) { s["spec"]["ports"][0]["appProtocol"] = "h2c"; }},
      {"SVC-13d", [](Json& s) { s["spec"]["sessionAffinity"] = "ClientIP"; }},
      {"SVC-13e",
       [](Json& s) { s["spec"]["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"] = 5; }},
      {"SVC-13f", [](Json& s) { s["spec"]["loadBalancerIP"] = "192.0.2.1"; }},
      {"SVC-13g", [](Json& s) { s["spec"]["externalIPs"] = {"192.0.2.1"}; }},
      {"SVC-13h", [](Json& s) { s["metadata"]["annotations"]["example.com/any"] = "1"; }},
      {"SVC-13i", [](Json& s) { s["metadata"]["uid"] = "another"; }},
      {"SVC-13j", [](Json& s) { s["spec"]["externalTrafficPolicy"] = "Local"; }},
      {"SVC-13k", [](Json& s) { s["spec"]["healthCheckNodePort"] = 31000; }},
      {"SVC-13l",
       [](Json& s) {
         s["spec"]["ipFamilies"] = {"IPv4", "IPv6"};
       }},
  };
  for (const auto& [name, change] : changes) EXPECT_TRUE(update(change)) << name;
}

TEST_F(PredicatesTest, SVC_13c_PortsAreComparedInTheirOrder) {
  Json old = balanced("s");
  old["spec"]["ports"].push_back({{"name", "b"}, {"port", 81}, {"protocol", "TCP"}});
  Json now = old;
  std::swap(now["spec"]["ports"][0], now["spec"]["ports"][1]);
  EXPECT_TRUE(needs_update(read(old), read(now), table));
}

TEST_F(PredicatesTest, SVC_14_TheseChangesAreNot) {
  const std::map<std::string, Change> changes{
      {"labels", [](Json& s) { s["metadata"]["labels"]["a"] = "b"; }},
      {"selector", [](Json& s) { s["spec"]["selector"]["a"] = "b"; }},
      {"clusterIP", [](Json& s) { s["spec"]["clusterIP"] = "10.0.0.1"; }},
      {"ipFamilyPolicy", [](Json& s) { s["spec"]["ipFamilyPolicy"] = "PreferDualStack"; }},
      {"internal policy", [](Json& s) { s["spec"]["internalTrafficPolicy"] = "Local"; }},
      {"node ports", [](Json& s) { s["spec"]["allocateLoadBalancerNodePorts"] = false; }},
      {"not ready", [](Json& s) { s["spec"]["publishNotReadyAddresses"] = true; }},
      {"distribution", [](Json& s) { s["spec"]["trafficDistribution"] = "PreferClose"; }},
      {"status",
       [](Json& s) {
         s["status"]["loadBalancer"]["ingress"] = {{{"ip", "1.2.3.4"}}};
       }},
      {"finalizers", [](Json& s) { s["metadata"]["finalizers"] = {kCleanup}; }},
      {"owners",
       [](Json& s) {
         s["metadata"]["ownerReferences"] = {{{"uid", "u"}}};
       }},
      {"deletion", [](Json& s) { s["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"; }},
      {"which family", [](Json& s) { s["spec"]["ipFamilies"] = {"IPv6"}; }},
      // Not upstream's: kubectl apply writes it on each change of anything.
      {"last applied",
       [](Json& s) {
         s["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "{}";
       }},
  };
  for (const auto& [name, change] : changes) EXPECT_FALSE(update(change)) << name;
}

TEST_F(PredicatesTest, SVC_13_NothingIsNewsWhenNeitherSideWantsOne) {
  Json old = balanced("s");
  old["spec"]["type"] = "NodePort";
  Json now = old;
  now["spec"]["ports"][0]["port"] = 81;
  EXPECT_FALSE(needs_update(read(old), read(now), table));
  EXPECT_TRUE(needs_update(read(old), read(balanced("s")), table));
}

}  // namespace
}  // namespace ccm::service
