// Changes that the host's limits hold back: what the Service says, and that its Nodes do not wait
// with them.
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class LimitsTest : public ServiceTest {
 protected:
  static Status limited(milliseconds left) {
    return Status(Code::unavailable, ErrorClass::waiting, "this change waits for its turn")
        .with_reason("ChangesLimited")
        .with_retry_after(left);
  }
  static Status held(const std::string& text) {
    return Status(Code::failed_precondition, ErrorClass::waiting, text)
        .with_reason("ReplacementHeld")
        .with_retry_after(minutes(10));
  }
  void made() {
    put_nodes(1);
    put(balanced("web"));
    start();
    run();
    forget();
  }
  void forget() {
    take_cloud();
    take_writes();
    take_events();
  }
  void set_port(int port) {
    edit("web", [port](Json& s) { s["spec"]["ports"][0]["port"] = port; });
    run();
  }
  int port_in_the_cloud() {
    return host.load_balancers.balancers["uid-of-web"].service.ports[0].port;
  }
  std::size_t backends() { return host.load_balancers.balancers["uid-of-web"].backends.size(); }
};

TEST_F(LimitsTest, Issue37_7_AChangeThatWaitsForItsTurnSaysSoOnce) {
  made();
  host.load_balancers.fail_next("ensure", limited(seconds(30)));
  set_port(81);
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(condition("web", kReady)["status"], "False");
  EXPECT_EQ(condition("web", kReady)["reason"], "ChangesLimited");
  EXPECT_EQ(condition("web", kReady)["message"], "this change waits for its turn");
  EXPECT_EQ(address("web"), "203.0.113.1") << "it serves as before";
  EXPECT_EQ(take_writes(), Texts{"patch web"});
  EXPECT_EQ(take_events(), Texts{"Normal EnsuringLoadBalancer"});
  for (int port = 82; port < 100; ++port) {
    host.load_balancers.fail_next("ensure", limited(seconds(20)));
    set_port(port);
  }
  EXPECT_EQ(take_cloud().size(), 18U);
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
  advance(seconds(19));
  EXPECT_TRUE(take_cloud().empty());
  advance(seconds(1));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(port_in_the_cloud(), 99);
  EXPECT_EQ(condition("web", kReady)["status"], "True");
  EXPECT_EQ(take_events(), Texts{"Normal EnsuredLoadBalancer"});
}

TEST_F(LimitsTest, Issue37_7_NodesDoNotWaitWithAChange) {
  made();
  host.load_balancers.fail_next("ensure", limited(minutes(5)));
  set_port(81);
  forget();
  put_nodes(3);
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  EXPECT_EQ(backends(), 3U);
  host.kube.remove("v1/nodes", "node-0");
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  EXPECT_EQ(backends(), 2U);
  EXPECT_EQ(condition("web", kReady)["reason"], "ChangesLimited");
  EXPECT_TRUE(take_writes().empty());
  EXPECT_EQ(take_events(), (Texts{"Normal UpdatedLoadBalancer", "Normal UpdatedLoadBalancer"}));
  advance(minutes(5));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(condition("web", kReady)["status"], "True");
}

// The last change came through by half before it failed, and is taken back: that waits for its
// turn, and must not be forgotten when Nodes come meanwhile.
TEST_F(LimitsTest, Issue37_7_NodesDoNotMakeAChangeThatWaitsLookDone) {
  made();
  host.load_balancers.fail_next("ensure", down());
  set_port(81);
  host.load_balancers.balancers["uid-of-web"].service.ports[0].port = 81;
  host.load_balancers.fail_next("ensure", limited(minutes(5)));
  set_port(80);
  forget();
  put_nodes(3);
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  EXPECT_EQ(condition("web", kReady)["reason"], "ChangesLimited");
  advance(minutes(5));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(port_in_the_cloud(), 80);
  EXPECT_EQ(condition("web", kReady)["status"], "True");
}

TEST_F(LimitsTest, Issue37_7_NodesThatCameBeforeTheChangeDoNotEither) {
  made();
  put_nodes(2);  // on its way for a second
  host.load_balancers.fail_next("ensure", limited(minutes(5)));
  set_port(81);
  EXPECT_EQ(take_cloud(), (Texts{"ensure", "update_backends"}));
  EXPECT_EQ(backends(), 2U);
  EXPECT_EQ(condition("web", kReady)["reason"], "ChangesLimited");
}

TEST_F(LimitsTest, Issue37_7_AfterARestartNodesDoNotWaitWithADifference) {
  made();
  put_nodes(2);
  host.load_balancers.balancers["uid-of-web"].service.ports[0].port = 79;
  start();
  host.load_balancers.fail_next("ensure", limited(minutes(5)));
  run();
  EXPECT_EQ(take_cloud(), (Texts{"observe", "ensure", "update_backends"}));
  EXPECT_EQ(backends(), 2U);
  EXPECT_EQ(address("web"), "203.0.113.1");
  advance(minutes(5));
  EXPECT_EQ(port_in_the_cloud(), 80);
}

TEST_F(LimitsTest, Issue37_7_OneThatIsGoneIsNotMadeForItsNodes) {
  made();
  put_nodes(2);
  host.load_balancers.balancers.clear();
  host.load_balancers.fail_next("ensure", limited(minutes(5)));
  set_port(81);
  EXPECT_EQ(take_cloud(), (Texts{"ensure", "update_backends"}));
  advance(minutes(5));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(backends(), 2U);
}

TEST_F(LimitsTest, Issue37_7_AChangeThatIsTakenBackWaitsForNothing) {
  made();
  host.load_balancers.fail_next("ensure", limited(minutes(5)));
  set_port(81);
  forget();
  set_port(80);
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_EQ(condition("web", kReady)["status"], "True");
}

TEST_F(LimitsTest, Issue37_7_ADeletionDoesNotWait) {
  made();
  host.load_balancers.fail_next("ensure", limited(minutes(5)));
  set_port(81);
  forget();
  mark_deleted("web");
  run();
  EXPECT_EQ(take_cloud(), Texts{"remove"});
  EXPECT_FALSE(exists("web"));
}

TEST_F(LimitsTest, Issue41_3_AHeldReplacementIsAWarningOnce) {
  made();
  for (int i = 0; i < 3; ++i) {
    host.load_balancers.fail_next("ensure", held("replaced twice, last by lb-3"));
    set_port(81 + i);
  }
  EXPECT_EQ(condition("web", kReady)["reason"], "ReplacementHeld");
  EXPECT_EQ(condition("web", kReady)["message"], "replaced twice, last by lb-3");
  EXPECT_EQ(host.events.with_reason("LoadBalancerReplacementHeld").size(), 1U);
  EXPECT_EQ(last_event("LoadBalancerReplacementHeld"), "replaced twice, last by lb-3");
  host.load_balancers.fail_next("ensure", held("replaced twice, last by lb-4"));
  set_port(90);
  EXPECT_EQ(host.events.with_reason("LoadBalancerReplacementHeld").size(), 2U);
}

// The annotation that the message asks for brings the Service back at once.
TEST_F(LimitsTest, Issue41_3_ThePermissionIsNews) {
  made();
  host.load_balancers.fail_next("ensure", held("replaced twice, last by lb-3"));
  set_port(81);
  forget();
  edit("web", [](Json& s) {
    s["metadata"]["annotations"]["cloud-controller-manager/allow-replacement"] = "lb-3";
  });
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(port_in_the_cloud(), 81);
}

}  // namespace
}  // namespace ccm::service
