// Load balancers by the real manager, on the services of OpenStack or on their fake.
#include "openstack/services_manager.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ccm::openstack_contract {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kIdAnnotation = "loadbalancer.openstack.org/load-balancer-id";
constexpr const char* kInternal = "service.beta.kubernetes.io/openstack-internal-load-balancer";
constexpr int kMany = 26;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string name_of(int number) { return "web-" + std::to_string(number); }

class OpenStackLoadBalancersTest : public ServicesManagerTest {
 protected:
  void start_services(const std::string& options = "") {
    start_all("[LoadBalancer]\ncreate-monitor = true\n" + options);
  }
  void remove_service(const std::string& name) {
    ASSERT_EQ(api_.remove(std::string(openstack_api::kServicesPath) + "/" + name).status, 200);
  }
  bool has_address(const std::string& name) {
    return eventually([&] { return !address(name).empty(); });
  }
  std::set<std::string> listeners() const {
    std::set<std::string> found;
    for (const json& each : balancing("listeners")) {
      found.insert(each.at("protocol").get<std::string>() + " " +
                   std::to_string(each.at("protocol_port").get<int>()));
    }
    return found;
  }
  int served(int services) {
    int count = 0;
    for (int i = 0; i < services; ++i) count += address(name_of(i)).empty() ? 0 : 1;
    return count;
  }

  // The requests that the manager makes for a Service of one port, by a client that does nothing
  // else. Returns the load balancer's ID.
  std::string make_by_hand(int number) const {
    json members = json::array();
    for (int i = 0; i < 3; ++i) {
      members.push_back(
          {{"address", "10.10.0." + std::to_string(200 + i)}, {"protocol_port", 30'000 + number}});
    }
    const json monitor = {{"type", "TCP"}, {"delay", 5}, {"timeout", 3}, {"max_retries", 1}};
    const json pool = {{"name", "pool"},
                       {"protocol", "TCP"},
                       {"lb_algorithm", "ROUND_ROBIN"},
                       {"healthmonitor", monitor},
                       {"members", members}};
    const json listener = {{"protocol", "TCP"}, {"protocol_port", 80}, {"default_pool", pool}};
    const json made = demo_
                          .make("load-balancer", "/v2.0/lbaas/loadbalancers",
                                {{"loadbalancer",
                                  {{"name", "by-hand-" + std::to_string(number)},
                                   {"vip_subnet_id", id("private-v4")},
                                   {"listeners", json::array({listener})}}}})
                          .at("loadbalancer");
    const std::string path = "/v2.0/lbaas/loadbalancers/" + made.at("id").get<std::string>();
    EXPECT_TRUE(eventually([&] {
      return demo_.get("load-balancer", path).at("loadbalancer").at("provisioning_status") ==
             "ACTIVE";
    }));
    demo_.make("network", "/v2.0/floatingips",
               {{"floatingip",
                 {{"floating_network_id", id("public")}, {"port_id", made.at("vip_port_id")}}}});
    return made.at("id");
  }
  // Seconds until all are there.
  double make_many_by_hand() {
    const auto start = Clock::now();
    std::atomic<int> next = 0;
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&] {
        for (int number = next++; number < kMany; number = next++) make_by_hand(number);
      });
    }
    for (std::thread& client : clients) client.join();
    return seconds_since(start);
  }
  void remove_many_by_hand() {
    for (const json& floating : networking("floatingips")) {
      demo_.remove("network", "/v2.0/floatingips/" + floating.at("id").get<std::string>());
    }
    for (const json& each : balancing("loadbalancers")) {
      demo_.remove("load-balancer", "/v2.0/lbaas/loadbalancers/" +
                                        each.at("id").get<std::string>() + "?cascade=true");
    }
    ASSERT_TRUE(eventually([&] { return balancing("loadbalancers").empty(); }));
  }
};

