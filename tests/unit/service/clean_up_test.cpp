// Taking load balancers away: deletion, other types, names that are used again.
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class CleanUpTest : public ServiceTest {
 protected:
  void made(const std::string& name) {
    put_nodes(1);
    put(balanced(name));
    start();
    run();
    ASSERT_NE(address(name), "");
    take_cloud();
    take_writes();
    take_events();
  }
};

TEST_F(CleanUpTest, SVC_30_32_33_81_CloudThenFinalizer) {
  made("web");
  bool still_there = false;
  host.load_balancers.before_next("remove", [&] {
    still_there = stored("web")["metadata"].value("finalizers", Json()) == Json{kCleanup};
  });
  mark_deleted("web");
  run();
  EXPECT_TRUE(still_there);
  EXPECT_FALSE(exists("web"));
  EXPECT_TRUE(host.load_balancers.balancers.empty());
  EXPECT_EQ(take_cloud(), Texts{"remove"});
  EXPECT_EQ(take_writes(), Texts{"patch web"});
  EXPECT_EQ(take_events(), (Texts{"Normal DeletingLoadBalancer", "Normal DeletedLoadBalancer"}));
  advance(minutes(60));
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(CleanUpTest, SVC_30_31_33_OneThatNeverHadAny) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {kCleanup};
  service["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  put(service);
  start();
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_TRUE(take_events().empty()) << "nothing was deleted";
}

TEST_F(CleanUpTest, TRAP_15_OneUnderDeletionWithoutOurFinalizerGetsNone) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {"example.com/slow"};
  service["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  put(service);
  start();
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
  EXPECT_TRUE(controller->waiting().empty());
}

TEST_F(CleanUpTest, SVC_41_OtherFinalizersStay) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {"example.com/slow"};
  put(service);
  start();
  run();
  mark_deleted("web");
  run();
  EXPECT_EQ(stored("web")["metadata"]["finalizers"], Json{"example.com/slow"});
  EXPECT_EQ(address("web"), "");
  take_cloud();
  host.kube.resync();
  advance(minutes(60));
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(CleanUpTest, SVC_9_34_47_AnotherTypeLeavesNothingBehind) {
  made("web");
  edit("web", [](Json& s) {
    s["spec"]["type"] = "ClusterIP";
    s["spec"]["ports"][0].erase("nodePort");
    s["status"]["loadBalancer"] = Json::object();
  });
  run();
  EXPECT_EQ(take_cloud(), Texts{"remove"});
  const Json now = stored("web");
  EXPECT_FALSE(now["metadata"].contains("finalizers"));
  EXPECT_EQ(now["metadata"].value("annotations", Json::object()), Json::object());
  EXPECT_FALSE(now["status"].contains("conditions"));
  EXPECT_EQ(take_events(), (Texts{"Normal DeletingLoadBalancer", "Normal DeletedLoadBalancer"}));
  // And back.
  put(balanced("web"));
  run();
  EXPECT_NE(address("web"), "");
}

TEST_F(CleanUpTest, TheTypeFlippedTwiceAtOnce) {
  made("web");
  edit("web", [](Json& s) {
    s["spec"]["type"] = "ClusterIP";
    s["status"]["loadBalancer"] = Json::object();
  });
  edit("web", [](Json& s) { s["spec"]["type"] = "LoadBalancer"; });
  run();
  EXPECT_NE(address("web"), "");  // the server dropped it, so it is written again
  EXPECT_EQ(stored("web")["metadata"]["finalizers"], Json{kCleanup});
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
  EXPECT_EQ(host.load_balancers.writes(), 1);
}

TEST_F(CleanUpTest, TheTypeFlippedTwiceWithinOneEvent) {
  made("web");
  edit("web", [](Json& s) { s["status"]["loadBalancer"] = Json::object(); });
  run();
  EXPECT_NE(address("web"), "");
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(CleanUpTest, SVC_82_AClassThatIsNotOursAfterALifeWithoutOne) {
  made("web");
  edit("web", [](Json& s) {
    s["spec"]["loadBalancerClass"] = "example.com/other";
    s["status"]["loadBalancer"] = Json::object();
  });
  run();
  EXPECT_EQ(take_cloud(), Texts{"remove"});
  EXPECT_FALSE(stored("web")["metadata"].contains("finalizers"));
}

TEST_F(CleanUpTest, AClassThatLeftTheTableIsNotDeletedByARestart) {
  Json service = balanced("web");
  service["spec"]["loadBalancerClass"] = "example.com/internal";
  service["metadata"]["finalizers"] = {kCleanup};
  service["metadata"]["annotations"][kIdAnnotationName] = "lb-1";
  put(service);
  start();
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_TRUE(take_writes().empty());
}

TEST_F(CleanUpTest, WhatTheCloudIsStillDeletingIsWaitedFor) {
  made("web");
  host.load_balancers.fail_next(
      "remove", Status(Code::unavailable, ErrorClass::waiting, "the cloud deletes it")
                    .with_retry_after(seconds(4)));
  mark_deleted("web");
  run();
  EXPECT_TRUE(exists("web"));
  EXPECT_EQ(condition("web", kReady)["reason"], "DeletingLoadBalancer");
  EXPECT_EQ(take_events(), Texts{"Normal DeletingLoadBalancer"});
  take_cloud();
  advance(milliseconds(3990));
  EXPECT_TRUE(take_cloud().empty());
  advance(milliseconds(20));
  EXPECT_FALSE(exists("web"));
  EXPECT_EQ(take_events(), Texts{"Normal DeletedLoadBalancer"});
}

TEST_F(CleanUpTest, SVC_30_37_AFailingCloudKeepsTheServiceAndSaysWhy) {
  made("web");
  host.load_balancers.fail_next("remove", down(), 2);
  mark_deleted("web");
  run();
  EXPECT_TRUE(exists("web"));
  EXPECT_EQ(take_events(),
            (Texts{"Normal DeletingLoadBalancer", "Warning SyncLoadBalancerFailed"}));
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("failed to delete load balancer"),
            std::string::npos);
  EXPECT_EQ(condition("web", kReady)["status"], "False");
  advance(seconds(30));
  EXPECT_FALSE(exists("web"));
  EXPECT_EQ(take_cloud().size(), 3U);
}

TEST_F(CleanUpTest, TRAP_14_ADelayIsHonouredInDeletionToo) {
  made("web");
  Status later(Code::internal, "not now");
  host.load_balancers.fail_next("remove", later.with_retry_after(seconds(40)));
  mark_deleted("web");
  run();
  take_cloud();
  advance(milliseconds(39'900));
  EXPECT_TRUE(take_cloud().empty());
  advance(milliseconds(200));
  EXPECT_EQ(take_cloud(), Texts{"remove"});
}

TEST_F(CleanUpTest, WhatIsGoneAlreadyIsGone) {
  made("web");
  host.load_balancers.fail_next("remove", Status(Code::not_found, ErrorClass::not_found, "404"));
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
}

TEST_F(CleanUpTest, OnlyACertainAnswerProvesThatItIsGone) {
  made("web");
  host.load_balancers.fail_next("remove", Status(Code::not_found, "404 page not found"));
  mark_deleted("web");
  run();
  EXPECT_TRUE(exists("web"));
  advance(seconds(10));
  EXPECT_FALSE(exists("web"));
}

TEST_F(CleanUpTest, SVC_30_ImplementedElsewhereEndsIt) {
  made("web");
  host.load_balancers.fail_next("remove", Status(Code::implemented_elsewhere, "another"));
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_EQ(take_events(), (Texts{"Normal DeletingLoadBalancer", "Normal LoadBalancerRetained"}));
}

TEST_F(CleanUpTest, AWishToKeepItThatCannotBeReadIsAWarning) {
  made("web");
  host.load_balancers.fail_next(
      "remove", Status(Code::implemented_elsewhere, ErrorClass::invalid_spec, "\"maybe\""));
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_EQ(take_events(), (Texts{"Normal DeletingLoadBalancer", "Warning LoadBalancerRetained"}));
}

TEST_F(CleanUpTest, SomebodyElsesIsLeftAloneAndTheServiceGoes) {
  made("web");
  host.load_balancers.balancers["uid-of-web"].shown.state = LoadBalancerState::foreign;
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
  EXPECT_NE(last_event("LoadBalancerNotOwned").find("was not deleted"), std::string::npos);
  EXPECT_EQ(take_events(), (Texts{"Normal DeletingLoadBalancer", "Warning LoadBalancerNotOwned"}));
}

// Only the id is this controller's; what else a provider records, the user may have written.
TEST_F(CleanUpTest, DO_103_AnotherTypeKeepsTheUsersAnnotations) {
  Json service = balanced("web");
  service["metadata"]["annotations"] = {{"example.com/type", "REGIONAL"},
                                        {"example.com/size", "3"},
                                        {"example.com/certificate", "before-its-renewal"}};
  put(service);
  LoadBalancer answer;
  answer.state = LoadBalancerState::active;
  answer.id = "lb-1";
  answer.ingress.emplace_back().ip = "203.0.113.1";
  answer.annotations = {{"example.com/type", "REGIONAL"}, {"example.com/certificate", "renewed"}};
  host.load_balancers.answer_next("ensure", answer);
  start();
  run();
  service["metadata"]["annotations"]["example.com/certificate"] = "renewed";
  edit("web", [](Json& s) {
    s["spec"]["type"] = "ClusterIP";
    s["status"]["loadBalancer"] = Json::object();
  });
  run();
  EXPECT_EQ(stored("web")["metadata"]["annotations"], service["metadata"]["annotations"]);
}

TEST_F(CleanUpTest, RetainKeepsTheLoadBalancer) {
  made("web");
  edit("web", [](Json& s) {
    s["metadata"]["annotations"]["cloud-controller-manager/retain-load-balancer"] = "true";
  });
  run();
  EXPECT_TRUE(take_cloud().empty());  // no change for the cloud
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_EQ(take_events(), Texts{"Normal LoadBalancerRetained"});
}

TEST_F(CleanUpTest, RetainIsABooleanAndKeepsItInDoubt) {
  const std::vector<std::pair<std::string, bool>> table = {
      {"True", true}, {"1", true}, {"yes", true}, {"", true}, {"false", false}, {"0", false}};
  for (const auto& [value, kept] : table) {
    host.load_balancers.balancers.clear();
    made("web");
    edit("web", [&](Json& s) {
      s["metadata"]["annotations"]["cloud-controller-manager/retain-load-balancer"] = value;
    });
    mark_deleted("web");
    run();
    EXPECT_FALSE(exists("web"));
    EXPECT_EQ(host.load_balancers.balancers.size(), kept ? 1U : 0U) << value;
  }
}

// The flag lets only some namespaces leave load balancers that no quota bounds.
TEST_F(CleanUpTest, RetainCountsInTheNamespacesOfTheFlagAlone) {
  const std::vector<std::pair<std::string, bool>> table = {
      {"default", true}, {"shop, default", true}, {"*", true}, {"", false}, {"shop,defaul", false}};
  for (const auto& [namespaces, kept] : table) {
    SCOPED_TRACE(namespaces);
    host.config.set_flag("load-balancer-retention-namespaces", namespaces);
    host.load_balancers.balancers.clear();
    made("web");
    edit("web", [](Json& s) {
      s["metadata"]["annotations"]["cloud-controller-manager/retain-load-balancer"] = "true";
    });
    run();
    const Texts refused = kept ? Texts() : Texts{"Warning LoadBalancerRetentionRefused"};
    EXPECT_EQ(take_events(), refused) << "before it is deleted";
    edit("web", [](Json& s) { s["metadata"]["labels"]["tier"] = "web"; });
    run();
    mark_deleted("web");
    run();
    EXPECT_FALSE(exists("web"));
    EXPECT_EQ(host.load_balancers.balancers.size(), kept ? 1U : 0U);
    EXPECT_EQ(take_events(),
              kept ? Texts{"Normal LoadBalancerRetained"}
                   : (Texts{"Normal DeletingLoadBalancer", "Normal DeletedLoadBalancer"}));
  }
}

// A manager that starts when the Service is deleted already.
TEST_F(CleanUpTest, RetainThatDoesNotCountIsToldAtTheDeletion) {
  host.config.set_flag("load-balancer-retention-namespaces", "shop");
  made("web");
  take_events();
  edit("web", [](Json& s) {
    s["metadata"]["annotations"]["cloud-controller-manager/retain-load-balancer"] = "true";
    s["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  });
  run();
  EXPECT_EQ(take_events(), (Texts{"Warning LoadBalancerRetentionRefused",
                                  "Normal DeletingLoadBalancer", "Normal DeletedLoadBalancer"}));
}

TEST_F(CleanUpTest, RetainCanBeSetWhileADeletionFails) {
  made("web");
  host.load_balancers.fail_next("remove", quota(), 100);
  mark_deleted("web");
  run();
  edit("web", [](Json& s) {
    s["metadata"]["annotations"]["cloud-controller-manager/retain-load-balancer"] = "true";
  });
  run();
  EXPECT_FALSE(exists("web"));
}

TEST_F(CleanUpTest, SVC_16_36_AServiceThatVanishedWithItsFinalizer) {
  made("web");
  host.kube.remove("v1/services", "web", "default");
  run();
  EXPECT_TRUE(host.load_balancers.balancers.empty());
  EXPECT_EQ(take_events(), (Texts{"Normal DeletingLoadBalancer", "Normal DeletedLoadBalancer"}));
}

TEST_F(CleanUpTest, SVC_36_38_71_AFailureOnThatPathHasAReasonOfItsOwn) {
  made("web");
  host.load_balancers.fail_next("remove", down());
  host.kube.remove("v1/services", "web", "default");
  run();
  EXPECT_EQ(take_events(),
            (Texts{"Normal DeletingLoadBalancer", "Warning DeleteLoadBalancerFailed"}));
  EXPECT_TRUE(take_writes().empty());
  advance(seconds(6));
  EXPECT_TRUE(host.load_balancers.balancers.empty());
}

TEST_F(CleanUpTest, SVC_17_TheSameNameWithAnotherUid) {
  made("web");
  host.kube.remove("v1/services", "web", "default");
  Json again = balanced("web");
  again["metadata"]["uid"] = "second";
  put(again);
  run();
  EXPECT_EQ(take_cloud(), (Texts{"remove", "ensure"}));
  ASSERT_EQ(host.load_balancers.balancers.size(), 1U);
  EXPECT_EQ(host.load_balancers.balancers.begin()->first, "second");
  EXPECT_EQ(address("web"), "203.0.113.2");
}

TEST_F(CleanUpTest, SVC_17_TheOldOneComesFirst) {
  made("web");
  host.load_balancers.fail_next("remove", down());
  host.kube.remove("v1/services", "web", "default");
  Json again = balanced("web");
  again["metadata"]["uid"] = "second";
  put(again);
  run();
  EXPECT_EQ(take_cloud(), Texts{"remove"});
  advance(seconds(6));
  EXPECT_EQ(take_cloud(), (Texts{"remove", "ensure"}));
  EXPECT_EQ(address("web"), "203.0.113.2");
}

TEST_F(CleanUpTest, DeletedWhileItIsBeingMade) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  put(balanced("web"));
  start();
  run();
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_TRUE(host.load_balancers.balancers.empty());
}

TEST_F(CleanUpTest, DeletedBetweenOurReadAndTheFinalizer) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {"example.com/slow"};
  put(service);
  start();
  host.kube.before_next("patch", "v1/services/status", [&] { mark_deleted("web"); });
  run();
  advance(minutes(10));
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_EQ(stored("web")["metadata"]["finalizers"], Json{"example.com/slow"});
}

TEST_F(CleanUpTest, DeletedWhileEnsureIsUnderWay) {
  put(balanced("web"));
  start();
  host.load_balancers.before_next("ensure", [&] { mark_deleted("web"); });
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_TRUE(host.load_balancers.balancers.empty());
}

TEST_F(CleanUpTest, OurFinalizerRemovedByHandDuringDeletion) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {"example.com/slow"};
  put(service);
  start();
  run();
  host.load_balancers.fail_next("remove", down());
  mark_deleted("web");
  run();
  edit("web", [](Json& s) { s["metadata"]["finalizers"] = {"example.com/slow"}; });
  advance(seconds(10));
  EXPECT_TRUE(host.load_balancers.balancers.empty());
}

}  // namespace
}  // namespace ccm::service
