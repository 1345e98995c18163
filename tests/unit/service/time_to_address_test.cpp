// ccm_service_time_to_address_seconds: once for each Service that gets its first address here.
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

constexpr const char* kMetric = "ccm_service_time_to_address_seconds";
constexpr const char* kCreated = "2026-01-01T00:16:00Z";  // 40 s before the fake clock's start

class TimeToAddressTest : public ServiceTest {
 protected:
  static Json created(const std::string& name) {
    Json service = balanced(name);
    service["metadata"]["creationTimestamp"] = kCreated;
    return service;
  }
  // As the API server does, which drops the addresses with the type.
  void change_type(const std::string& name, const std::string& type) {
    edit(name, [&](Json& service) {
      service["spec"]["type"] = type;
      service["status"]["loadBalancer"] = Json::object();
    });
  }
  [[nodiscard]] std::vector<double> times() const { return host.metrics.values(kMetric); }
};

using Times = std::vector<double>;

TEST_F(TimeToAddressTest, FromTheCreationUntilTheAddress) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  host.load_balancers.pending_retry = seconds(2);
  put(created("web"));
  start();
  run();
  EXPECT_EQ(host.metrics.find(kMetric)->buckets, (Times{1, 4, 16, 64, 256, 1024}));
  EXPECT_TRUE(times().empty());
  host.load_balancers.activate("uid-of-web");
  advance(seconds(2));
  ASSERT_NE(address("web"), "");
  EXPECT_EQ(times(), Times{42});
}

TEST_F(TimeToAddressTest, AStatusThatCouldNotBeWrittenDoesNotEndIt) {
  put(created("web"));
  start();
  host.kube.fail_next("patch", "v1/services/status", down(), 2);
  run();
  EXPECT_TRUE(times().empty());
  advance(seconds(30));
  ASSERT_NE(address("web"), "");
  EXPECT_EQ(times().size(), 1U);
}

TEST_F(TimeToAddressTest, AServiceThatChangesItsTypeCountsFromTheChange) {
  put(created("web"));
  change_type("web", "ClusterIP");
  start();
  run();
  advance(minutes(10));
  host.load_balancers.created_state = LoadBalancerState::pending;
  host.load_balancers.pending_retry = seconds(2);
  change_type("web", "LoadBalancer");
  run();
  host.load_balancers.activate("uid-of-web");
  advance(seconds(2));
  EXPECT_EQ(times(), Times{2});
}

TEST_F(TimeToAddressTest, ANewAddressCountsOnlyAfterTheLoadBalancerWasDeleted) {
  put(created("web"));
  start();
  run();
  EXPECT_EQ(times(), Times{40});
  change_type("web", "ClusterIP");
  change_type("web", "LoadBalancer");
  run();
  ASSERT_NE(address("web"), "");
  EXPECT_EQ(times(), Times{40});
  change_type("web", "ClusterIP");
  run();
  ASSERT_TRUE(host.load_balancers.balancers.empty());
  change_type("web", "LoadBalancer");
  run();
  ASSERT_NE(address("web"), "");
  EXPECT_EQ(times(), (Times{40, 0}));
}

TEST_F(TimeToAddressTest, AnotherAddressInAnAuditIsNotTheFirst) {
  put(created("web"));
  start();
  run();
  host.load_balancers.balancers.clear();
  advance(minutes(34));
  EXPECT_EQ(address("web"), "203.0.113.2");
  EXPECT_EQ(times(), Times{40});
}

TEST_F(TimeToAddressTest, NothingForAddressesOfBeforeARestart) {
  put(created("web"));
  start();
  run();
  start();
  edit("web", [](Json& service) { service["spec"]["ports"][0]["port"] = 81; });
  run();
  change_type("web", "LoadBalancer");  // lost, and written again
  run();
  ASSERT_NE(address("web"), "");
  EXPECT_EQ(times(), Times{40});
}

TEST_F(TimeToAddressTest, AWaitThatARestartInterruptsIsWhole) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  host.load_balancers.pending_retry = seconds(2);
  put(created("web"));
  start();
  run();
  start();
  host.load_balancers.activate("uid-of-web");
  run();
  ASSERT_NE(address("web"), "");
  EXPECT_EQ(times(), Times{40});
}

TEST_F(TimeToAddressTest, OneThatIsGoneWaitsForNothing) {
  host.load_balancers.created_state = LoadBalancerState::pending;
  host.load_balancers.pending_retry = seconds(2);
  put(created("web"));
  start();
  run();
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
  EXPECT_TRUE(times().empty());
}

}  // namespace
}  // namespace ccm::service
