// Load balancers and routes of a plain class, through the C ABI and back.
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;

LoadBalancer full_balancer() {
  LoadBalancer balancer;
  balancer.state = LoadBalancerState::pending;
  balancer.retry_after = std::chrono::milliseconds(1'500);
  balancer.id = "lb-1";
  balancer.name = "web";
  balancer.difference = "ports";
  balancer.ingress = {{"192.0.2.1", "", "Proxy", {{"TCP", "Busy", 80}, {"UDP", "", 53}}},
                      {"", "lb.example", "", {}}};
  balancer.annotations = {{"a.example/b", "c"}};
  balancer.node_labels = {"pool", "topology.kubernetes.io/zone"};
  balancer.no_members = "no Node has an IPv4 address";
  return balancer;
}

// BlockingNetwork, with the least that makes load balancers and routes. It keeps what it was given.
struct BlockingNetwork {
  explicit BlockingNetwork(Host&) {}
  Result<LoadBalancer> ensure_load_balancer(const Ctx&, LoadBalancerService service,
                                            Backends backends) {
    if (service.name == "throws") throw std::runtime_error("no");
    seen_service = std::move(service);
    seen_backends = std::move(backends);
    return full_balancer();
  }
  Status delete_load_balancer(const Ctx&, const LoadBalancerService&) {
    return Status(Code::unavailable, ErrorClass::waiting, "soon");
  }
  Result<std::vector<Route>> list_routes(const Ctx&, const std::string& cluster_name) {
    Route route;
    route.id = cluster_name;
    route.destination_cidr = "10.0.0.0/24";
    route.target_node = "a";
    route.target_addresses = {{"InternalIP", "10.1.0.1"}};
    route.owned = true;
    return std::vector<Route>{route, Route()};
  }
  Result<std::vector<Status>> apply_routes(const Ctx&, const std::string&,
                                           std::vector<Route> removals,
                                           std::vector<Route> additions) {
    std::vector<Status> statuses(removals.size() + additions.size());
    if (removals.size() == 1 && additions.size() == 1 && removals[0].owned) {
      statuses[1] = Status(Code::resource_exhausted, ErrorClass::quota, additions[0].name_hint);
    }
    return statuses;
  }
  static inline LoadBalancerService seen_service;
  static inline Backends seen_backends;
};

struct OnlyEnsure {
  explicit OnlyEnsure(Host&) {}
  Result<LoadBalancer> ensure_load_balancer(const Ctx&, const LoadBalancerService&,
                                            const Backends&) {
    return full_balancer();
  }
  Result<std::vector<Instance>> list(const Ctx&) { return std::vector<Instance>(); }
};

// Its routes depend on its configuration.
struct RoutesSometimes {
  explicit RoutesSometimes(Host& host) : offered(host.config.flag("routes") == "true") {}
  [[nodiscard]] bool offers(std::string_view id) const { return id != CCM_CLOUD_ROUTES || offered; }
  Result<std::vector<Route>> list_routes(const Ctx&, const std::string&) {
    return std::vector<Route>();
  }
  Result<std::vector<Status>> apply_routes(const Ctx&, const std::string&, std::vector<Route>,
                                           std::vector<Route>) {
    return std::vector<Status>();
  }
  bool offered;
};

class NetworkAdapterTest : public ::testing::Test {
 protected:
  ~NetworkAdapterTest() override {
    BlockingNetwork::seen_service = {};
    BlockingNetwork::seen_backends = {};
    EXPECT_TRUE(host.faults().empty());
  }
  Result<LoadBalancer> ensure(LoadBalancerService service, Backends backends) {
    const auto table = component.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    return component.finish(component.start(
        "ensure", LoadBalancers::Apply{table, &ccm_cloud_loadbalancers::ensure, "ensure",
                                       component.ctx(), std::move(service), std::move(backends)}));
  }

  FakeHost host;
  FakeComponent component{host, testing::plugin_of<BlockingNetwork, Dispatch::workers>(), "test"};
};

TEST_F(NetworkAdapterTest, EveryMemberCrossesBothWays) {
  LoadBalancerService service;
  service.name = "web";
  service.namespace_name = "default";
  service.uid = "u";
  service.cluster_name = "c";
  service.id = "lb-0";
  service.adopt_id = "old";
  service.default_name = "au";
  service.class_name = "fast";
  service.requested_ip = "192.0.2.9";
  service.ports = {{"http", "TCP", "http", 80, 30080}, {"", "UDP", "", 53, 0}};
  service.source_ranges = {"10.0.0.0/8", "::/0"};
  service.ip_families = {"IPv6", "IPv4"};
  service.parameters = {{"size", "2"}};
  service.local_traffic = true;
  service.client_ip_affinity = true;
  service.node_ports = false;
  service.health_check_node_port = 31000;
  service.affinity_timeout = std::chrono::seconds(90);
  service.object = host.objects.make(R"({"metadata":{"name":"web"}})");
  const std::vector<Backend> backends{
      {"a", "test://a", {{"InternalIP", "10.1.0.1"}, {"Hostname", "a"}}, {}}, {"b", "", {}, {}}};
  const auto made = ensure(service, backends);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(*made, full_balancer());
  const LoadBalancerService& seen = BlockingNetwork::seen_service;
  EXPECT_EQ(seen.name + seen.namespace_name + seen.uid + seen.cluster_name, "webdefaultuc");
  EXPECT_EQ(seen.id + seen.adopt_id + seen.default_name + seen.class_name, "lb-0oldaufast");
  EXPECT_EQ(seen.requested_ip, "192.0.2.9");
  EXPECT_EQ(seen.ports, service.ports);
  EXPECT_EQ(seen.source_ranges, service.source_ranges);
  EXPECT_EQ(seen.ip_families, service.ip_families);
  EXPECT_EQ(seen.parameters, service.parameters);
  EXPECT_TRUE(seen.local_traffic && seen.client_ip_affinity && !seen.node_ports);
  EXPECT_EQ(seen.health_check_node_port, 31000);
  EXPECT_EQ(seen.affinity_timeout, std::chrono::seconds(90));
  EXPECT_EQ(seen.object.name(), "web");
  ASSERT_EQ(BlockingNetwork::seen_backends.size(), 2u);
  EXPECT_EQ(BlockingNetwork::seen_backends[0].addresses, backends[0].addresses);
  EXPECT_EQ(BlockingNetwork::seen_backends[0].provider_id, "test://a");
}

TEST_F(NetworkAdapterTest, RoutesThatAreNotOfferedAreNotThere) {
  for (const char* offered : {"false", "true"}) {
    host.config.set_flag("routes", offered);
    const FakeComponent sometimes(host, testing::plugin_of<RoutesSometimes, Dispatch::workers>(),
                                  "test");
    EXPECT_EQ(static_cast<bool>(sometimes.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES)),
              offered == std::string_view("true"));
  }
}

