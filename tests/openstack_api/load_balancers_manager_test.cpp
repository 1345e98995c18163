// Load balancers by the real manager with openstack.so and service.so.
#include "openstack_api/manager_fixture.hpp"

#include <set>
#include <string>

namespace ccm::openstack_api {
namespace {

constexpr const char* kIdAnnotation = "loadbalancer.openstack.org/load-balancer-id";

class OpenStackLoadBalancersManagerTest : public OpenStackManagerTest {
 protected:
  void start_services(const std::string& options = "") {
    write_conf("secret", "[LoadBalancer]\n" + options);
    start("cloud-node-controller,service-lb-controller", {"--cluster-name=kubernetes"});
  }
  std::size_t count(const std::string& collection) {
    std::size_t found = 0;
    cloud_.with([&](Cloud& cloud) {
      cloud.region().load_balancing.advance();
      found = cloud.region().load_balancing.records(collection).size();
    });
    return found;
  }
  bool all_served(int services) {
    for (int i = 0; i < services; ++i) {
      if (address("web-" + std::to_string(i)).empty()) return false;
    }
    return true;
  }
  void nodes(int count) {
    const auto ids = add_servers("worker-", count, "private");
    for (int i = 0; i < count; ++i) {
      join("worker-" + std::to_string(i), "openstack:///" + ids[i]);
    }
  }
};

// Kind of digitalocean-cloud-controller-manager#888.
TEST_F(OpenStackLoadBalancersManagerTest, OS_196_AnnotationsWithoutEffectAreTold) {
  const std::string prefix = "loadbalancer.openstack.org/";
  nodes(1);
  start_services();
  serve("web-0",
        {{prefix + "enable-health-monitor", "false"}, {prefix + "health-monitor-delay", "7"}});
  serve("web-1",
        {{prefix + "enable-health-monitor", "true"}, {prefix + "health-monitor-delay", "7"}});
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return all_served(2) && has_event("web-0", "LoadBalancerConfigWarning");
  })) << tail(manager_->log());
  EXPECT_FALSE(has_event("web-1", "LoadBalancerConfigWarning"));
}

// The Go manager takes them one after the other, and waits for each (OS-330).
TEST_F(OpenStackLoadBalancersManagerTest, OS_253_330_404_409_ManyAtOnceAndARestartWritesNothing) {
  constexpr int kMany = 20;
  nodes(3);
  cloud_.with([](Cloud& cloud) {
    cloud.latency = milliseconds(20);
    cloud.region().load_balancing.create_time = milliseconds(2'000);
  });
  start_services();
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return initialised("worker-") == 3; }))
      << tail(manager_->log());
  for (int i = 0; i < kMany; ++i) serve("web-" + std::to_string(i));
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return all_served(kMany); }))
      << tail(manager_->log());
  EXPECT_EQ(count("loadbalancers"), static_cast<std::size_t>(kMany));
  EXPECT_EQ(count("members"), 3U * kMany);
  EXPECT_TRUE(address("web-0").starts_with("203.0.113."));
  EXPECT_FALSE(service("web-0")["metadata"]["annotations"].value(kIdAnnotation, "").empty());

  // All of them without our marks: as the Go manager leaves them.
  manager_->stop();
  cloud_.with([](Cloud& cloud) {
    for (const char* collection : {"loadbalancers", "listeners"}) {
      for (json& record : cloud.region().load_balancing.records(collection)) {
        json tags = json::array();
        for (const json& tag : record.at("tags")) {
          if (!tag.get<std::string>().starts_with("ccm-")) tags.push_back(tag);
        }
        record["tags"] = tags;
      }
    }
    cloud.clear_log();
  });
  const json before = service("web-0");
  start_services();
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    int64_t looked = 0;
    cloud_.with([&](Cloud& cloud) { looked = cloud.calls("GET", "/floatingips"); });
    return looked >= kMany;
  })) << tail(manager_->log());
  cloud_.with([](Cloud& cloud) { EXPECT_EQ(cloud.writes(), 0); });
  EXPECT_EQ(service("web-0")["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);

  for (int i = 0; i < kMany; ++i) {
    EXPECT_EQ(api_.remove(std::string(kServicesPath) + "/web-" + std::to_string(i)).status, 200);
  }
  EXPECT_TRUE(support::eventually(support::patience(), [&] { return count("loadbalancers") == 0; }))
      << tail(manager_->log());
  cloud_.with(
      [](Cloud& cloud) { EXPECT_EQ(cloud.region().network.records("floatingips").size(), 0U); });
}

// The id of what was made is recorded although its address was refused, and a new process goes on.
TEST_F(OpenStackLoadBalancersManagerTest, OS_216_230_368_AFailureHalfWayIsTakenUpAgain) {
  nodes(1);
  cloud_.with([&](Cloud& cloud) {
    cloud.region().network.set_quota(cloud_.facts().at("projects").at("demo"), "floatingip", 0);
  });
  start_services();
  serve("web", {{"loadbalancer.openstack.org/connection-limit", "many"}});
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return !service("web")["metadata"]["annotations"].value(kIdAnnotation, "").empty() &&
           has_event("web", "SyncLoadBalancerFailed");
  })) << tail(manager_->log());
  EXPECT_TRUE(has_event("web", "InvalidAnnotation"));
  EXPECT_EQ(address("web"), "");
  manager_->stop();
  cloud_.with([&](Cloud& cloud) {
    cloud.region().network.set_quota(cloud_.facts().at("projects").at("demo"), "floatingip", 10);
  });
  start_services();
  EXPECT_TRUE(support::eventually(support::patience(), [&] { return !address("web").empty(); }))
      << tail(manager_->log());
  EXPECT_EQ(count("loadbalancers"), 1U);
}

