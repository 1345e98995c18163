// From a Service that wants a load balancer to one that has it.
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class EnsureTest : public ServiceTest {};

TEST_F(EnsureTest, SVC_20_21_27_28_FinalizerThenCloudThenStatus) {
  put_nodes(1);
  put(balanced("web"));
  start();
  bool finalizer_first = false;
  host.load_balancers.before_next("ensure", [&] {
    finalizer_first = stored("web")["metadata"].value("finalizers", Json()) == Json{kCleanup};
  });
  run();
  EXPECT_TRUE(finalizer_first);
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(take_writes(), (Texts{"patch web", "patch web"}));
  EXPECT_EQ(address("web"), "203.0.113.1");
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-1");
  EXPECT_EQ(condition("web", kReady)["status"], "True");
  EXPECT_EQ(take_events(), (Texts{"Normal EnsuringLoadBalancer", "Normal EnsuredLoadBalancer"}));
}

TEST_F(EnsureTest, SVC_1_WithoutLoadBalancersThereIsNothingToDo) {
  host.hide(CCM_CLOUD_LOADBALANCERS);
  const Status status = try_setup();
  EXPECT_EQ(status.code(), Code::unimplemented);
  EXPECT_NE(status.message().find("does not offer load balancers"), std::string::npos);
}

TEST_F(EnsureTest, TRAP_24_WrongFlagsEndTheSetup) {
  host.config.set_flag("concurrent-service-syncs", "0");
  EXPECT_EQ(try_setup().code(), Code::invalid_argument);
}

TEST_F(EnsureTest, SVC_7_OthersAreLeftAlone) {
  Json cluster_ip = balanced("a");
  cluster_ip["spec"]["type"] = "ClusterIP";
  put(cluster_ip);
  Json foreign = balanced("b");
  foreign["spec"]["loadBalancerClass"] = "example.com/other";
  put(foreign);
  start();
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
}

TEST_F(EnsureTest, TheQueueAndTheWatches) {
  start();
  EXPECT_EQ(controller->workers(), 64U);
  ASSERT_EQ(controller->watches().size(), 2U);
  EXPECT_EQ(controller->watches()[0].resource, "v1/services");
  EXPECT_EQ(controller->watches()[1].resource, "v1/nodes");
}

TEST_F(EnsureTest, SVC_22_NoNodesIsTold) {
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(take_events(), (Texts{"Normal EnsuringLoadBalancer", "Warning UnAvailableLoadBalancer",
                                  "Normal EnsuredLoadBalancer"}));
  EXPECT_EQ(address("web"), "203.0.113.1");
}

TEST_F(EnsureTest, OurOwnWritesAreNoNews) {
  put(balanced("web"));
  start();
  run();
  take_cloud();
  take_writes();
  advance(seconds(60));
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_TRUE(take_writes().empty());
}

TEST_F(EnsureTest, SVC_13_AChangeReachesTheCloudAlone) {
  put(balanced("web"));
  start();
  run();
  take_cloud();
  take_writes();
  take_events();
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_TRUE(take_writes().empty());  // the address stays
  EXPECT_EQ(take_events(), (Texts{"Normal EnsuringLoadBalancer", "Warning UnAvailableLoadBalancer",
                                  "Normal EnsuredLoadBalancer"}));
  edit("web", [](Json& s) { s["metadata"]["labels"]["a"] = "b"; });
  edit("web", [](Json& s) { s["spec"]["selector"]["a"] = "b"; });
  run();
  EXPECT_TRUE(take_cloud().empty());
}

