// A new process and the audits: the cloud is looked at, and touched only where it differs.
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class RestartTest : public ServiceTest {
 protected:
  void made(int services) {
    put_nodes(2);
    for (int i = 0; i < services; ++i) put(balanced("s" + std::to_string(i)));
    start();
    run();
    advance(seconds(5));
    forget();
  }
  void forget() {
    take_cloud();
    take_writes();
    take_events();
    controller->take_reconciled();
  }
};

TEST_F(RestartTest, ARestartWritesNothingAnywhere) {
  made(50);
  const int writes = host.load_balancers.writes();
  start();
  run();
  advance(seconds(10));
  const Texts calls = take_cloud();
  EXPECT_EQ(calls, Texts(50, "observe"));
  EXPECT_EQ(host.load_balancers.writes(), writes);
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
}

TEST_F(RestartTest, WhatGoManagersLeftIsTakenOverWithoutAChangeOfTheStatus) {
  auto& balancer = host.load_balancers.balancers["uid-of-web"];
  balancer.shown.state = LoadBalancerState::active;
  balancer.shown.id = "lb-5";
  Ingress ingress;
  ingress.ip = "192.0.2.1";
  balancer.shown.ingress = {ingress};
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {kCleanup};
  service["status"]["loadBalancer"]["ingress"] = {{{"ip", "192.0.2.1"}, {"ipMode", "VIP"}}};
  put_nodes(1);
  put(service);
  host.load_balancers.answer_next("observe", balancer.shown);
  start();
  run();
  EXPECT_EQ(take_cloud(), Texts{"observe"});
  EXPECT_EQ(take_writes(), Texts{"patch web"});  // the id alone
  EXPECT_TRUE(condition("web", kReady).is_null());
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-5");
}

TEST_F(RestartTest, ACloudThatDoesNotSayIsLookedAtAgain) {
  made(1);
  LoadBalancer unknown;
  unknown.state = LoadBalancerState::unknown;
  host.load_balancers.answer_next("observe", unknown);
  start();
  advance(seconds(5));
  EXPECT_EQ(take_cloud(), (Texts{"observe", "observe"}));
  EXPECT_TRUE(take_events().empty());
}

TEST_F(RestartTest, SVC_10_AChangeDuringTheAbsenceIsMade) {
  made(1);
  controller.reset();
  edit("s0", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  start();
  run();
  EXPECT_EQ(take_cloud(), (Texts{"observe", "ensure"}));
  EXPECT_EQ(host.load_balancers.balancers["uid-of-s0"].service.ports[0].port, 81);
}

TEST_F(RestartTest, SVC_10_ADeletionDuringTheAbsenceIsFinished) {
  made(1);
  controller.reset();
  mark_deleted("s0");
  start();
  run();
  EXPECT_FALSE(exists("s0"));
  EXPECT_TRUE(host.load_balancers.balancers.empty());
}

TEST_F(RestartTest, KilledBetweenFinalizerAndCreation) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {kCleanup};
  put(service);
  start();
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_NE(address("web"), "");
}

TEST_F(RestartTest, KilledBetweenCreationAndStatus) {
  put_nodes(2);
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {kCleanup};
  put(service);
  auto& balancer = host.load_balancers.balancers["uid-of-web"];
  balancer.shown.state = LoadBalancerState::active;
  balancer.shown.id = "lb-made-before";
  Ingress ingress;
  ingress.ip = "192.0.2.1";
  balancer.shown.ingress = {ingress};
  start();
  run();
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
  EXPECT_EQ(address("web"), "192.0.2.1");
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-made-before");
}

TEST_F(RestartTest, KilledDuringADeletion) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {kCleanup};
  service["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  service["metadata"]["annotations"][kIdAnnotationName] = "lb-1";
  put(service);
  start();
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_EQ(take_events(), (Texts{"Normal DeletingLoadBalancer", "Normal DeletedLoadBalancer"}));
}

TEST_F(RestartTest, KilledWhilePending) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  put_nodes(1);
  put(balanced("web"));
  start();
  run();
  start();
  host.load_balancers.activate("uid-of-web");
  run();
  EXPECT_NE(address("web"), "");
  EXPECT_EQ(condition("web", kReady)["status"], "True");
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
}

TEST_F(RestartTest, SVC_15_TRAP_36_ResyncsAndHeartbeatsAreNoWork) {
  made(3);
  host.kube.resync();
  run();
  EXPECT_TRUE(controller->take_reconciled().empty());
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(RestartTest, TheAuditLooksAndWritesNothing) {
  made(20);
  const int writes = host.load_balancers.writes();
  advance(minutes(34));
  EXPECT_EQ(take_cloud(), Texts(20, "observe"));
  EXPECT_EQ(host.load_balancers.writes(), writes);
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
  advance(minutes(34));
  EXPECT_EQ(take_cloud().size(), 20U);
}

TEST_F(RestartTest, TheAuditRepairsWhatWasAlteredByHand) {
  made(1);
  host.load_balancers.balancers["uid-of-s0"].backends = {};
  advance(minutes(34));
  EXPECT_EQ(take_cloud(), (Texts{"observe", "ensure"}));
  EXPECT_EQ(host.load_balancers.balancers["uid-of-s0"].backends.size(), 2U);
  EXPECT_NE(last_event("LoadBalancerDrift").find("backends"), std::string::npos);
}

TEST_F(RestartTest, TheAuditMakesAgainWhatWasDeletedByHand) {
  made(1);
  host.load_balancers.balancers.clear();
  advance(minutes(34));
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
  EXPECT_NE(last_event("LoadBalancerDrift").find("is gone"), std::string::npos);
  EXPECT_EQ(address("s0"), "203.0.113.2");
}

TEST_F(RestartTest, TheAuditFindsThatItChangedHands) {
  made(1);
  host.load_balancers.balancers["uid-of-s0"].shown.state = LoadBalancerState::foreign;
  advance(minutes(34));
  EXPECT_EQ(take_cloud()[0], "observe");
  EXPECT_TRUE(host.events.with_reason("LoadBalancerDrift").empty());
  EXPECT_FALSE(host.events.with_reason("SyncLoadBalancerFailed").empty());
  EXPECT_EQ(condition("s0", kReady)["reason"], "LoadBalancerNotOwned");
}

TEST_F(RestartTest, TheAuditRepairsAStatusThatWasAltered) {
  made(1);
  edit("s0", [](Json& s) { s["status"]["loadBalancer"]["ingress"][0]["ip"] = "198.51.100.1"; });
  advance(minutes(34));
  EXPECT_EQ(address("s0"), "203.0.113.1");
}

TEST_F(RestartTest, AnAuditThatFailsIsNoTroubleOfTheService) {
  made(1);
  host.load_balancers.fail_next("observe", down());
  advance(minutes(34));
  EXPECT_EQ(take_cloud(), Texts{"observe"});
  EXPECT_TRUE(take_events().empty());
  EXPECT_TRUE(take_writes().empty());
  advance(minutes(34));
  EXPECT_EQ(take_cloud(), Texts{"observe"});
}

TEST_F(RestartTest, NoAuditWhenItIsSwitchedOff) {
  host.config.set_flag("load-balancer-audit-period", "0s");
  made(2);
  advance(std::chrono::hours(24));
  EXPECT_TRUE(take_cloud().empty());
}

}  // namespace
}  // namespace ccm::service
