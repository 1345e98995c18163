// The fake of the API answers as DigitalOcean's description says, in all that is used of it.
#include "digitalocean_api/contract.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::digitalocean_api {
namespace {

class DigitalOceanContractTest : public ::testing::Test {
 protected:
  // The answer's body; a breach of the description fails the test.
  json call(const std::string& method, const std::string& target, int status,
            const json& body = nullptr) {
    ApiRequest request{method, target, "Bearer " + api.token, "application/json",
                       body.is_null() ? "" : body.dump()};
    const ApiAnswer answer = api.handle(request);
    EXPECT_EQ(answer.status, status) << method << " " << target << " " << answer.body;
    for (const std::string& fault : contract_faults(api.log().back())) {
      ADD_FAILURE() << method << " " << target << ": " << fault;
    }
    return answer.body.empty() ? json() : json::parse(answer.body);
  }

  Milliseconds now{1};
  Api api{[this] { return now; }};
};

TEST_F(DigitalOceanContractTest, Reads) {
  api.generate_droplets(1, 5, "n");
  api.add_droplet(9, "gpu", true);
  api.add_certificate("892071a0-bb95-49bc-8021-3afd67a210bf", "site", "lets_encrypt");
  for (const char* target :
       {"/v2/account", "/v2/regions?page=1&per_page=200", "/v2/droplets?page=1&per_page=2",
        "/v2/droplets?page=2&per_page=2", "/v2/droplets?type=gpus", "/v2/droplets?name=n1",
        "/v2/droplets/1", "/v2/certificates?name=site",
        "/v2/certificates/892071a0-bb95-49bc-8021-3afd67a210bf", "/v2/load_balancers",
        "/v2/firewalls", "/v2/tags"}) {
    call("GET", target, 200);
  }
  call("GET", "/v2/vpcs/" + api.vpc, 200);
  for (const char* target : {"/v2/droplets/77", "/v2/certificates/x", "/v2/load_balancers/x",
                             "/v2/firewalls/x", "/v2/tags/x", "/v2/vpcs/x"}) {
    call("GET", target, 404);
  }
}

TEST_F(DigitalOceanContractTest, Writes) {
  api.generate_droplets(1, 3, "n");
  json balancer = {{"name", "web"},
                   {"region", "nyc3"},
                   {"droplet_ids", {1, 2}},
                   {"forwarding_rules", json::array({{{"entry_protocol", "tcp"},
                                                      {"entry_port", 80},
                                                      {"target_protocol", "tcp"},
                                                      {"target_port", 80}}})}};
  const json made = call("POST", "/v2/load_balancers", 202, balancer);
  const std::string path = "/v2/load_balancers/" + made["load_balancer"]["id"].get<std::string>();
  call("PUT", path, 200, balancer);
  call("POST", path + "/droplets", 204, {{"droplet_ids", {3}}});
  call("DELETE", path + "/droplets", 204, {{"droplet_ids", {3}}});
  call("POST", "/v2/tags", 201, {{"name", "k8s:c1"}});
  call("POST", "/v2/tags", 400, {{"name", "not a tag"}});
  call("POST", "/v2/tags/k8s:c1/resources", 204,
       {{"resources", json::array({{{"resource_id", made["load_balancer"]["id"]},
                                    {"resource_type", "load_balancer"}}})}});
  const json everybody = {{"addresses", {"0.0.0.0/0", "::/0"}}};
  const json firewall = {
      {"name", "fw"},
      {"inbound_rules",
       json::array({{{"protocol", "tcp"}, {"ports", "80"}, {"sources", everybody}}})},
      {"outbound_rules", json::array({{{"protocol", "icmp"}, {"destinations", everybody}}})},
      {"tags", {"k8s:c1"}}};
  const json wall = call("POST", "/v2/firewalls", 202, firewall);
  call("PUT", "/v2/firewalls/" + wall["firewall"]["id"].get<std::string>(), 200, firewall);
  call("GET", "/v2/firewalls", 200);
  call("DELETE", path, 204);
}

TEST_F(DigitalOceanContractTest, ABreachIsNoticed) {
  const auto breaches = [](const std::string& method, const std::string& path,
                           const std::string& asked, int status, const std::string& answered) {
    Exchange exchange;
    exchange.method = method;
    exchange.path = path;
    exchange.request_body = asked;
    exchange.status = status;
    exchange.response_body = answered;
    return contract_faults(exchange).size();
  };
  EXPECT_EQ(breaches("GET", "/v2/droplets", "", 200, R"({"droplets": [], "meta": {"total": 0}})"),
            0U);
  EXPECT_GT(breaches("GET", "/v2/droplets", "", 200, R"({"droplets": 5, "meta": {"total": 0}})"),
            0U);
  EXPECT_GT(breaches("GET", "/v2/droplets", "", 200, R"({"droplets": [{"id": 1}]})"), 0U);
  EXPECT_GT(breaches("GET", "/v2/moons", "", 200, "{}"), 0U);
  EXPECT_GT(breaches("GET", "/v2/droplets", "", 204, ""), 0U);
  EXPECT_GT(breaches("POST", "/v2/load_balancers", R"({"region": "nyc3", "droplet_ids": []})", 202,
                     R"({"load_balancer": {"forwarding_rules": []}})"),
            0U);
}

// Without a description too: what the description refuses, the fake refuses.
TEST_F(DigitalOceanContractTest, WrongRequestsAreRefused) {
  api.generate_droplets(1, 1, "n");
  const json rule = {{"entry_protocol", "tcp"},
                     {"entry_port", 80},
                     {"target_protocol", "tcp"},
                     {"target_port", 80}};
  const json good = {{"name", "web"},
                     {"region", "nyc3"},
                     {"droplet_ids", {1}},
                     {"forwarding_rules", json::array({rule})}};
  const std::vector<json> patches = {{{"forwarding_rules", json::array()}},
                                     {{"region", nullptr}},
                                     {{"droplet_ids", nullptr}},
                                     {{"tag", "t"}},
                                     {{"type", "HUGE"}},
                                     {{"network", "X"}},
                                     {{"network_stack", "IPV6"}},
                                     {{"size", "lb-huge"}},
                                     {{"size_unit", 101}},
                                     {{"http_idle_timeout_seconds", 29}},
                                     {{"droplet_ids", {7}}},
                                     {{"unheard_of", 1}},
                                     {{"health_check", {{"protocol", "udp"}, {"port", 80}}}},
                                     {{"vpc_uuid", "00000000-0000-4000-8000-00000000ffff"}}};
  for (const json& patch : patches) {
    json wrong = good;
    wrong.merge_patch(patch);
    call("POST", "/v2/load_balancers", 422, wrong);
  }
  for (const auto& [member, value] :
       std::vector<std::pair<std::string, json>>{{"entry_protocol", "smtp"},
                                                 {"target_protocol", "http3"},
                                                 {"entry_port", 0},
                                                 {"target_port", 70000},
                                                 {"entry_port", 50053},
                                                 {"entry_protocol", "https"}}) {
    json wrong = good;
    wrong["forwarding_rules"][0][member] = value;
    call("POST", "/v2/load_balancers", 422, wrong);
  }
  call("POST", "/v2/load_balancers", 202, good);
  call("POST", "/v2/load_balancers", 422, good);  // DO-347: the name is taken
}

TEST_F(DigitalOceanContractTest, DO_312_DO_322_BothLimits) {
  api.minute_limit = 3;
  api.hourly_limit = 5;
  for (int i = 0; i < 3; ++i) call("GET", "/v2/account", 200);
  ApiRequest request{"GET", "/v2/account", "Bearer " + api.token, "", ""};
  ApiAnswer refused = api.handle(request);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.front(), (std::pair<std::string, std::string>("retry-after", "60")));
  now += Milliseconds(61'000);
  call("GET", "/v2/account", 200);
  refused = api.handle(request);  // the fifth of the hour was the refused one
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.headers.front().first, "retry-after");
}

TEST_F(DigitalOceanContractTest, AWrongTokenIsRefused) {
  const ApiAnswer refused = api.handle({"GET", "/v2/account", "Bearer other", "", ""});
  EXPECT_EQ(refused.status, 401);
}

}  // namespace
}  // namespace ccm::digitalocean_api
