// State that components share, interfaces after the log-in, and the end of a provider.
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;
using testing::FakePlugin;
using testing::plugin_of;

std::vector<std::string> steps;

struct Session {
  explicit Session(Host& h) : host(h) {
    if (fails) throw std::runtime_error("no session");
    steps.emplace_back("open");
  }
  ~Session() { steps.emplace_back("close"); }
  static inline bool fails = false;
  Host& host;
  std::string token;
};

struct Provider {
  Provider(Host&, Session& s) : session(s) { steps.emplace_back("provider"); }
  ~Provider() { steps.emplace_back("~provider"); }
  Status initialize(const Ctx&) {
    session.token = "t";
    return {};
  }
  bool offers(std::string_view id) {
    if (broken) throw std::runtime_error("no catalog");
    return session.token == "t" && (id == CCM_CLOUD_INSTANCES || everything);
  }
  Result<InstanceList> list(const Ctx&) {
    InstanceList list;
    list.instances.resize(1);
    list.unknown_prefixes = {"test://region-2/"};
    return list;
  }
  Result<InstanceLimits> instance_limits(const Ctx&) {
    InstanceLimits limits;
    limits.timeout = std::chrono::seconds(20);
    limits.list_timeout = std::chrono::minutes(3);
    limits.batch = 50;
    limits.parallel = 4;
    return limits;
  }
  Result<LoadBalancer> ensure_load_balancer(const Ctx&, const LoadBalancerService&,
                                            const Backends&) {
    LoadBalancer so_far;
    so_far.state = LoadBalancerState::pending;
    so_far.id = "lb-7";
    so_far.annotations = {{"a", "b"}};
    return {Status(Code::unavailable, ErrorClass::unavailable, "the second step failed"), so_far};
  }
  Result<LoadBalancer> observe_load_balancer(const Ctx&, const LoadBalancerService&,
                                             const Backends&) {
    LoadBalancer shared;
    shared.state = LoadBalancerState::shared;
    return shared;
  }
  Status delete_load_balancer(const Ctx&, const LoadBalancerService&) { return {}; }
  Result<std::string> load_balancer_lane(const Ctx&, const LoadBalancerService& service) {
    return "lb/" + service.id;
  }
  Result<LoadBalancerLimits> load_balancer_limits(const Ctx&) {
    LoadBalancerLimits limits;
    limits.timeout = std::chrono::minutes(5);
    limits.parallel = 2;
    return limits;
  }
  Result<std::vector<Route>> list_routes(const Ctx&, const std::string&) {
    return std::vector<Route>();
  }
  Result<std::vector<Status>> apply_routes(const Ctx&, const std::string&,
                                           const std::vector<Route>&, const std::vector<Route>&) {
    return std::vector<Status>();
  }
  Result<RouteLimits> route_limits(const Ctx&) {
    RouteLimits limits;
    limits.timeout = std::chrono::minutes(9);
    return limits;
  }
  Status shutdown(const Ctx& ctx) {
    EXPECT_FALSE(ctx.cancelled());
    steps.push_back("shutdown " + session.token);
    return {};
  }
  static inline bool broken = false;
  static inline bool everything = false;
  Session& session;
};

struct Firewall {
  Firewall(Host&, Session& s) : session(s) { steps.emplace_back("firewall"); }
  ~Firewall() { steps.emplace_back("~firewall"); }
  Status setup(Setup&) { return {}; }
  Status reconcile(const Ctx&, const Request&) { return Status(Code::aborted, session.token); }
  Session& session;
};

constexpr auto entries =
    detail::entries_of(shared<Session>(), component<Provider, Session>("cloud"),
                       component<Firewall, Session>("firewall"));

const ccm_plugin* plugin() {
  static const ccm_plugin made =
      detail::PluginAdapter<entries>::plugin(testing::test_manifest(Dispatch::loop));
  return &made;
}

class SharedState : public ::testing::Test {
 protected:
  SharedState() {
    steps.clear();
    Session::fails = false;
    Provider::broken = false;
    Provider::everything = false;
  }
  FakeHost host;
};

TEST_F(SharedState, R_50_ItIsOpenedFirstAndClosedLast) {
  {
    FakePlugin opened(host, plugin());
    FakeComponent provider(opened, "cloud");
    FakeComponent firewall(opened, "firewall");
    ASSERT_TRUE(provider.initialize().ok());
    const auto table = firewall.interface<ccm_controller>(CCM_CONTROLLER);
    EXPECT_TRUE(table);
    firewall.destroy();
    ASSERT_TRUE(provider.shutdown().ok());
    provider.destroy();
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"open", "provider", "firewall", "~firewall",
                                             "shutdown t", "~provider", "close"}));
}