// It took until the audit, which then told of a drift that nobody had caused.
TEST_F(OpenStackLoadBalancersManagerTest, hcloud_1035_OS_399_ALabelOfTheSelectorIsFollowedAtOnce) {
  nodes(2);
  start_services();
  serve("web", {{"loadbalancer.openstack.org/node-selector", "pool=edge"}});
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return !address("web").empty(); }))
      << tail(manager_->log());
  EXPECT_EQ(count("members"), 0U);
  const auto label = [&](const json& value) {
    return api_.patch("/api/v1/nodes/worker-1", support::kMergePatch,
                      {{"metadata", {{"labels", {{"pool", value}}}}}});
  };
  ASSERT_TRUE(label("edge").ok());
  EXPECT_TRUE(support::eventually(support::patience(), [&] { return count("members") == 1; }))
      << tail(manager_->log());
  // The last one stays: a selector that fits no Node empties nothing.
  ASSERT_TRUE(label(nullptr).ok());
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    return service("web").dump().find("the one member that it has stays") != std::string::npos;
  })) << tail(manager_->log());
  EXPECT_EQ(count("members"), 1U);
  EXPECT_FALSE(has_event("web", "LoadBalancerDrift"));
}

TEST_F(OpenStackLoadBalancersManagerTest, issue_37_3_MembersAreTheServersWhateverKubeletsWrite) {
  nodes(2);
  start_services();
  serve("web-0");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return count("members") == 2; }))
      << tail(manager_->log());
  const json hostile = json::array({{{"type", "InternalIP"}, {"address", "169.254.169.254"}}});
  ASSERT_TRUE(api_.patch("/api/v1/nodes/worker-1/status", support::kMergePatch,
                         {{"status", {{"addresses", hostile}}}})
                  .ok());
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    return api_.get("/api/v1/nodes/worker-1").body.dump().find("169.254.169.254") ==
           std::string::npos;
  })) << tail(manager_->log());
  serve("web-1");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return count("members") == 4; }))
      << tail(manager_->log());
  cloud_.with([](Cloud& cloud) {
    for (const json& member : cloud.region().load_balancing.records("members")) {
      EXPECT_TRUE(member.at("address").get<std::string>().starts_with("10.10.0.")) << member;
    }
    for (const Exchange& exchange : cloud.log()) {
      EXPECT_EQ(exchange.request_body.find("169.254"), std::string::npos) << exchange.target;
    }
  });
}

TEST_F(OpenStackLoadBalancersManagerTest, OS_115_SwitchedOffNothingElseIsDifferent) {
  nodes(1);
  start_services("enabled = false\n");
  EXPECT_TRUE(
      support::eventually(support::patience(), [&] { return initialised("worker-") == 1; }));
  EXPECT_NE(manager_->log().find("does not offer load balancers"), std::string::npos)
      << tail(manager_->log());
}

}  // namespace
}  // namespace ccm::openstack_api
