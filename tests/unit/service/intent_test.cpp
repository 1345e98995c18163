// A Service's request to the cloud, and when it counts as changed.
#include "service/intent.hpp"

#include "service/decision.hpp"
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class IntentTest : public ::testing::Test {
 protected:
  LoadBalancerService intent(const Json& json) {
    const Object object = objects.make(json.dump());
    auto made = make_intent(object, read_service(object), balancer_class, options);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? *std::move(made) : LoadBalancerService();
  }
  uint64_t hash(const Json& json) {
    return intent_hash(intent(json), read_service(objects.make(json.dump())), options, own);
  }

  testing::FakeObjects objects;
  LoadBalancerClass balancer_class;
  IntentOptions options{"prod", kIdAnnotationName, ""};
  std::vector<Label> own;
};

TEST_F(IntentTest, CLOUD_7_TheDefaultName) {
  EXPECT_EQ(default_name("1f2e3d4c-aaaa-bbbb-cccc-0123456789ab"),
            "a1f2e3d4caaaabbbbcccc0123456789a");
  EXPECT_EQ(default_name("short-1"), "ashort1");
}

TEST_F(IntentTest, EverythingThatTheServiceSays) {
  balancer_class.parameters = {{"network", "private"}};
  Json json = balanced("web");
  json["spec"]["ports"][0]["appProtocol"] = "h2c";
  json["spec"]["ports"].push_back({{"name", "dns"}, {"port", 53}, {"protocol", "UDP"}});
  json["spec"]["loadBalancerSourceRanges"] = {"10.1.1.1/8"};
  json["spec"]["ipFamilies"] = {"IPv6", "IPv4"};
  json["spec"]["loadBalancerIP"] = "192.0.2.9";
  json["spec"]["allocateLoadBalancerNodePorts"] = false;
  json["spec"]["sessionAffinity"] = "ClientIP";
  json["spec"]["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"] = 600;
  json["spec"]["externalTrafficPolicy"] = "Local";
  json["spec"]["healthCheckNodePort"] = 31111;
  json["metadata"]["annotations"][kIdAnnotationName] = "lb-1";
  json["metadata"]["annotations"]["cloud-controller-manager/adopt-load-balancer"] = "lb-2";
  const LoadBalancerService made = intent(json);
  EXPECT_EQ(made.name, "web");
  EXPECT_EQ(made.namespace_name, "default");
  EXPECT_EQ(made.uid, "uid-of-web");
  EXPECT_EQ(made.cluster_name, "prod");
  EXPECT_EQ(made.default_name, "auidofweb");
  EXPECT_EQ(made.id, "lb-1");
  EXPECT_EQ(made.adopt_id, "lb-2");
  EXPECT_EQ(made.requested_ip, "192.0.2.9");
  EXPECT_EQ(made.ports, (std::vector<ServicePort>{{"web", "TCP", "h2c", 80, 30080},
                                                  {"dns", "UDP", "", 53, 0}}));
  EXPECT_EQ(made.source_ranges, Texts{"10.0.0.0/8"});
  EXPECT_EQ(made.ip_families, (Texts{"IPv6", "IPv4"}));
  EXPECT_EQ(made.parameters, balancer_class.parameters);
  EXPECT_TRUE(made.local_traffic);
  EXPECT_EQ(made.health_check_node_port, 31111);
  EXPECT_TRUE(made.client_ip_affinity);
  EXPECT_EQ(made.affinity_timeout, seconds(600));
  EXPECT_FALSE(made.node_ports);
  EXPECT_EQ(made.object.name(), "web");
}

TEST_F(IntentTest, SVC_78_TheHealthCheckPortIsForLocalTrafficOnly) {
  Json json = balanced("web");
  json["spec"]["healthCheckNodePort"] = 31111;
  EXPECT_EQ(intent(json).health_check_node_port, 0);
  EXPECT_FALSE(intent(json).local_traffic);
  EXPECT_TRUE(intent(json).node_ports);
}

TEST_F(IntentTest, AnIdThatTheServiceLostIsKnownAllTheSame) {
  options.known_id = "lb-7";
  EXPECT_EQ(intent(balanced("web")).id, "lb-7");
}

