// Disturbances in the middle of a load balancer's life, at any call of it, with security groups
// and monitors.
#include "load_balancers_fixture.hpp"
#include "openstack_api/ask.hpp"

#include <functional>

namespace ccm::openstack {
namespace {

constexpr const char* kServices = "/(networking|load-balancer)/";

class OpenStackFaultsTest : public OpenStackLoadBalancersTest {
 protected:
  // Made, changed, and deleted, by a new process. Returns how many calls that took until the end
  // began.
  int64_t live(const std::function<void()>& prepare) {
    known_id.clear();
    start("manage-security-groups = true\ncreate-monitor = true\n");
    prepare();
    ensured(web(1), nodes(3));
    ensured(web(2), nodes(2));
    EXPECT_EQ(owned(), whole_);
    const int64_t until_whole = calls(kServices);
    LoadBalancerService recorded = web(2);
    recorded.id = known_id;
    EXPECT_TRUE(removed(recorded));
    cloud.faults.clear();
    cloud.observer = nullptr;
    EXPECT_EQ(owned(), nothing_);
    return until_whole;
  }
  // As often as an undisturbed life has calls, with one more before the disturbance each time. A
  // removal is the subject of load_balancers_removal_test.cpp.
  void at_each_call(const std::function<void(int)>& disturb) {
    const int64_t all = live([] {});
    EXPECT_GT(all, 30);
    for (int spared = 0; spared < all && !HasFailure(); ++spared) {
      SCOPED_TRACE("after " + std::to_string(spared) + " calls");
      live([&] { disturb(spared); });
    }
  }
  // Under way at once: first that of web(), then that of `other_`.
  auto two_creations() {
    const Backends backends(nodes());
    auto first = provider->start_ensure_load_balancer(provider->ctx(), web(), backends);
    auto second = provider->start_ensure_load_balancer(provider->ctx(), other_, backends);
    return std::pair(std::move(first), std::move(second));
  }

  const LoadBalancerService other_ = [] {
    LoadBalancerService service = web();
    service.name = "other";
    service.uid = "0b1d";
    return service;
  }();

 private:
  using Owned = std::map<std::string, std::size_t>;

  std::size_t of_network(const char* collection) {
    std::size_t found = 0;
    for (const json& record : cloud.region().network.records(collection)) {
      const bool default_one = record.value("name", "") == "default";
      found += default_one ? 0 : 1;
    }
    return found;
  }
  Owned owned() {
    Owned found;
    for (const char* name : {"loadbalancers", "listeners", "pools", "members", "healthmonitors"}) {
      found[name] = count(name);
    }
    for (const char* name : {"floatingips", "security_groups"}) found[name] = of_network(name);
    found["ports"] = static_cast<std::size_t>(ports_of_octavia());
    return found;
  }

