// Failures to create a load balancer: Events, conditions and retries.
#include "service_fixture.hpp"

#include <algorithm>
#include <random>

namespace ccm::service {
namespace {

class FaultTest : public ServiceTest {};

TEST_F(FaultTest, SVC_37_49_AFailureIsToldAndTriedAgain) {
  host.load_balancers.fail_next("ensure", down(), 2);
  put_nodes(1);
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(take_events(),
            (Texts{"Normal EnsuringLoadBalancer", "Warning SyncLoadBalancerFailed"}));
  const std::string text = last_event("SyncLoadBalancerFailed");
  EXPECT_NE(text.find("failed to ensure load balancer: 503 (unavailable)"), std::string::npos)
      << text;
  EXPECT_EQ(condition("web", kReady)["status"], "False");
  EXPECT_EQ(condition("web", kReady)["reason"], "SyncLoadBalancerFailed");
  advance(seconds(20));
  EXPECT_NE(address("web"), "");
  EXPECT_EQ(condition("web", kReady)["status"], "True");
  EXPECT_EQ(take_events(), (Texts{"Normal EnsuringLoadBalancer", "Warning SyncLoadBalancerFailed",
                                  "Normal EnsuringLoadBalancer", "Normal EnsuredLoadBalancer"}));
}

TEST_F(FaultTest, LimitsThatCannotBeReadAreTold) {
  host.load_balancers.fail_next("limits", down());
  put(balanced("web"));
  start();
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("limits"), std::string::npos);
  advance(seconds(6));
  EXPECT_NE(address("web"), "");
}

TEST_F(FaultTest, ManyServicesAskOnceForTheLimits) {
  host.load_balancers.fail_next("limits", down());
  for (int i = 0; i < 20; ++i) put(balanced("web-" + std::to_string(i)));
  const auto asked = [&] {
    const auto calls = host.load_balancers.calls();
    return std::count_if(calls.begin(), calls.end(),
                         [](const auto& call) { return call.operation == "limits"; });
  };
  start();
  run();
  EXPECT_EQ(asked(), 1);
  advance(seconds(20));
  EXPECT_EQ(asked(), 2);
  for (int i = 0; i < 20; ++i) EXPECT_NE(address("web-" + std::to_string(i)), "");
}

TEST_F(FaultTest, AQuotaIsNotHammered) {
  host.load_balancers.fail_next("ensure", quota(), 1000);
  put(balanced("web"));
  start();
  run();
  const std::string text = last_event("SyncLoadBalancerFailed");
  EXPECT_NE(text.find("(quota); raise the account's limit"), std::string::npos) << text;
  EXPECT_NE(text.find("request r-1"), std::string::npos);
  EXPECT_NE(condition("web", kReady)["message"].get<std::string>().find("10 of 10"),
            std::string::npos);
  EXPECT_EQ(take_cloud().size(), 1U);
  host.kube.resync();
  advance(minutes(9));
  EXPECT_TRUE(take_cloud().empty());
  advance(minutes(2));
  EXPECT_EQ(take_cloud().size(), 1U);
}

TEST_F(FaultTest, AChangeOfTheServiceEndsTheWait) {
  host.load_balancers.fail_next(
      "ensure", Status(Code::invalid_argument, ErrorClass::invalid_spec, "no UDP here")
                    .with_reason("UnsupportedProtocol"));
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(condition("web", kReady)["reason"], "UnsupportedProtocol");
  edit("web", [](Json& s) { s["spec"]["ports"][0]["protocol"] = "UDP"; });
  run();
  EXPECT_NE(address("web"), "");
}

TEST_F(FaultTest, SVC_13_ACorrectionDuringTheRefusedCallEndsTheWait) {
  host.load_balancers.fail_next(
      "ensure", Status(Code::invalid_argument, ErrorClass::invalid_spec, "no such flavor"));
  host.load_balancers.before_next("ensure", [&] {
    edit("web", [](Json& s) { s["metadata"]["annotations"]["example.com/flavor"] = "small"; });
  });
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(take_cloud(), (Texts{"ensure", "ensure"}));
  EXPECT_NE(address("web"), "");
}

TEST_F(FaultTest, SVC_50_CLOUD_5_ADelayIsObeyedExactly) {
  Status later(Code::internal, "not now");
  host.load_balancers.fail_next("ensure", later.with_retry_after(seconds(17)));
  put(balanced("web"));
  start();
  run();
  take_cloud();
  advance(milliseconds(16'990));
  EXPECT_TRUE(take_cloud().empty());
  advance(milliseconds(20));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
}

TEST_F(FaultTest, AThrottledOneWaitsAtLeastAsLongAsTheCloudSays) {
  Status throttled(Code::resource_exhausted, ErrorClass::throttled, "429");
  host.load_balancers.fail_next("ensure", throttled.with_retry_after(seconds(90)));
  put(balanced("web"));
  start();
  run();
  take_cloud();
  put_node(plain_node("n"));
  advance(seconds(89));
  EXPECT_TRUE(take_cloud().empty());
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
}

TEST_F(FaultTest, TheProviderMaySayItIsWaiting) {
  host.load_balancers.fail_next(
      "ensure", Status(Code::unavailable, ErrorClass::waiting, "the network is being made")
                    .with_retry_after(seconds(3)));
  put_nodes(1);
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(take_events(), Texts{"Normal EnsuringLoadBalancer"});
  EXPECT_EQ(condition("web", kReady)["message"], "the network is being made");
  advance(seconds(3));
  EXPECT_NE(address("web"), "");
}

TEST_F(FaultTest, TheSameReasonInOtherWordsIsNotWrittenEachTime) {
  put(balanced("web"));
  start();
  for (int i = 0; i < 100; ++i) {
    host.load_balancers.fail_next("ensure", Status(Code::unavailable, ErrorClass::unavailable,
                                                   "request " + std::to_string(i)));
  }
  run();
  advance(seconds(160));
  EXPECT_EQ(take_cloud().size(), 6U);   // SVC-49: after 5, 10, 20, 40, 80 seconds
  EXPECT_EQ(take_writes().size(), 2U);  // finalizer, condition
}

TEST_F(FaultTest, ALostAnswerMakesNoSecondLoadBalancer) {
  host.load_balancers.lose_answer("ensure", down());
  put(balanced("web"));
  start();
  run();
  advance(seconds(10));
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
  EXPECT_EQ(address("web"), "203.0.113.1");
}

TEST_F(FaultTest, SVC_21_AFailingFinalizerKeepsTheCloudUntouched) {
  host.kube.fail_next("patch", "v1/services/status", down());
  put(balanced("web"));
  start();
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("cleanup finalizer"), std::string::npos);
  advance(seconds(6));
  EXPECT_NE(address("web"), "");
}

TEST_F(FaultTest, ALostStatusWriteIsRepeatedWithoutTheCloud) {
  put(balanced("web"));
  start();
  host.load_balancers.before_next(
      "ensure", [&] { host.kube.fail_next("patch", "v1/services/status", down()); });
  run();
  EXPECT_EQ(address("web"), "");
  take_cloud();
  advance(seconds(6));
  EXPECT_EQ(address("web"), "203.0.113.1");
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_EQ(host.events.with_reason("EnsuredLoadBalancer").size(), 1U);
}

TEST_F(FaultTest, SVC_34_AServiceThatIsGoneWhenItsStatusIsWritten) {
  put(balanced("web"));
  start();
  host.load_balancers.before_next("ensure",
                                  [&] { host.kube.remove("v1/services", "web", "default"); });
  run();
  EXPECT_TRUE(host.load_balancers.balancers.empty());
  EXPECT_TRUE(host.events.with_reason("SyncLoadBalancerFailed").empty());
}

TEST_F(FaultTest, AStaleCacheLeadsToNoSecondWrite) {
  put(balanced("web"));
  start();
  put_nodes(1);
  host.kube.set_cache_follows(false);
  run();
  take_writes();
  take_cloud();
  put_node(plain_node("n"));
  controller->add("default/web");
  run();
  EXPECT_TRUE(take_writes().empty());
  host.kube.catch_up();
  host.kube.set_cache_follows(true);
  advance(seconds(5));
  EXPECT_TRUE(take_writes().empty());
}

TEST_F(FaultTest, AHangingCloudEndsWithTheDeadline) {
  host.load_balancers.hang_next("ensure");
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  advance(seconds(300));
  EXPECT_NE(address("web"), "");
}

TEST_F(FaultTest, ALookThatFailsAfterARestartLeavesAWorkingServiceAlone) {
  put_nodes(1);
  put(balanced("web"));
  start();
  run();
  take_writes();
  host.load_balancers.fail_next("observe", down());
  start();
  run();
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("look at the load balancer"),
            std::string::npos);
  EXPECT_EQ(condition("web", kReady)["status"], "True");
  EXPECT_TRUE(take_writes().empty());
  advance(seconds(6));
  take_cloud();
}

TEST_F(FaultTest, AStandbyThatLostTheLeaseTellsNothing) {
  put(balanced("web"));
  start();
  host.load_balancers.before_next("ensure", [&] { host.leader.leading = false; });
  host.load_balancers.fail_next("ensure", Status(Code::failed_precondition, "not leading"));
  run();
  EXPECT_TRUE(host.events.with_reason("SyncLoadBalancerFailed").empty());
}

// In the end, after any fault and any replacement of the process, each Service has one load
// balancer, none is left over, and the status says what the cloud has.
TEST_F(FaultTest, AnyOrderOfFaultsEndsWell) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    testing::FakeHost& h = host;
    std::mt19937 random(seed);
    const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    h.load_balancers.created_state =
        chance(50) ? LoadBalancerState::pending : LoadBalancerState::active;
    for (int i = 0; i < 5; ++i) {
      const std::string name = "f" + std::to_string(i);
      if (!exists(name)) put(balanced(name));
    }
    start();
    for (int round = 0; round < 30; ++round) {
      const std::string name = "f" + std::to_string(random() % 5);
      if (chance(20)) h.load_balancers.fail_next("ensure", chance(50) ? down() : quota());
      if (chance(20)) h.load_balancers.lose_answer("ensure", down());
      if (chance(10)) h.load_balancers.fail_next("remove", down());
      if (chance(10)) h.load_balancers.lose_answer("remove", down());
      if (chance(10)) h.kube.fail_next("patch", "v1/services/status", down());
      if (chance(10)) h.kube.lose_answer("patch", "v1/services/status", down());
      if (chance(10) && exists(name)) mark_deleted(name);
      if (chance(15) && !exists(name)) {
        Json again = balanced(name);
        again["metadata"]["uid"] = name + "-" + std::to_string(seed) + "-" + std::to_string(round);
        put(again);
      }
      if (chance(15) && exists(name)) {
        edit(name, [&](Json& s) {
          const bool balanced_now = s["spec"]["type"] == "LoadBalancer";
          s["spec"]["type"] = balanced_now ? "ClusterIP" : "LoadBalancer";
          if (balanced_now) s["status"]["loadBalancer"] = Json::object();
        });
      }
      if (chance(20) && exists(name)) {
        edit(name, [&](Json& s) { s["spec"]["ports"][0]["port"] = 80 + round; });
      }
      if (chance(20)) put_node(plain_node("r" + std::to_string(random() % 4)));
      if (chance(5)) start();
      if (chance(30)) {
        for (auto& [uid, balancer] : h.load_balancers.balancers) h.load_balancers.activate(uid);
      }
      advance(milliseconds(random() % 8000));
    }
    h.load_balancers.created_state = LoadBalancerState::active;
    for (int i = 0; i < 4; ++i) {
      for (auto& [uid, balancer] : h.load_balancers.balancers) h.load_balancers.activate(uid);
      advance(minutes(40));
    }
    std::size_t wanted = 0;
    for (int i = 0; i < 5; ++i) {
      const std::string name = "f" + std::to_string(i);
      if (!exists(name)) continue;
      const Json service = stored(name);
      const bool wants = service["spec"]["type"] == "LoadBalancer";
      EXPECT_FALSE(service["metadata"].contains("deletionTimestamp")) << seed << " " << service;
      if (!wants) {
        EXPECT_FALSE(service["metadata"].contains("finalizers")) << seed << " " << name;
        continue;
      }
      ++wanted;
      const auto& balancers = h.load_balancers.balancers;
      const auto balancer = balancers.find(service["metadata"]["uid"].get<std::string>());
      ASSERT_NE(balancer, balancers.end()) << seed << " " << name;
      EXPECT_EQ(address(name), balancer->second.shown.ingress.at(0).ip) << seed << " " << name;
      EXPECT_EQ(balancer->second.service.ports[0].port, service["spec"]["ports"][0]["port"]);
      EXPECT_EQ(service["metadata"]["annotations"][kIdAnnotationName], balancer->second.shown.id);
      EXPECT_NE(condition(name, kReady).value("status", "True"), "False") << seed << " " << name;
    }
    EXPECT_EQ(h.load_balancers.balancers.size(), wanted) << "seed " << seed;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ccm::service
