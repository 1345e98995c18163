#include "provider_fixture.hpp"

#include <chrono>

namespace ccm::static_provider {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr const char* kTwo = "addressPools: [{name: p, addresses: [198.51.100.1-198.51.100.2]}]";
constexpr const char* kThreePools = R"(
addressPools:
  - {name: p, addresses: [198.51.100.0/28]}
  - {name: six, addresses: ["2001:db8::/120"]}
  - {name: reserved, addresses: [203.0.113.0/28], autoAssign: false}
)";
constexpr const char* kIps = "static.cloud-controller-manager/load-balancer-ips";
constexpr const char* kPool = "static.cloud-controller-manager/address-pool";

class StaticLoadBalancersTest : public ProviderTest {
 protected:
  LoadBalancerService with(const std::string& annotation, const std::string& value) {
    json asking = object("web");
    asking["metadata"]["annotations"][annotation] = value;
    return service_of(asking);
  }
};

TEST_F(StaticLoadBalancersTest, FromNothingToAnAddress) {
  log_in(kTwo);
  EXPECT_EQ(observed(service("web")), "absent");
  const auto made = provider.ensure_load_balancer(service("web"), {});
  EXPECT_EQ(outcome(made), "198.51.100.1");
  EXPECT_EQ(made->id, "198.51.100.1");
  EXPECT_EQ(made->difference, "addresses");
  EXPECT_EQ(observed(service("web")), "198.51.100.1");
  EXPECT_EQ(provider.ensure_load_balancer(service("web"), {})->difference, "");
}

TEST_F(StaticLoadBalancersTest, TwoServicesNeverHaveOneAddress) {
  log_in(kTwo);
  EXPECT_EQ(ensured(service("a")), "198.51.100.1");
  EXPECT_EQ(ensured(service("b")), "198.51.100.2");
  EXPECT_EQ(ensured(service("c")), "waiting: no IPv4 address is free in the address pools: p");
  EXPECT_EQ(provider.ensure_load_balancer(service("c"), {}).status().retry_after(), 10s);
  EXPECT_TRUE(provider.delete_load_balancer(service("a")).ok());
  EXPECT_EQ(ensured(service("c")), "198.51.100.1");
}

// No database: the status of the Services is the record.
TEST_F(StaticLoadBalancersTest, AddressesStayWhenTheManagerStartsAgain) {
  const json web = object("web", {"198.51.100.2"});
  store(web);
  log_in(kTwo);
  const auto seen = provider.observe_load_balancer(service_of(web), {});
  EXPECT_EQ(outcome(seen), "198.51.100.2");
  EXPECT_EQ(seen->difference, "");
  EXPECT_EQ(ensured(service_of(web)), "198.51.100.2");
  EXPECT_EQ(ensured(service("other")), "198.51.100.1");
  EXPECT_EQ(ensured(service("third")), "waiting: no IPv4 address is free in the address pools: p");
}

// The cache may lack what the leader before wrote last.
TEST_F(StaticLoadBalancersTest, ACacheThatIsBehindGivesNoAddress) {
  host.kube.set_cache_follows(false);
  store(object("theirs", {"198.51.100.1"}));
  log_in(kTwo);
  EXPECT_EQ(ensured(service("web")),
            "waiting: the cache of Services lacks addresses that the API server has");
  host.kube.catch_up();
  host.loop.advance(1s);
  EXPECT_EQ(ensured(service("web")), "198.51.100.2");
  EXPECT_EQ(host.kube.calls("list").size(), 2U);
  EXPECT_EQ(ensured(service("third")), "waiting: no IPv4 address is free in the address pools: p");
  EXPECT_EQ(host.kube.calls("list").size(), 2U);  // once it is known, the cache is enough
}

TEST_F(StaticLoadBalancersTest, ManyThatAskAtOnceCompareTheCacheOnce) {
  log_in(kThreePools);
  std::vector<testing::Pending<Result<LoadBalancer>>> asked;
  for (int i = 0; i < 5; ++i) {
    asked.push_back(provider.start_ensure_load_balancer(provider.ctx(),
                                                        service("web-" + std::to_string(i)), {}));
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(outcome(provider.finish(asked[i])), "198.51.100." + std::to_string(i));
  }
  EXPECT_EQ(host.kube.calls("list").size(), 1U);
}

TEST_F(StaticLoadBalancersTest, AnApiServerThatDoesNotAnswerIsAFailure) {
  log_in(kTwo);
  host.kube.fail_next("list", "v1/services",
                      Status(Code::unavailable, ErrorClass::unavailable, "it is away"));
  EXPECT_EQ(ensured(service("web")), "unavailable: list the Services: it is away");
  host.loop.advance(1s);
  EXPECT_EQ(ensured(service("web")), "198.51.100.1");
}

TEST_F(StaticLoadBalancersTest, AnAddressThatTheServiceAsksFor) {
  log_in(kThreePools);
  LoadBalancerService web = service("web");
  web.requested_ip = "198.51.100.7";
  EXPECT_EQ(ensured(web), "198.51.100.7");
  EXPECT_EQ(ensured(with(kIps, "203.0.113.3")), "203.0.113.3");  // it moves
  LoadBalancerService other = service("other");
  other.requested_ip = "203.0.113.3";
  EXPECT_EQ(ensured(other), "waiting: the Service default/web has 203.0.113.3");
  EXPECT_TRUE(provider.delete_load_balancer(web).ok());
  EXPECT_EQ(ensured(other), "203.0.113.3");
}

