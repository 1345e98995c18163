// A write that others undo is repeated, ever less often, and told once.
#include "service/rewrites.hpp"

#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class RewritesTest : public ServiceTest {
 protected:
  void made() {
    put(balanced("web"));
    start();
    run();
    advance(seconds(5));
    take_cloud();
    take_writes();
    take_events();
  }
  // As another controller of load balancers does.
  void overwrite(const std::string& ip, const std::string& manager = "metallb-controller") {
    edit("web", [&](Json& s) {
      s["status"]["loadBalancer"]["ingress"] = {{{"ip", ip}}};
      s["metadata"]["managedFields"] = Json::array(
          {manager_entry("kubectl-create", "2026-01-01T00:00:00Z", "f:spec", "f:type"),
           manager_entry(manager, "2026-01-01T00:00:02Z", "f:status", "f:loadBalancer"),
           manager_entry("cloud-controller-manager", "2026-01-01T00:00:01Z", "f:status",
                         "f:loadBalancer"),
           manager_entry("kube-proxy", "2026-01-01T00:00:09Z", "f:metadata", "f:labels")});
    });
    run();
  }
  static Json manager_entry(const std::string& name, const std::string& time,
                            const std::string& part, const std::string& field) {
    return {{"manager", name},
            {"operation", "Update"},
            {"time", time},
            {"fieldsV1", {{part, {{field, Json::object()}}}}}};
  }
  void take_annotations_away() {
    edit("web", [](Json& s) { s["metadata"].erase("annotations"); });
    run();
  }
  std::size_t patches() {
    std::size_t count = 0;
    for (const std::string& write : take_writes()) count += write == "patch web" ? 1 : 0;
    return count;
  }
};

TEST_F(RewritesTest, Metallb2177_AnotherControllersAddressIsReplacedAndItsWriterNamed) {
  made();
  overwrite("10.9.9.9");
  EXPECT_EQ(address("web"), "203.0.113.1");
  EXPECT_EQ(take_events(), Texts{"Warning LoadBalancerStatusOverwritten"});
  const std::string text = last_event("LoadBalancerStatusOverwritten");
  EXPECT_NE(text.find("status.loadBalancer is also written by metallb-controller"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("loadBalancerClass"), std::string::npos);
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(RewritesTest, K3s542_AFightSlowsDownAndIsToldOnce) {
  made();
  std::size_t written = 0;
  for (int second = 0; second < 3600; ++second) {
    if (address("web") == "203.0.113.1") overwrite("10.9.9.9", "k3s-servicelb");
    written += patches();
    advance(seconds(1));
  }
  EXPECT_GE(written, 6U);
  EXPECT_LE(written, 14U) << "in an hour";
  EXPECT_EQ(host.events.with_reason("LoadBalancerStatusOverwritten").size(), 1U);
  EXPECT_NE(last_event("LoadBalancerStatusOverwritten").find("k3s-servicelb"), std::string::npos);
}

TEST_F(RewritesTest, K3s542_AddressesThatAreTakenAwayToo) {
  made();
  for (int second = 0; second < 20; ++second) {
    edit("web", [](Json& s) { s["status"]["loadBalancer"] = Json::object(); });
    run();
    advance(seconds(1));
  }
  EXPECT_LE(patches(), 4U);
  EXPECT_EQ(host.events.with_reason("LoadBalancerStatusOverwritten").size(), 1U);
  advance(seconds(30));
  EXPECT_EQ(address("web"), "203.0.113.1");
}

TEST_F(RewritesTest, Occm1759_AToolThatTakesAnnotationsAwaySlowsDownAndIsToldOnce) {
  made();
  std::size_t written = 0;
  for (int i = 0; i < 33; ++i) {
    take_annotations_away();
    written += patches();
    advance(milliseconds(600));
  }
  EXPECT_LE(written, 4U) << "33 in 20 s";
  EXPECT_EQ(host.events.with_reason("LoadBalancerAnnotationRemoved").size(), 1U);
  const std::string text = last_event("LoadBalancerAnnotationRemoved");
  EXPECT_NE(text.find("ignore cloud-controller-manager/load-balancer-id"), std::string::npos)
      << text;
  EXPECT_NE(text.find("last by another program"), std::string::npos);
  EXPECT_TRUE(take_cloud().empty()) << "the load balancer is found all the same";
  advance(minutes(1));
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-1");
}

TEST_F(RewritesTest, Occm1759_WhileItIsMadeToo) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  put(balanced("web"));
  start();
  run();
  std::size_t written = 0;
  for (int i = 0; i < 33; ++i) {
    take_annotations_away();
    written += patches();
    advance(milliseconds(600));
  }
  EXPECT_LE(written, 5U);
  host.load_balancers.activate("uid-of-web");
  advance(minutes(1));
  EXPECT_EQ(address("web"), "203.0.113.1");
  EXPECT_EQ(host.load_balancers.balancers.size(), 1U);
}

TEST_F(RewritesTest, AMistakeIsMendedAtOnceAndNotTold) {
  made();
  for (int day = 0; day < 5; ++day) {
    take_annotations_away();
    EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-1") << day;
    advance(minutes(90));
  }
  EXPECT_TRUE(host.events.with_reason("LoadBalancerAnnotationRemoved").empty());
}

TEST_F(RewritesTest, AfterAnHourOfPeaceItIsToldAgain) {
  made();
  overwrite("10.9.9.9");
  advance(minutes(61));
  overwrite("10.9.9.9");
  EXPECT_EQ(host.events.with_reason("LoadBalancerStatusOverwritten").size(), 2U);
}

// A write that is no repetition never waits.
TEST_F(RewritesTest, AnotherAddressIsWrittenAtOnceInAFight) {
  made();
  for (int i = 0; i < 5; ++i) overwrite("10.9.9.9");
  EXPECT_EQ(address("web"), "10.9.9.9");
  Ingress moved;
  moved.ip = "203.0.113.77";
  host.load_balancers.balancers["uid-of-web"].shown.ingress = {moved};
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  EXPECT_EQ(address("web"), "203.0.113.77");
}

TEST(WriterOf, NamesWhoeverIsMostLikely) {
  EXPECT_EQ(writer_of(Object(), true, "cloud-controller-manager"), "another program");
}

}  // namespace
}  // namespace ccm::service