TEST_F(SharedState, AFailureToOpenFailsTheComponents) {
  Session::fails = true;
  FakePlugin opened(host, plugin());
  EXPECT_EQ(opened.opened().message(), "unhandled exception: no session");
  FakeComponent provider(opened, "cloud");
  EXPECT_FALSE(provider.created().ok());
  EXPECT_TRUE(steps.empty());
}

TEST_F(SharedState, APluginThatSharesNothingIsNotOpened) {
  struct Alone {
    explicit Alone(Host&) {}
    Status initialize(const Ctx&) { return {}; }
  };
  const ccm_plugin* alone = plugin_of<Alone, Dispatch::loop>();
  EXPECT_EQ(function_of(alone, &ccm_plugin::open), nullptr);
  EXPECT_EQ(function_of(alone, &ccm_plugin::close), nullptr);
}

TEST_F(SharedState, R_61_InterfacesDependOnWhatTheLogInFound) {
  FakeComponent provider(host, plugin(), "cloud");
  EXPECT_FALSE(provider.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES));
  EXPECT_TRUE(provider.interface<ccm_provider>(CCM_PROVIDER));
  ASSERT_TRUE(provider.initialize().ok());
  EXPECT_TRUE(provider.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES));
  EXPECT_FALSE(provider.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES));
  Provider::broken = true;
  EXPECT_FALSE(provider.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES));
  EXPECT_TRUE(host.log.contains("no catalog"));
}

TEST_F(SharedState, R_72_AListingSaysWhichInstancesAreUnknown) {
  FakeComponent provider(host, plugin(), "cloud");
  ASSERT_TRUE(provider.initialize().ok());
  const auto listing = provider.list();
  ASSERT_TRUE(listing.ok());
  EXPECT_EQ(listing->instances.size(), 1U);
  EXPECT_EQ(listing->unknown_prefixes, std::vector<std::string>{"test://region-2/"});
}

class ProviderTables : public SharedState {
 protected:
  ProviderTables() {
    Provider::everything = true;
    EXPECT_TRUE(provider.initialize().ok());
  }
  template <typename Call>
  typename Call::Output finish(Call call) {
    return provider.finish(provider.start("call", std::move(call)));
  }
  Service<ccm_cloud_loadbalancers> balancers() {
    return provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  }
  FakeComponent provider{host, plugin(), "cloud"};
  LoadBalancerService web;
};

TEST_F(ProviderTables, R_95_AFailedEnsureCarriesWhatWasMade) {
  const LoadBalancers::Apply ensure{
      balancers(), &ccm_cloud_loadbalancers::ensure, "ensure", provider.ctx(), web, {}};
  const auto failed = finish(ensure);
  EXPECT_EQ(failed.status().message(), "the second step failed");
  ASSERT_NE(failed.partial(), nullptr);
  EXPECT_EQ(failed.partial()->id, "lb-7");
  EXPECT_EQ(failed.partial()->annotations.size(), 1U);
}

TEST_F(ProviderTables, R_93_ALoadBalancerMayBeShared) {
  const LoadBalancers::Apply observe{
      balancers(), &ccm_cloud_loadbalancers::observe, "observe", provider.ctx(), web, {}};
  EXPECT_EQ(finish(observe)->state, LoadBalancerState::shared);
  web.id = "7";
  EXPECT_EQ(*finish(LoadBalancers::Lane{balancers(), provider.ctx(), web}), "lb/7");
}

TEST_F(ProviderTables, R_62_LimitsSayHowLongAnOperationMayTake) {
  const auto balancer_limits = finish(LoadBalancers::Limits{balancers(), provider.ctx()});
  EXPECT_EQ(balancer_limits->timeout, std::chrono::minutes(5));
  EXPECT_EQ(balancer_limits->parallel, 2);
  const auto instances = provider.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES);
  const auto instance_limits = finish(Instances::Limits{instances, provider.ctx()});
  EXPECT_EQ(instance_limits->timeout, std::chrono::seconds(20));
  EXPECT_EQ(instance_limits->list_timeout, std::chrono::minutes(3));
  EXPECT_EQ(instance_limits->batch, 50);
  EXPECT_EQ(instance_limits->parallel, 4);
  const auto routes = provider.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  EXPECT_EQ(finish(Routes::Limits{routes, provider.ctx()})->timeout, std::chrono::minutes(9));
}

TEST(Result, AFailureMayCarryAPart) {
  const Result<int> plain = Status(Code::aborted, "no");
  EXPECT_EQ(plain.partial(), nullptr);
  const Result<int> half(Status(Code::aborted, "no"), 7);
  EXPECT_FALSE(half.ok());
  EXPECT_EQ(*half.partial(), 7);
  const Result<int> whole = 9;
  EXPECT_EQ(whole.partial(), nullptr);
}

}  // namespace
}  // namespace ccm
