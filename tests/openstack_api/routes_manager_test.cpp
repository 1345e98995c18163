// Routes by the real manager with openstack.so and route.so.
#include "openstack_api/manager_fixture.hpp"

#include <chrono>
#include <set>
#include <string>
#include <thread>

namespace ccm::openstack_api {
namespace {

constexpr int kNodes = 40;

class OpenStackRoutesManagerTest : public OpenStackManagerTest {
 protected:
  void start_routes() {
    write_conf("secret", "[Route]\nrouter-id = " +
                             cloud_.facts().at("ids").at("router").get<std::string>() + "\n");
    start("cloud-node-controller,cloud-node-lifecycle-controller,node-route-controller",
          {"--cluster-cidr=10.244.0.0/16", "--route-reconciliation-period=1s",
           "--node-monitor-period=1s"});
  }
  // The destinations of the router's routes.
  std::set<std::string> destinations() {
    std::set<std::string> found;
    cloud_.with([&](Cloud& cloud) {
      const std::string id = cloud_.facts().at("ids").at("router");
      for (const json& route : cloud.region().network.records("routers").find(id)->at("routes")) {
        found.insert(route.at("destination"));
      }
    });
    return found;
  }
  int64_t calls(const std::string& method, const std::string& pattern) {
    int64_t count = 0;
    cloud_.with([&](Cloud& cloud) { count = cloud.calls(method, pattern); });
    return count;
  }
  int64_t networked() {
    int64_t count = 0;
    const auto nodes = api_.get("/api/v1/nodes");
    for (const json& node : nodes.body.at("items")) {
      for (const json& condition : node.at("status").value("conditions", json::array())) {
        count += condition.at("type") == "NetworkUnavailable" && condition.at("status") == "False";
      }
    }
    return count;
  }
};

TEST_F(OpenStackRoutesManagerTest, OS_177_181_195_RoutesComeAndGoWithNodesAndForeignOnesStay) {
  const auto ids = add_servers("worker-", kNodes, "private");
  cloud_.with([&](Cloud& cloud) {
    cloud.latency = milliseconds(20);
    cloud.region().network.most_routes = 600;
    const std::string id = cloud_.facts().at("ids").at("router");
    json& router = *cloud.region().network.records("routers").find(id);
    router["routes"].push_back({{"destination", "10.244.200.0/24"}, {"nexthop", "10.10.0.2"}});
    cloud.clear_log();
  });
  for (int i = 0; i < kNodes; ++i) {
    join("worker-" + std::to_string(i), "openstack:///" + ids[i],
         "10.244." + std::to_string(i) + ".0/24");
    if (HasFatalFailure()) return;
  }
  start_routes();
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return networked() == kNodes; }))
      << networked() << " of " << kNodes << tail(manager_->log());
  EXPECT_EQ(destinations().size(), kNodes + 1U);
  EXPECT_LE(calls("PUT", "/add_extraroutes"), 6);
  EXPECT_EQ(calls("PUT", "/ports/"), kNodes);

  // A new process writes nothing.
  manager_->stop();
  cloud_.with([](Cloud& cloud) { cloud.clear_log(); });
  start_routes();
  ASSERT_TRUE(support::eventually(support::patience(),
                                  [&] { return calls("GET", "/routers/[^/]*$") >= 3; }));
  cloud_.with([](Cloud& cloud) { EXPECT_EQ(cloud.writes(), 0); });

  // Nor does it forget whose routes these are: the machine went while no manager ran.
  manager_->stop();
  cloud_.with([&](Cloud& cloud) { cloud.region().compute.remove_server(ids[7]); });
  ASSERT_EQ(api_.remove("/api/v1/nodes/worker-7").status, 200);
  start_routes();
  EXPECT_TRUE(support::eventually(support::patience(),
                                  [&] { return !destinations().contains("10.244.7.0/24"); }));
  EXPECT_EQ(destinations().size(), static_cast<std::size_t>(kNodes));
  EXPECT_TRUE(destinations().contains("10.244.200.0/24"));
}

// A kubelet registers its own Node with another Node's server, spelt with the region.
TEST_F(OpenStackRoutesManagerTest, Issue37_AnotherSpellingOfAProviderIdIsNoOtherServer) {
  const auto ids = add_servers("worker-", 1, "private");
  join("worker-0", "openstack:///" + ids[0], "10.244.1.0/24");
  start_routes();
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return networked() == 1; }))
      << tail(manager_->log());
  const auto second = std::chrono::seconds(1);  // the resolution of the Nodes' ages
  std::this_thread::sleep_for(second);
  join("evil", "openstack://RegionOne/" + ids[0], "10.244.2.0/24");
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    return has_event("evil", "InstanceOfAnotherNode");
  })) << tail(manager_->log());
  EXPECT_EQ(destinations(), std::set<std::string>{"10.244.1.0/24"});
  cloud_.with([](Cloud& cloud) {
    for (const json& port : cloud.region().network.records("ports")) {
      EXPECT_EQ(port.dump().find("10.244.2.0"), std::string::npos) << port;
    }
  });
}

TEST_F(OpenStackRoutesManagerTest, OS_113_WithoutARouterNothingElseIsDifferent) {
  const auto ids = add_servers("worker-", 1);
  join("worker-0", "openstack:///" + ids[0]);
  write_conf();
  start("cloud-node-controller,node-route-controller");  // and no --cluster-cidr
  EXPECT_TRUE(
      support::eventually(support::patience(), [&] { return initialised("worker-") == 1; }));
  EXPECT_NE(manager_->log().find("does not offer routes"), std::string::npos)
      << tail(manager_->log());
}

}  // namespace
}  // namespace ccm::openstack_api