// The answer to the finalizer's write shows the change before the watch does.
TEST_F(EnsureTest, SVC_13_AChangeDuringASyncReachesTheCloudToo) {
  put(balanced("web"));
  start();
  host.kube.set_cache_follows(false);
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(host.load_balancers.balancers["uid-of-web"].service.ports[0].port, 80);
  host.kube.catch_up();
  host.kube.set_cache_follows(true);
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(host.load_balancers.balancers["uid-of-web"].service.ports[0].port, 81);
  advance(seconds(60));
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(EnsureTest, TRAP_13_NoPatchForAModeThatTheServerFilledIn) {
  Ingress ingress;
  ingress.ip = "192.0.2.1";
  host.load_balancers.balancers["uid-of-web"].shown.ingress = {ingress};
  host.load_balancers.balancers["uid-of-web"].shown.state = LoadBalancerState::active;
  host.load_balancers.balancers["uid-of-web"].shown.id = "lb-5";
  host.load_balancers.balancers["uid-of-web"].backends =
      std::vector<Backend>{{"node-0", "test://node-0", {}, {}}};
  put_nodes(1);
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {kCleanup};
  service["metadata"]["annotations"][kIdAnnotationName] = "lb-5";
  service["status"]["loadBalancer"]["ingress"] = {{{"ip", "192.0.2.1"}, {"ipMode", "VIP"}}};
  put(service);
  start();
  run();
  EXPECT_TRUE(take_writes().empty());
}

TEST_F(EnsureTest, SVC_40_44_OtherFinalizersAndConditionsStay) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {"example.com/first"};
  service["metadata"]["annotations"]["example.com/note"] = "mine";
  service["status"]["conditions"] = {{{"type", "example.com/Other"}, {"status", "True"}}};
  put_nodes(1);
  put(service);
  start();
  run();
  const Json now = stored("web");
  EXPECT_EQ(now["metadata"]["finalizers"], (Json{"example.com/first", kCleanup}));
  EXPECT_EQ(now["metadata"]["annotations"]["example.com/note"], "mine");
  EXPECT_EQ(condition("web", "example.com/Other")["status"], "True");
  EXPECT_EQ(condition("web", kReady)["status"], "True");
}

TEST_F(EnsureTest, SVC_24_WhatIsImplementedElsewhereIsLeftAlone) {
  host.load_balancers.fail_next("ensure", Status(Code::implemented_elsewhere, "another program"));
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(stored("web")["metadata"]["finalizers"], Json{kCleanup});
  EXPECT_TRUE(condition("web", kReady).is_null());
  EXPECT_EQ(take_events(),
            (Texts{"Normal EnsuringLoadBalancer", "Warning UnAvailableLoadBalancer"}));
  take_cloud();
  advance(minutes(60));
  EXPECT_TRUE(take_cloud().empty());
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
}

TEST_F(EnsureTest, SVC_26_NothingMadeAndNoErrorIsAnError) {
  host.load_balancers.answer_next("ensure", LoadBalancer());
  put(balanced("web"));
  start();
  run();
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("made no load balancer"), std::string::npos);
  advance(seconds(6));
  EXPECT_NE(address("web"), "");
}

TEST_F(EnsureTest, HostnamesModesAndPortsAreTheProviders) {
  LoadBalancer answer;
  answer.state = LoadBalancerState::active;
  answer.id = "lb-9";
  Ingress named;
  named.hostname = "lb.example.com";
  Ingress proxied;
  proxied.ip = "192.0.2.1";
  proxied.ip_mode = "Proxy";
  proxied.ports = {{"TCP", "", 80}, {"UDP", "MixedProtocolNotSupported", 53}};
  answer.ingress = {named, proxied};
  answer.annotations = {{"example.com/lb", "x"}, {"example.com/old", ""}};
  host.load_balancers.answer_next("ensure", answer);
  Json service = balanced("web");
  service["metadata"]["annotations"]["example.com/old"] = "y";
  put(service);
  start();
  run();
  const Json now = stored("web");
  EXPECT_EQ(now["status"]["loadBalancer"]["ingress"], Json::parse(R"([
    {"hostname": "lb.example.com"},
    {"ip": "192.0.2.1", "ipMode": "Proxy", "ports": [{"port": 80, "protocol": "TCP"},
     {"port": 53, "protocol": "UDP", "error": "MixedProtocolNotSupported"}]}])"));
  EXPECT_EQ(now["metadata"]["annotations"]["example.com/lb"], "x");
  EXPECT_FALSE(now["metadata"]["annotations"].contains("example.com/old"));
  EXPECT_EQ(condition("web", "LoadBalancerPortsError")["status"], "True");
  EXPECT_EQ(condition("web", "LoadBalancerPortsError")["reason"],
            "LoadBalancerMixedProtocolNotSupported");
  take_cloud();
  advance(seconds(60));
  EXPECT_TRUE(take_cloud().empty());
  // The user takes the port away.
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  EXPECT_TRUE(condition("web", "LoadBalancerPortsError").is_null());
}