TEST_F(StaticLoadBalancersTest, ARequestThatCannotBeGranted) {
  log_in(kThreePools);
  LoadBalancerService web = service("web");
  web.requested_ip = "10.0.0.1";
  EXPECT_EQ(ensured(web), ": 10.0.0.1 is not in the address pools: p, six, reserved");
  EXPECT_EQ(ensured(with(kIps, "here")),
            "invalid-spec: annotation " + std::string(kIps) + " \"here\" is no IP address");
  EXPECT_EQ(ensured(with(kIps, "2001:db8::1")),
            "invalid-spec: annotation " + std::string(kIps) +
                " \"2001:db8::1\" has an address of a family that the Service does not have");
  EXPECT_EQ(ensured(with(kIps, "198.51.100.1,198.51.100.2")),
            "invalid-spec: annotation " + std::string(kIps) +
                " \"198.51.100.1,198.51.100.2\" has two addresses of one family");
  EXPECT_EQ(ensured(with(kPool, "large")),
            ": there is no address pool large; there are: p, six, reserved");
}

TEST_F(StaticLoadBalancersTest, APoolThatTheServiceOrItsClassAsksFor) {
  log_in(kThreePools);
  EXPECT_EQ(ensured(with(kPool, "reserved")), "203.0.113.0");
  LoadBalancerService of_class = service("classy");
  of_class.parameters = {{"address-pool", "reserved"}};
  EXPECT_EQ(ensured(of_class), "203.0.113.1");
  EXPECT_EQ(ensured(service("web")), "203.0.113.0");  // it keeps what it has
}

TEST_F(StaticLoadBalancersTest, TwoFamilies) {
  log_in(kThreePools);
  LoadBalancerService web = service("web");
  web.ip_families = {"IPv6", "IPv4"};
  EXPECT_EQ(ensured(web), "2001:db8::,198.51.100.0");
  EXPECT_EQ(provider.ensure_load_balancer(web, {})->id, "2001:db8::,198.51.100.0");
}

TEST_F(StaticLoadBalancersTest, AFamilyThatThePoolsLack) {
  log_in(kTwo);
  LoadBalancerService web = service("web");
  web.ip_families = {"IPv4", "IPv6"};
  EXPECT_EQ(ensured(web), "198.51.100.1");
  json object_of_both = object("both");
  object_of_both["spec"]["ipFamilyPolicy"] = "RequireDualStack";
  LoadBalancerService both = service_of(object_of_both);
  both.ip_families = {"IPv4", "IPv6"};
  EXPECT_EQ(ensured(both), "waiting: no IPv6 address is free in the address pools: p");
  LoadBalancerService six = service("six");
  six.ip_families = {"IPv6"};
  EXPECT_EQ(ensured(six), "waiting: no IPv6 address is free in the address pools: p");
}

TEST_F(StaticLoadBalancersTest, AnAddressOutsideOfThePoolsIsReplaced) {
  const json web = object("web", {"10.0.0.1"});
  store(web);
  log_in(kTwo);
  EXPECT_EQ(provider.observe_load_balancer(service_of(web), {})->difference, "addresses");
  EXPECT_EQ(ensured(service_of(web)), "198.51.100.1");
}

// Users write annotations; they cannot write a status.
TEST_F(StaticLoadBalancersTest, AnIdIsAWishAndNoProof) {
  store(object("theirs", {"198.51.100.1"}));
  log_in(kTwo);
  LoadBalancerService thief = service("thief");
  thief.id = "198.51.100.1";
  EXPECT_EQ(observed(thief), "foreign");
  EXPECT_EQ(ensured(thief), "foreign");
  const Status left = provider.delete_load_balancer(thief);
  EXPECT_EQ(left.code(), Code::failed_precondition);
  EXPECT_EQ(left.reason(), CCM_REASON_NOT_OWNED);
  LoadBalancerService restored = service("restored");
  restored.id = "198.51.100.2";
  EXPECT_EQ(ensured(restored), "198.51.100.2");
  LoadBalancerService adopts = service("adopts");
  adopts.adopt_id = "198.51.100.1";
  EXPECT_EQ(ensured(adopts), "waiting: the Service default/theirs has 198.51.100.1");
}

TEST_F(StaticLoadBalancersTest, OfTwoServicesWithOneAddressTheOlderOneHasIt) {
  const json older = object("older", {"198.51.100.1"}, "2026-01-01T00:00:00Z");
  const json newer = object("newer", {"198.51.100.1"}, "2026-01-02T00:00:00Z");
  store(newer);
  store(older);
  log_in(kTwo);
  EXPECT_EQ(ensured(service_of(older)), "198.51.100.1");
  const std::string conflict =
      "the Service default/older has 198.51.100.1, too; ask for another address for one of them";
  EXPECT_EQ(ensured(service_of(newer)), "conflict: " + conflict);
  const auto seen = provider.observe_load_balancer(service_of(newer), {});
  EXPECT_EQ(outcome(seen), "198.51.100.1");
  EXPECT_EQ(seen->difference, conflict);
}

TEST_F(StaticLoadBalancersTest, APoolThatGrowsEndsTheWait) {
  log_in("addressPools: [{name: p, addresses: [198.51.100.1]}]");
  EXPECT_EQ(ensured(service("a")), "198.51.100.1");
  EXPECT_EQ(ensured(service("b")), "waiting: no IPv4 address is free in the address pools: p");
  change(kTwo);
  EXPECT_EQ(ensured(service("b")), "198.51.100.2");
  EXPECT_EQ(ensured(service("a")), "198.51.100.1");
}

}  // namespace
}  // namespace ccm::static_provider
