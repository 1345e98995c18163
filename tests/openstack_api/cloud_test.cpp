// Beyond the contract with the real services: faults on demand, tokens that end, changes
// that fail or hang, regions.
#include "openstack_api/cloud.hpp"

#include <gtest/gtest.h>

namespace ccm::openstack_api {
namespace {

class FakeCloudTest : public ::testing::Test {
 protected:
  FakeCloudTest() : facts_(populate(cloud_)) {}

  Answer send(const std::string& method, const std::string& target, const json& body = nullptr) {
    Request request{method, target, {{"x-auth-token", token_}}, body.is_null() ? "" : body.dump()};
    return cloud_.handle(request);
  }
  json get(const std::string& target) { return json::parse(send("GET", target).body); }
  Answer log_in(const std::string& password = "secret") {
    const json user = {{"name", "demo"}, {"password", password}, {"domain", {{"id", "default"}}}};
    Answer answer = send(
        "POST", "/identity/v3/auth/tokens",
        {{"auth", {{"identity", {{"methods", {"password"}}, {"password", {{"user", user}}}}}}}});
    token_ = answer.headers["x-subject-token"];
    return answer;
  }
  std::string add_load_balancer(const json& more = json::object()) {
    json members = {{"name", "lb"}, {"vip_subnet_id", facts_["ids"]["private-v4"]}};
    members.update(more);
    const Answer answer = send("POST", kBalancers, {{"loadbalancer", members}});
    EXPECT_EQ(answer.status, 201) << answer.body;
    return json::parse(answer.body).at("loadbalancer").at("id");
  }
  std::string status_of(const std::string& id) {
    return get(kBalancers + "/" + id).at("loadbalancer").at("provisioning_status");
  }