TEST_F(EnsureTest, TheProviderMayNameTheIdAnnotation) {
  host.load_balancers.known_limits.id_annotation = "example.com/lb-id";
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(stored("web")["metadata"]["annotations"], Json({{"example.com/lb-id", "lb-1"}}));
}

TEST_F(EnsureTest, SomebodyElsesIsLeftAlone) {
  auto& foreign = host.load_balancers.balancers["uid-of-web"];
  foreign.shown.state = LoadBalancerState::foreign;
  foreign.shown.id = "lb-77";
  Json service = balanced("web");
  service["metadata"]["annotations"][kIdAnnotationName] = "lb-77";
  put(service);
  start();
  run();
  EXPECT_EQ(host.load_balancers.writes(), 0);
  const std::string reported = last_event("SyncLoadBalancerFailed");
  EXPECT_NE(reported.find("is not this Service's"), std::string::npos) << reported;
  EXPECT_EQ(reported.find("lb-77"), std::string::npos) << "tells somebody else's id";
  EXPECT_EQ(condition("web", kReady)["reason"], "LoadBalancerNotOwned");
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-77");
  take_cloud();
  advance(minutes(9));
  EXPECT_TRUE(take_cloud().empty());
  host.load_balancers.balancers.clear();
  edit("web", [](Json& s) { s["metadata"].erase("annotations"); });
  run();
  EXPECT_NE(address("web"), "");
}

TEST_F(EnsureTest, ADifferentLoadBalancerThanBeforeIsTold) {
  Json service = balanced("web");
  service["metadata"]["annotations"][kIdAnnotationName] = "lb-of-yesterday";
  put(service);
  start();
  run();
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-1");
  EXPECT_NE(last_event("LoadBalancerReplaced").find("lb-of-yesterday"), std::string::npos);
}

TEST_F(EnsureTest, SVC_75_OS_215_BadSourceRangesNeverReachTheCloud) {
  Json service = balanced("web");
  service["metadata"]["annotations"]["service.beta.kubernetes.io/load-balancer-source-ranges"] =
      "10.0.0.0/8,nowhere";
  put_nodes(1);
  put(service);
  start();
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("\"nowhere\""), std::string::npos);
  EXPECT_EQ(condition("web", kReady)["reason"], "InvalidSourceRanges");
  const std::size_t reported = host.events.all().size();
  advance(minutes(9));
  EXPECT_EQ(host.events.all().size(), reported);
  edit("web", [](Json& s) {
    s["metadata"]["annotations"].erase("service.beta.kubernetes.io/load-balancer-source-ranges");
  });
  run();
  EXPECT_NE(address("web"), "");
  EXPECT_EQ(condition("web", kReady)["status"], "True");
}

TEST_F(EnsureTest, AnIdThatTheUserRemovedIsWrittenAgain) {
  put(balanced("web"));
  start();
  run();
  take_cloud();
  edit("web", [](Json& s) { s["metadata"].erase("annotations"); });
  run();
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-1");
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(EnsureTest, TwoOfOneNameInTwoNamespacesAreTwo) {
  put(balanced("web"));
  Json other = balanced("web");
  other["metadata"]["namespace"] = "shop";
  other["metadata"]["uid"] = "uid-of-another";
  put(other);
  start();
  run();
  EXPECT_EQ(host.load_balancers.balancers.size(), 2U);
  EXPECT_EQ(address("web"), "203.0.113.1");
  EXPECT_NE(host.kube.stored("v1/services", "web", "shop").find("203.0.113.2"), std::string::npos);
}

TEST_F(EnsureTest, ANewOneGoesBeforeAnAudit) {
  host.config.set_flag("concurrent-service-syncs", "1");
  for (int i = 0; i < 5; ++i) put(balanced("old" + std::to_string(i)));
  start();
  run();
  controller->take_reconciled();
  host.loop.advance(minutes(40));
  put(balanced("new"));
  run();
  const auto reconciled = controller->take_reconciled();
  ASSERT_FALSE(reconciled.empty());
  EXPECT_EQ(reconciled[0].key, "default/new");
}

}  // namespace
}  // namespace ccm::service