TEST_F(OpenStackLoadBalancersTest, OS_196_225_246_264_282_309_EachKindOfService) {
  start_services();
  join_all();
  serve("shop", json::object(),
        {{"ports", json::array({{{"name", "http"}, {"port", 80}, {"protocol", "TCP"}},
                                {{"name", "https"}, {"port", 443}, {"protocol", "TCP"}}})},
         {"loadBalancerSourceRanges", {"198.51.100.0/24"}}});
  serve("inner", {{kInternal, "true"}},
        {{"ports", json::array({{{"port", 81}, {"protocol", "TCP"}}})}});
  serve("names", json::object(),
        {{"ports", json::array({{{"name", "udp"}, {"port", 53}, {"protocol", "UDP"}},
                                {{"name", "tcp"}, {"port", 53}, {"protocol", "TCP"}}})}});
  for (const char* name : {"shop", "inner", "names"}) {
    ASSERT_TRUE(has_address(name)) << name << tail(manager_->log());
  }
  EXPECT_TRUE(address("shop").starts_with("203.0.113."));
  EXPECT_TRUE(address("names").starts_with("203.0.113."));
  EXPECT_TRUE(address("inner").starts_with("10.10.0."));
  EXPECT_EQ(address("inner"), balancer_of("inner").at("vip_address"));
  EXPECT_EQ(networking("floatingips").size(), 2U);
  const std::string shop = balancer_of("shop").at("id");
  EXPECT_EQ(service("shop")["metadata"]["annotations"].value(kIdAnnotation, ""), shop);
  for (const json& listener : balancing("listeners", "?loadbalancer_id=" + shop)) {
    EXPECT_EQ(listener.at("allowed_cidrs"), json::array({"198.51.100.0/24"}));
  }

  // Another one on the first one's load balancer.
  serve("guest", {{kIdAnnotation, shop}},
        {{"ports", json::array({{{"port", 82}, {"protocol", "TCP"}}})}});
  ASSERT_TRUE(has_address("guest")) << tail(manager_->log());
  EXPECT_EQ(address("guest"), address("shop"));
  EXPECT_EQ(balancing("loadbalancers").size(), 3U);
  EXPECT_EQ(listeners(),
            (std::set<std::string>{"TCP 80", "TCP 443", "TCP 81", "UDP 53", "TCP 53", "TCP 82"}));
  EXPECT_EQ(members(), (std::multiset<std::size_t>{3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(balancing("healthmonitors").size(), 6U);

  // A Node leaves: one write for each pool.
  cloud_->forget();
  ASSERT_EQ(api_.remove("/api/v1/nodes/node-2").status, 200);
  EXPECT_TRUE(eventually([&] { return members() == std::multiset<std::size_t>{2, 2, 2, 2, 2, 2}; }))
      << tail(manager_->log());
  EXPECT_EQ(cloud_->requests("PUT", "/pools/[^/]*/members"), 6);

  // The first one leaves, and the second one keeps address and listener.
  const std::string shared = address("guest");
  remove_service("shop");
  ASSERT_TRUE(eventually([&] { return service("shop").value("kind", "") == "Status"; }))
      << tail(manager_->log());
  EXPECT_EQ(listeners(), (std::set<std::string>{"TCP 81", "UDP 53", "TCP 53", "TCP 82"}));
  EXPECT_EQ(address("guest"), shared);
  for (const char* name : {"inner", "names", "guest"}) remove_service(name);
  EXPECT_TRUE(eventually([&] { return balancing("loadbalancers").empty(); }))
      << tail(manager_->log());
  EXPECT_TRUE(eventually([&] { return networking("floatingips").empty(); }));
}

TEST_F(OpenStackLoadBalancersTest, OS_124_222_SecurityGroupsOnTheNodesPorts) {
  start_services("manage-security-groups = true\n");
  join_all();
  serve("shop");
  ASSERT_TRUE(has_address("shop")) << tail(manager_->log());
  const std::string uid = service("shop").at("metadata").at("uid");
  const json groups = networking("security-groups", "?name=lb-sg-" + uid + "-default-shop");
  ASSERT_EQ(groups.size(), 1U);
  const std::string group = groups.at(0).at("id");
  for (int i = 0; i < 3; ++i) {
    const json port = networking("ports", "?device_id=" + id("node-" + std::to_string(i))).at(0);
    const json& its = port.at("security_groups");
    EXPECT_EQ(std::count(its.begin(), its.end(), group), 1) << port;
  }
  remove_service("shop");
  EXPECT_TRUE(eventually([&] { return networking("security-groups", "?id=" + group).empty(); }))
      << tail(manager_->log());
}

// Octavia leaves a port when it refuses a load balancer for its parts. The manager lets that happen
// once.
TEST_F(OpenStackLoadBalancersTest, OS_384_AQuotaOfListenersIsTakenUpAgain) {
  const std::string path =
      "/v2.0/lbaas/quotas/" + cloud_->facts().at("projects").at("demo").get<std::string>();
  const Client admin(cloud_->facts(), "admin", "admin");
  const std::size_t ports = networking("ports", "?device_owner=Octavia").size();
  ASSERT_EQ(admin.send("PUT", "load-balancer", path, {{"quota", {{"listener", 1}}}}).status, 202);
  start_services();
  join_all();
  serve("shop", json::object(),
        {{"ports", json::array({{{"name", "http"}, {"port", 80}, {"protocol", "TCP"}},
                                {{"name", "https"}, {"port", 443}, {"protocol", "TCP"}}})}});
  EXPECT_TRUE(eventually([&] { return has_event("shop", "SyncLoadBalancerFailed"); }))
      << tail(manager_->log());
  EXPECT_EQ(listeners(), std::set<std::string>{"TCP 80"});
  EXPECT_EQ(admin.send("DELETE", "load-balancer", path).status, 202);
  manager_->stop();
  start_services();
  EXPECT_TRUE(has_address("shop")) << tail(manager_->log());
  EXPECT_EQ(listeners(), (std::set<std::string>{"TCP 80", "TCP 443"}));
  remove_service("shop");
  EXPECT_TRUE(eventually([&] { return balancing("loadbalancers").empty(); }));
  const json left = networking("ports", "?device_owner=Octavia");
  EXPECT_EQ(left.size(), ports + 1);
  for (const json& port : left) {
    demo_.remove("network", "/v2.0/ports/" + port.at("id").get<std::string>());
  }
}

// The Go manager takes them one after the other, and waits for each (OS-330).
TEST_F(OpenStackLoadBalancersTest, OS_253_330_404_409_ManyAtOnceAndARestartWritesNothing) {
  const double by_hand = make_many_by_hand();
  remove_many_by_hand();
  start_services();
  join_all();
  cloud_->forget();
  const auto start = Clock::now();
  for (int i = 0; i < kMany; ++i) serve(name_of(i));
  ASSERT_TRUE(eventually([&] { return served(kMany) == kMany; }))
      << served(kMany) << " of " << kMany << tail(manager_->log());
  std::printf("%d load balancers: the last address after %.1f s, by hand %.1f s\n", kMany,
              seconds_since(start), by_hand);
  EXPECT_EQ(cloud_->requests("POST", "/lbaas/loadbalancers"), kMany);
  EXPECT_EQ(balancing("loadbalancers").size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(networking("floatingips").size(), static_cast<std::size_t>(kMany));

  manager_->stop();
  cloud_->forget();
  const json before = service(name_of(0));
  start_services();
  ASSERT_TRUE(eventually([&] { return cloud_->requests("GET", "/floatingips") >= kMany; }))
      << tail(manager_->log());
  EXPECT_EQ(cloud_->writes(), 0);
  EXPECT_EQ(service(name_of(0))["metadata"]["resourceVersion"],
            before["metadata"]["resourceVersion"]);

  for (int i = 0; i < kMany; ++i) remove_service(name_of(i));
  EXPECT_TRUE(eventually([&] { return balancing("loadbalancers").empty(); }))
      << tail(manager_->log());
}

}  // namespace
}  // namespace ccm::openstack_contract