  const std::string kBalancers = "/load-balancer/v2.0/lbaas/loadbalancers";
  const std::string kPorts = "/networking/v2.0/ports";
  milliseconds now_{1'800'000'000'000};
  Cloud cloud_{[this] { return now_; }, "http://fake"};
  json facts_;
  std::string token_;
};

TEST_F(FakeCloudTest, ATokenEndsWithItsTime) {
  cloud_.identity().token_lifetime = milliseconds(60'000);
  const json token = json::parse(log_in().body).at("token");
  EXPECT_EQ(token.at("issued_at"), "2027-01-15T08:00:00.000000Z");
  EXPECT_EQ(token.at("expires_at"), "2027-01-15T08:01:00.000000Z");
  EXPECT_EQ(send("GET", kPorts).status, 200);
  now_ += milliseconds(60'000);
  EXPECT_EQ(send("GET", kPorts).status, 401);
  log_in();
  EXPECT_EQ(send("GET", kPorts).status, 200);
}

TEST_F(FakeCloudTest, OS_87_AServiceTakesARevokedTokenUntilItsCacheEnds) {
  cloud_.token_cache = milliseconds(300'000);
  log_in();
  EXPECT_EQ(send("GET", kPorts).status, 200);
  cloud_.identity().revoke_all();
  EXPECT_EQ(send("GET", kPorts).status, 200) << "Neutron has seen it";
  EXPECT_EQ(send("GET", kBalancers).status, 401) << "Octavia has not";
  now_ += milliseconds(300'000);
  EXPECT_EQ(send("GET", kPorts).status, 401);
}

TEST_F(FakeCloudTest, AFaultMeetsWhatItsRuleSays) {
  log_in();
  Fault fault;
  fault.method = "GET";
  fault.path = "/ports\\?device_id=";
  fault.skip = 1;
  fault.count = 2;
  fault.status = 503;
  fault.headers = {{"retry-after", "7"}};
  cloud_.faults.add(fault);
  EXPECT_EQ(send("GET", kPorts).status, 200);
  EXPECT_EQ(send("GET", kPorts + "?device_id=x").status, 200) << "the first one is spared";
  for (int i = 0; i < 2; ++i) {
    const Answer answer = send("GET", kPorts + "?device_id=x");
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.headers.at("retry-after"), "7");
    EXPECT_TRUE(json::parse(answer.body).contains("NeutronError"));
  }
  EXPECT_EQ(send("GET", kPorts + "?device_id=x").status, 200);
}

TEST_F(FakeCloudTest, AnAnswerThatIsLostLeavesTheDeed) {
  log_in();
  cloud_.faults.add(
      Fault::from_json({{"method", "POST"}, {"path", "loadbalancers$"}, {"lose_answer", true}}));
  const json body = {
      {"loadbalancer", {{"name", "lost"}, {"vip_subnet_id", facts_["ids"]["private-v4"]}}}};
  EXPECT_TRUE(send("POST", kBalancers, body).cut);
  EXPECT_EQ(get(kBalancers + "?name=lost").at("loadbalancers").size(), 1U);
  cloud_.faults.add(
      Fault::from_json({{"method", "POST"}, {"path", "loadbalancers$"}, {"cut", true}}));
  EXPECT_TRUE(send("POST", kBalancers, body).cut);
  EXPECT_EQ(get(kBalancers + "?name=lost").at("loadbalancers").size(), 1U)
      << "that one was not looked at";
}

TEST_F(FakeCloudTest, OtherFaults) {
  log_in();
  cloud_.faults.add(Fault::from_json({{"body", "<html>"}}));
  EXPECT_EQ(send("GET", kPorts).body, "<html>");
  cloud_.faults.add(Fault::from_json({{"cut_body", true}, {"delay_ms", 5}}));
  const Answer half = send("GET", kPorts);
  EXPECT_TRUE(half.cut_body);
  EXPECT_EQ(half.delay, milliseconds(5));
  cloud_.chance = [](const Request&) { return Fault::from_json({{"status", 500}}); };
  EXPECT_EQ(send("GET", kPorts).status, 500);
  cloud_.chance = nullptr;
  EXPECT_EQ(send("GET", kPorts).status, 200);
  EXPECT_THROW(Fault::from_json({{"stattus", 500}}), std::invalid_argument);
}

TEST_F(FakeCloudTest, EveryServiceHasItsFormOfAnError) {
  const std::map<std::string, std::string> members = {
      {"/identity/v3/auth/tokens", "error"},
      {"/networking/v2.0/ports", "NeutronError"},
      {"/load-balancer/v2.0/lbaas/pools", "faultstring"},
      {"/key-manager/v1/secrets", "description"},
      {"/compute/v2.1/servers", "overLimit"}};
  for (const auto& [target, member] : members) {
    EXPECT_TRUE(json::parse(error_of(target, 413).body).contains(member)) << target;
  }
}

TEST_F(FakeCloudTest, OS_257_AChangeMayEndInErrorAndCanBeDeleted) {
  log_in();
  Region& region = cloud_.region();
  region.load_balancing.create_time = milliseconds(1'000);
  region.load_balancing.outcomes = {Outcome::kError};
  const std::string id = add_load_balancer();
  EXPECT_EQ(status_of(id), "PENDING_CREATE");
  now_ += milliseconds(1'000);
  EXPECT_EQ(status_of(id), "ERROR");
  const Answer refused = send("PUT", kBalancers + "/" + id, {{"loadbalancer", {{"name", "x"}}}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("Invalid state ERROR"), std::string::npos);
  const json listener = {{"loadbalancer_id", id}, {"protocol", "TCP"}, {"protocol_port", 80}};
  EXPECT_EQ(send("POST", "/load-balancer/v2.0/lbaas/listeners", {{"listener", listener}}).status,
            409);
  EXPECT_EQ(send("DELETE", kBalancers + "/" + id + "?cascade=true").status, 204);
  EXPECT_EQ(send("GET", kBalancers + "/" + id).status, 404);
}

TEST_F(FakeCloudTest, OS_385_AChangeMayNeverEnd) {
  log_in();
  const std::string id = add_load_balancer();
  EXPECT_EQ(status_of(id), "ACTIVE");
  cloud_.region().load_balancing.outcomes = {Outcome::kStuck};
  EXPECT_EQ(send("PUT", kBalancers + "/" + id, {{"loadbalancer", {{"name", "x"}}}}).status, 200);
  now_ += milliseconds(3'000'000);
  EXPECT_EQ(status_of(id), "PENDING_UPDATE");
  EXPECT_EQ(send("DELETE", kBalancers + "/" + id + "?cascade=true").status, 409);
  cloud_.region().load_balancing.set_status(id, "ERROR");
  EXPECT_EQ(send("DELETE", kBalancers + "/" + id + "?cascade=true").status, 204);
}

TEST_F(FakeCloudTest, OS_333_OvnKnowsLess) {
  log_in();
  cloud_.region().load_balancing.providers = {"amphora", "ovn"};
  const auto refusal = [&](const json& listener) {
    const json body = {{"loadbalancer",
                        {{"vip_subnet_id", facts_["ids"]["private-v4"]},
                         {"provider", "ovn"},
                         {"listeners", {listener}}}}};
    return send("POST", kBalancers, body);
  };
  json pool = {{"name", "p"}, {"protocol", "TCP"}, {"lb_algorithm", "SOURCE_IP_PORT"}};
  EXPECT_EQ(refusal({{"protocol", "HTTP"}, {"protocol_port", 80}}).status, 501);
  EXPECT_EQ(refusal({{"protocol", "TCP"}, {"protocol_port", 80}, {"allowed_cidrs", {"10.0.0.0/8"}}})
                .status,
            501);
  EXPECT_EQ(refusal({{"protocol", "TCP"}, {"protocol_port", 80}, {"default_pool", pool}}).status,
            201);
  pool["lb_algorithm"] = "ROUND_ROBIN";
  EXPECT_EQ(refusal({{"protocol", "TCP"}, {"protocol_port", 80}, {"default_pool", pool}}).status,
            501);
  EXPECT_EQ(get(kBalancers).at("loadbalancers").size(), 1U)
      << "nothing is left of what was refused";
}

TEST_F(FakeCloudTest, ARegionHasEndpointsAndThingsOfItsOwnAndMayBeAway) {
  Region& two = cloud_.region("RegionTwo");
  const json catalog = json::parse(log_in().body).at("token").at("catalog");
  std::set<std::string> urls;
  for (const json& service : catalog) {
    for (const json& endpoint : service.at("endpoints")) {
      if (service.at("type") == "compute" && endpoint.at("interface") == "public")
        urls.insert(endpoint.at("url"));
    }
  }
  EXPECT_EQ(urls, (std::set<std::string>{"http://fake/compute/v2.1",
                                         "http://fake/RegionTwo/compute/v2.1"}));
  const std::string flavor = two.compute.add_flavor("big", 8, 16384);
  two.compute.add_server(facts_["projects"]["demo"], facts_["users"]["demo"], "far", flavor, {});
  EXPECT_EQ(get("/RegionTwo/compute/v2.1/servers").at("servers").size(), 1U);
  EXPECT_EQ(get("/compute/v2.1/servers").at("servers").size(), 3U);
  two.away = true;
  EXPECT_TRUE(send("GET", "/RegionTwo/compute/v2.1/servers").cut);
  EXPECT_EQ(send("GET", "/compute/v2.1/servers").status, 200);
}

TEST_F(FakeCloudTest, AServiceMayBeMissing) {
  cloud_.identity().remove_service("load-balancer");
  const json catalog = json::parse(log_in().body).at("token").at("catalog");
  for (const json& service : catalog) EXPECT_NE(service.at("type"), "load-balancer");
}

TEST_F(FakeCloudTest, OS_356_TheServersPageHasALimit) {
  log_in();
  cloud_.region().compute.page_size = 2;
  const json first = get("/compute/v2.1/servers/detail");
  EXPECT_EQ(first.at("servers").size(), 2U);
  const std::string next = first.at("servers_links").at(0).at("href");
  const json second = get(next.substr(std::string("http://fake").size()));
  EXPECT_EQ(second.at("servers").size(), 1U);
  EXPECT_FALSE(second.contains("servers_links"));
}

TEST_F(FakeCloudTest, OS_368_AddressesRunOut) {
  log_in();
  Network& network = cloud_.region().network;
  json& subnet = *network.records("subnets").find(facts_["ids"]["public-v4"]);
  subnet["allocation_pools"] = json::array({{{"start", "203.0.113.2"}, {"end", "203.0.113.3"}}});
  const json wanted = {{"floatingip", {{"floating_network_id", facts_["ids"]["public"]}}}};
  EXPECT_EQ(send("POST", "/networking/v2.0/floatingips", wanted).status, 201)
      << "one is the router's";
  const Answer refused = send("POST", "/networking/v2.0/floatingips", wanted);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(json::parse(refused.body).at("NeutronError").at("type"), "IpAddressGenerationFailure");
}

TEST_F(FakeCloudTest, WhatItSawIsOnRecord) {
  log_in();
  add_load_balancer();
  EXPECT_EQ(cloud_.calls("POST", "loadbalancers$"), 1);
  EXPECT_EQ(cloud_.writes(), 1) << "a login is none";
  EXPECT_FALSE(cloud_.log().back().request_headers.contains("x-auth-token"));
  EXPECT_EQ(cloud_.log().back().status, 201);
  cloud_.clear_log();
  EXPECT_EQ(cloud_.calls(), 0);
}

}  // namespace
}  // namespace ccm::openstack_api