TEST_F(NetworkAdapterTest, FailuresAndExceptionsAreStatuses) {
  LoadBalancerService service;
  service.name = "throws";
  EXPECT_EQ(ensure(service, {}).status().code(), Code::internal);
  const auto table = component.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  const Status removed = component.finish(
      component.start("remove", LoadBalancers::Remove{table, component.ctx(), service}));
  EXPECT_EQ(removed.error_class(), ErrorClass::waiting);
}

TEST_F(NetworkAdapterTest, RoutesCrossBothWays) {
  const auto table = component.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  const auto listed =
      component.finish(component.start("list", Routes::List{table, component.ctx(), "c"}));
  ASSERT_TRUE(listed.ok());
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ(listed->front().id, "c");
  EXPECT_TRUE(listed->front().owned);
  EXPECT_FALSE(listed->back().owned || listed->front().blackhole);
  EXPECT_EQ(listed->front().target_addresses[0].address, "10.1.0.1");
  Route added;
  added.name_hint = "hint";
  const auto outcome = component.finish(component.start(
      "apply", Routes::Apply{table, component.ctx(), "c", {listed->front()}, {added}}));
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE((*outcome)[0].ok());
  EXPECT_EQ((*outcome)[1].error_class(), ErrorClass::quota);
  EXPECT_EQ((*outcome)[1].message(), "hint");
}

TEST_F(NetworkAdapterTest, OnlyWhatTheClassHasIsFilled) {
  const auto balancers = component.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  EXPECT_NE(balancers.get(&ccm_cloud_loadbalancers::remove), nullptr);
  EXPECT_EQ(balancers.get(&ccm_cloud_loadbalancers::observe), nullptr);
  EXPECT_EQ(balancers.get(&ccm_cloud_loadbalancers::update_backends), nullptr);
  EXPECT_EQ(balancers.get(&ccm_cloud_loadbalancers::name), nullptr);
  EXPECT_EQ(balancers.get(&ccm_cloud_loadbalancers::limits), nullptr);
  EXPECT_EQ(component.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES).get(&ccm_cloud_routes::limits),
            nullptr);
  FakeComponent half(host, testing::plugin_of<OnlyEnsure, Dispatch::workers>(), "test");
  ASSERT_TRUE(half.created().ok());
  EXPECT_FALSE(half.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS));
  EXPECT_FALSE(half.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES));
}

}  // namespace
}  // namespace ccm
