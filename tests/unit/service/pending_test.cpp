// A load balancer that the cloud is still working on: what the Service says, and when the cloud is
// asked again.
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class PendingTest : public ServiceTest {
 protected:
  static LoadBalancer working(const std::string& difference = {}) {
    LoadBalancer answer;
    answer.state = LoadBalancerState::pending;
    answer.id = "lb-1";
    answer.difference = difference;
    return answer;
  }
};

TEST_F(PendingTest, APendingOneIsRecordedAndSaysWhyItWaits) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  host.load_balancers.pending_retry = seconds(3);
  put_nodes(1);
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-1");
  EXPECT_EQ(condition("web", kReady)["status"], "False");
  EXPECT_EQ(condition("web", kReady)["reason"], "EnsuringLoadBalancer");
  EXPECT_NE(condition("web", kReady)["message"].get<std::string>().find("auidofweb"),
            std::string::npos);
  EXPECT_EQ(address("web"), "");
  take_writes();
  take_events();
  // It comes back when it was told to, not before, and writes nothing while nothing has changed.
  advance(milliseconds(2990));
  EXPECT_TRUE(take_cloud().empty());
  advance(milliseconds(20));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
  host.load_balancers.activate("uid-of-web");
  advance(milliseconds(3000));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(address("web"), "203.0.113.1");
  EXPECT_EQ(condition("web", kReady)["status"], "True");
  EXPECT_EQ(take_writes(), Texts{"patch web"});
  EXPECT_EQ(take_events(), Texts{"Normal EnsuredLoadBalancer"});
}

TEST_F(PendingTest, APendingOneWithoutAHintIsAskedAboutLessOftenTheOlderItIs) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  put(balanced("web"));
  start();
  run();
  take_cloud();
  advance(milliseconds(750));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  advance(milliseconds(89'250));
  const std::size_t in_90_seconds = take_cloud().size();
  EXPECT_GE(in_90_seconds, 15U);
  EXPECT_LE(in_90_seconds, 24U);
  // At a third of its age, not at half a second.
  advance(seconds(7));
  EXPECT_LE(take_cloud().size(), 1U);
  host.load_balancers.activate("uid-of-web");
  advance(seconds(17));
  EXPECT_EQ(address("web"), "203.0.113.1");
}

TEST_F(PendingTest, AChangeOfAPendingOneMakesItsWaitANewOne) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  put(balanced("web"));
  start();
  run();
  advance(seconds(120));
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  take_cloud();
  advance(milliseconds(750));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
}

TEST_F(PendingTest, OneThatIsPendingAgainLaterIsAskedAboutSoon) {
  put(balanced("web"));
  start();
  run();
  ASSERT_EQ(address("web"), "203.0.113.1");
  host.load_balancers.answer_next("update_backends", working());
  put_node(plain_node("first"));
  advance(milliseconds(1'100));
  ASSERT_EQ(take_cloud(), (Texts{"ensure", "update_backends"}));
  advance(milliseconds(750));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  advance(seconds(300));
  // This request is pending once more: its age counts from now on.
  host.load_balancers.answer_next("update_backends", working());
  put_node(plain_node("second"));
  advance(milliseconds(1'100));
  ASSERT_EQ(take_cloud(), Texts{"update_backends"});
  advance(milliseconds(750));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
}

TEST_F(PendingTest, SVC_60_MET_4_7_AnUpdateThatIsPendingIsOneAndIsToldWhenItEnds) {
  put(balanced("web"));
  start();
  run();
  take_events();
  host.load_balancers.answer_next("update_backends", working("members"));
  host.load_balancers.answer_next("update_backends", working());
  LoadBalancer done = host.load_balancers.balancers["uid-of-web"].shown;
  host.load_balancers.answer_next("update_backends", done);
  put_node(plain_node("new"));
  advance(milliseconds(1'250));
  EXPECT_TRUE(take_events().empty());
  advance(seconds(5));
  EXPECT_EQ(take_cloud(),
            (Texts{"ensure", "update_backends", "update_backends", "update_backends"}));
  EXPECT_EQ(take_events(), Texts{"Normal UpdatedLoadBalancer"});
  EXPECT_EQ(recorded("service_controller_loadbalancer_sync_total"), 1);
  const char* duration = "service_controller_update_loadbalancer_host_latency_seconds";
  EXPECT_EQ(records(duration), 1U);
  EXPECT_GT(recorded(duration), 0.5);
  // The next one is another one, and changes nothing.
  host.load_balancers.answer_next("update_backends", done);
  put_node(plain_node("another"));
  advance(seconds(5));
  EXPECT_TRUE(take_events().empty());
  EXPECT_EQ(recorded("service_controller_loadbalancer_sync_total"), 2);
  EXPECT_EQ(records(duration), 2U);
}

// Its member was drained or removed meanwhile, which the former hash would hide.
TEST_F(PendingTest, SVC_60_ANodeThatComesBackDuringAnUpdateIsABackendAgain) {
  put_nodes(2);
  put(balanced("web"));
  start();
  run();
  take_cloud();
  LoadBalancer answer = working("members");
  answer.retry_after = minutes(1);
  host.load_balancers.answer_next("update_backends", answer);
  host.kube.remove("v1/nodes", "node-1");
  advance(milliseconds(1'250));
  ASSERT_EQ(take_cloud(), Texts{"update_backends"});
  put_node(plain_node("node-1"));
  advance(milliseconds(1'250));
  ASSERT_EQ(host.load_balancers.calls("update_backends").size(), 1U);
  EXPECT_EQ(host.load_balancers.calls("update_backends")[0].backends.size(), 2U);
}

TEST_F(PendingTest, R_121_AHintEndsTheWait) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  host.load_balancers.pending_retry = minutes(5);
  put(balanced("web"));
  start();
  run();
  host.load_balancers.activate("uid-of-web");
  run();
  ASSERT_EQ(address("web"), "");
  host.kube.hint("v1/services", "web", "default");
  run();
  EXPECT_NE(address("web"), "");
}

TEST_F(PendingTest, PendingOnesHoldNoWorker) {
  host.config.set_flag("concurrent-service-syncs", "1");
  host.load_balancers.created_state = LoadBalancerState::pending;
  host.load_balancers.pending_retry = minutes(5);
  for (int i = 0; i < 100; ++i) put(balanced("s" + std::to_string(i)));
  start();
  run();
  host.load_balancers.created_state = LoadBalancerState::active;
  put(balanced("last"));
  run();
  EXPECT_NE(address("last"), "");
  EXPECT_EQ(controller->most_at_once(), 1U);
}

TEST_F(PendingTest, AnActiveOneWithoutAnAddressIsWaitedFor) {
  LoadBalancer answer;
  answer.state = LoadBalancerState::active;
  answer.id = "lb-9";
  host.load_balancers.answer_next("ensure", answer);
  put(balanced("web"));
  start();
  run();
  EXPECT_NE(condition("web", kReady)["message"].get<std::string>().find("no address yet"),
            std::string::npos);
  advance(seconds(2));
  EXPECT_NE(address("web"), "");
}

}  // namespace
}  // namespace ccm::service