  const Owned nothing_ = owned();
  const Owned whole_ = {{"loadbalancers", 1},   {"listeners", 2},      {"pools", 2},
                        {"members", 4},         {"healthmonitors", 2}, {"floatingips", 1},
                        {"security_groups", 1}, {"ports", 1}};
};

// Octavia makes one of a project at a time; parallel requests only keep the threads of its API.
TEST_F(OpenStackFaultsTest, ACreationWaitsForTheOneThatIsUnderWay) {
  Fault slow;
  slow.method = "POST";
  slow.path = "/lbaas/loadbalancers$";
  slow.count = -1;
  slow.delay = seconds(2);
  cloud.faults.add(slow);
  const auto [first, second] = two_creations();
  host.loop.advance(seconds(1));
  EXPECT_EQ(calls(slow.path, "POST"), 1);
  host.loop.advance(seconds(2));
  EXPECT_TRUE(first.done());
  EXPECT_EQ(calls(slow.path, "POST"), 2);
  host.loop.advance(seconds(2));
  EXPECT_TRUE(second.done());
  EXPECT_EQ(count("loadbalancers"), 2U);
}

// A tenant's sixty Services delay another tenant's by one creation, and not by sixty.
TEST_F(OpenStackFaultsTest, Issue37_OneNamespacesCreationsDoNotDelayThoseOfAnother) {
  Fault slow;
  slow.method = "POST";
  slow.path = "/lbaas/loadbalancers$";
  slow.count = -1;
  slow.delay = std::chrono::milliseconds(850);
  cloud.faults.add(slow);
  const Backends backends(nodes());
  const auto begin = [&](const std::string& space, int number) {
    LoadBalancerService service = web();
    service.namespace_name = space;
    service.name += "-" + std::to_string(number);
    service.uid = space + "-" + std::to_string(number);
    return provider->start_ensure_load_balancer(provider->ctx(), service, backends);
  };
  std::vector<testing::Pending<Result<LoadBalancer>>> many;
  for (int i = 0; i < 60; ++i) many.push_back(begin("greedy", i));
  const auto honest = begin("honest", 0);
  host.loop.advance(seconds(3));
  EXPECT_TRUE(honest.done());
  const auto done = std::count_if(many.begin(), many.end(), [](auto& one) { return one.done(); });
  EXPECT_LE(done, 3);
  host.loop.advance(minutes(2));
}

// It would be cut off, and found only when it is made.
TEST_F(OpenStackFaultsTest, OS_432_ACreationWithTooLittleTimeLeftIsPutOff) {
  Fault slow;
  slow.method = "POST";
  slow.path = "/lbaas/loadbalancers$";
  slow.delay = seconds(20);
  cloud.faults.add(slow);
  const auto [first, second] = two_creations();
  host.loop.advance(seconds(25));
  EXPECT_TRUE(first.done());
  ASSERT_TRUE(second.done());
  EXPECT_EQ(second.outcome().status().error_class(), ErrorClass::waiting);
  EXPECT_EQ(calls(slow.path, "POST"), 1);
  EXPECT_EQ(ensured(other_, nodes()).state, LoadBalancerState::active);
}

TEST_F(OpenStackFaultsTest, OS_432_ACreationThatWasCutOffIsWaitedFor) {
  Fault slow;
  slow.method = "POST";
  slow.path = "/lbaas/loadbalancers$";
  slow.delay = seconds(40);
  slow.cut = true;
  cloud.faults.add(slow);
  EXPECT_EQ(ensure(web(), nodes()).status().code(), Code::deadline_exceeded);
  EXPECT_EQ(ensure(web(), nodes()).status().error_class(), ErrorClass::waiting);
  EXPECT_EQ(calls(slow.path, "POST"), 1);
  host.loop.advance(seconds(60));
  EXPECT_EQ(ensured(web(), nodes()).state, LoadBalancerState::active);
  EXPECT_EQ(calls(slow.path, "POST"), 2);
}

TEST_F(OpenStackFaultsTest, OS_195_432_AnAnswerThatIsLostAtAnyCallDoublesNothing) {
  at_each_call([&](int spared) {
    Fault lost;
    lost.path = kServices;
    lost.skip = spared;
    lost.lose_answer = true;
    cloud.faults.add(lost);
  });
}

TEST_F(OpenStackFaultsTest, OS_195_432_NorDoesAPostWhoseAnswerIsLost) {
  for (const char* path : {"/loadbalancers$", "/listeners$", "/pools$", "/healthmonitors$",
                           "/floatingips$", "/security-groups$", "/security-group-rules$"}) {
    SCOPED_TRACE(path);
    live([&] {
      Fault lost;
      lost.method = "POST";
      lost.path = path;
      lost.lose_answer = true;
      lost.count = 2;
      cloud.faults.add(lost);
    });
  }
}

TEST_F(OpenStackFaultsTest, OS_88_195_ARefusalAtAnyCallDoublesNothing) {
  for (const int status : {401, 403, 404, 409, 413, 429, 500, 503}) {
    SCOPED_TRACE(status);
    at_each_call([&](int spared) {
      Fault refused;
      refused.path = kServices;
      refused.skip = spared;
      refused.status = status;
      cloud.faults.add(refused);
    });
  }
}

TEST_F(OpenStackFaultsTest, OS_84_87_ATokenThatIsRevokedAfterAnyCallIsRenewed) {
  at_each_call([&](int spared) {
    cloud.observer = [this, left = spared](const openstack_api::Exchange& exchange) mutable {
      if (exchange.target.starts_with("/identity")) return;
      if (left-- == 0) cloud.identity().revoke_all();
    };
  });
}

// Its Node keeps the address that it had, and the others are let in and found their subnet by.
TEST_F(OpenStackFaultsTest, OS_236_323_ANodeWhosePortHasNoFixedIp) {
  start("manage-security-groups = true\n");
  const auto all = nodes(3);
  for (json& port : cloud.region().network.records("ports")) {
    if (port.at("device_id") == id("node-0")) port["fixed_ips"] = json::array();
  }
  EXPECT_EQ(ensured(web(), all).state, LoadBalancerState::active);
  EXPECT_EQ(count("members"), 3U);
  std::size_t let_in = 0;
  for (const json& port : cloud.region().network.records("ports")) {
    for (const json& group : port.at("security_groups")) {
      const json* found = cloud.region().network.records("security_groups").find(group);
      let_in += found != nullptr && found->at("name") == "lb-sg-0b1c-default-web" ? 1 : 0;
    }
  }
  EXPECT_EQ(let_in, 2U);
}

// A proxy in front of Octavia that lets through what is below /v2.0 alone.
TEST_F(OpenStackFaultsTest, OS_297_373_AHiddenListOfVersionsFailsNoService) {
  Fault hidden;
  hidden.path = "/load-balancer/?$";
  hidden.status = 404;
  hidden.body = "<html>not here</html>";
  hidden.count = -1;
  cloud.faults.add(hidden);
  start();
  LoadBalancerService service = web();
  service.source_ranges = {"198.51.100.0/24"};
  EXPECT_EQ(ensured(service, nodes()).state, LoadBalancerState::active);
  EXPECT_EQ(only("listeners").at("allowed_cidrs"), json::array({"198.51.100.0/24"}));
  EXPECT_TRUE(host.log.contains("Octavia's list of versions cannot be read"));
  EXPECT_EQ(calls("/load-balancer/?$"), 1) << "it is asked for again after ten minutes";
  host.loop.advance(minutes(10));
  EXPECT_TRUE(observe(service, nodes()).ok());
  EXPECT_EQ(calls("/load-balancer/?$"), 2);
}

TEST_F(OpenStackFaultsTest, OS_297_AGuessIsNotKeptForAFaultOfTheMoment) {
  Fault fault;
  fault.path = "/load-balancer/?$";
  fault.status = 404;
  cloud.faults.add(fault);
  start();
  EXPECT_EQ(ensured(web(), nodes()).state, LoadBalancerState::active);
  host.loop.advance(minutes(10));
  fault.status = 503;
  cloud.faults.add(fault);
  EXPECT_FALSE(observe(web(), nodes()).ok());
  EXPECT_TRUE(observe(web(), nodes()).ok());
  EXPECT_EQ(calls("/load-balancer/?$"), 3) << "the list is asked for again";
}

TEST_F(OpenStackFaultsTest, OS_297_AnOldOctaviaBehindSuchAProxyGetsLess) {
  octavia().newest_version = 9;
  Fault hidden;
  hidden.path = "/(load-balancer/?$|lbaas/availabilityzones)";
  hidden.status = 404;
  hidden.count = -1;
  cloud.faults.add(hidden);
  start();
  LoadBalancerService service = annotated(web(), {});
  service.source_ranges = {"198.51.100.0/24"};
  EXPECT_EQ(ensured(service, nodes()).state, LoadBalancerState::active);
  EXPECT_TRUE(only("listeners").at("allowed_cidrs").is_null());
  EXPECT_EQ(events("LoadBalancerSourceRangesIgnored").size(), 1U);
}

// Octavia itself is away: nothing is guessed.
TEST_F(OpenStackFaultsTest, OS_297_AnOctaviaThatDoesNotAnswerIsAskedAgain) {
  Fault away;
  away.path = "/load-balancer/?$";
  away.status = 503;
  cloud.faults.add(away);
  start();
  EXPECT_EQ(ensure(web(), nodes()).status().error_class(), ErrorClass::unavailable);
  EXPECT_EQ(calls("availabilityzones"), 0);
  EXPECT_EQ(ensured(web(), nodes()).state, LoadBalancerState::active);
}

TEST_F(OpenStackFaultsTest, OS_430_PartsThatAHandDeletedAreMadeAgain) {
  start("create-monitor = true\n");
  const auto made = ensured(web(2), nodes());
  const auto service = annotated(web(2), {}, made.ingress[0].ip);
  const std::string token = openstack_api::token_of(cloud, "demo");
  const auto path = [&](const std::string& collection) {
    const json& one = *octavia().records(collection).begin();
    const std::string above =
        collection == "members" ? "pools/" + one.at(".pool").get<std::string>() + "/" : "";
    return "/load-balancer/v2.0/lbaas/" + above + collection + "/" +
           one.at("id").get<std::string>();
  };
  for (const char* collection : {"listeners", "pools", "members", "healthmonitors"}) {
    SCOPED_TRACE(collection);
    openstack_api::ask(cloud, "DELETE", path(collection), nullptr, token);
    host.loop.advance(seconds(1));
    EXPECT_NE(observe(service, nodes())->difference, "");
    EXPECT_EQ(ensured(service, nodes()).id, made.id);
    EXPECT_EQ(observe(service, nodes())->difference, "");
    EXPECT_EQ(count("listeners"), 2U);
    EXPECT_EQ(count("pools"), 2U);
    EXPECT_EQ(count("members"), 6U);
    EXPECT_EQ(count("healthmonitors"), 2U);
  }
}

}  // namespace
}  // namespace ccm::openstack