TEST_F(IntentTest, WhatIsAdoptedAlreadyIsNotAdoptedAgain) {
  Json json = balanced("web");
  json["metadata"]["annotations"][kIdAnnotationName] = "lb-1";
  json["metadata"]["annotations"]["cloud-controller-manager/adopt-load-balancer"] = "lb-1";
  EXPECT_EQ(intent(json).adopt_id, "");
}

TEST_F(IntentTest, OurOwnAnnotationsAreNoChange) {
  const Json plain = balanced("web");
  const uint64_t before = hash(plain);
  options.known_id = "lb-1";
  own = {{"example.com/address", "x"}};
  Json written = plain;
  written["metadata"]["annotations"] = {{kIdAnnotationName, "lb-1"}, {"example.com/address", "x"}};
  EXPECT_EQ(hash(written), before);
  EXPECT_EQ(hash(plain), before);
  written["metadata"]["annotations"]["example.com/address"] = "y";
  EXPECT_NE(hash(written), before);
  written["metadata"]["annotations"] = {{kIdAnnotationName, "lb-2"}};
  EXPECT_NE(hash(written), before);
}

TEST_F(IntentTest, TheParametersOfTheClassCount) {
  const uint64_t before = hash(balanced("web"));
  balancer_class.parameters = {{"size", "large"}};
  EXPECT_NE(hash(balanced("web")), before);
}

class DecisionTest : public ::testing::Test {
 protected:
  Step step() { return next_step(record, service, kIdAnnotationName, wanted, true, now); }

  Record record;
  ServiceState service;
  Wanted wanted{1, 2};
  milliseconds now{1000};
};

TEST_F(DecisionTest, ANewServiceIsMadeAndAnOldOneLookedAt) {
  EXPECT_EQ(step(), Step::ensure);
  service.finalizer = true;
  EXPECT_EQ(step(), Step::ensure);  // killed before it recorded anything
  service.annotations[kIdAnnotationName] = "lb-1";
  EXPECT_EQ(step(), Step::observe);
  service.annotations.clear();
  service.ingress.resize(1);
  EXPECT_EQ(step(), Step::observe);
  record.state = SyncState::out_of_sync;
  EXPECT_EQ(step(), Step::ensure);
}

TEST_F(DecisionTest, OnlyDifferencesLeadToWork) {
  record.state = SyncState::synced;
  record.intent_hash = 1;
  record.backend_hash = 2;
  record.audit_due = milliseconds(2000);
  EXPECT_EQ(step(), Step::none);
  wanted.backend_hash = 3;
  EXPECT_EQ(step(), Step::update_backends);
  wanted.intent_hash = 4;
  EXPECT_EQ(step(), Step::ensure);
  wanted = {1, 2};
  now = milliseconds(2000);
  EXPECT_EQ(step(), Step::observe);
  EXPECT_EQ(next_step(record, service, kIdAnnotationName, wanted, false, now), Step::none);
  record.state = SyncState::elsewhere;
  EXPECT_EQ(step(), Step::none);
}

TEST_F(DecisionTest, AuditsAreSpread) {
  for (const char* key : {"a/b", "c/d", "e/f", "g/h"}) {
    EXPECT_GE(audit_pause(milliseconds(100'000), key), milliseconds(90'000));
    EXPECT_LE(audit_pause(milliseconds(100'000), key), milliseconds(110'000));
  }
  EXPECT_NE(audit_pause(milliseconds(100'000), "a/b"), audit_pause(milliseconds(100'000), "a/c"));
}

TEST_F(DecisionTest, AHoldIsOfOneRequest) {
  record.deferred_hash = 7;
  record.not_before = milliseconds(5000);
  EXPECT_EQ(deferral_left(record, 7, now), milliseconds(4000));
  EXPECT_EQ(deferral_left(record, 8, now), milliseconds(0));
  EXPECT_EQ(deferral_left(record, 7, milliseconds(5000)), milliseconds(0));
}

}  // namespace
}  // namespace ccm::service
