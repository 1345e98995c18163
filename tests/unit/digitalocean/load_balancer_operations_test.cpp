// Identity, changes and deletion.
#include "load_balancer_fixture.hpp"

namespace ccm::digitalocean {
namespace {

TEST_F(LoadBalancerOperationsTest, DO_358_TheFirstCreate) {
  log_in();
  const auto created = ensure(service(), nodes());
  ASSERT_TRUE(created.ok()) << created.status().message();
  EXPECT_EQ(created->state, LoadBalancerState::pending);
  EXPECT_EQ(created->retry_after, seconds(0));  // the service controller's choice
  EXPECT_EQ(created->difference, "created");
  EXPECT_EQ(cloud.writes(), 1);
  json sent;
  for (const auto& exchange : cloud.log()) {
    if (exchange.method == "POST") sent = json::parse(exchange.request_body);
  }
  const json expected = json::parse(R"({
    "name":"a0f3c6a2e9b1d4c7e8a551d2e3f4a5b6","algorithm":"round_robin","region":"nyc3",
    "type":"REGIONAL_NETWORK",
    "forwarding_rules":[{"entry_protocol":"tcp","entry_port":80,
                         "target_protocol":"tcp","target_port":80}],
    "health_check":{"protocol":"http","port":10256,"path":"/healthz","check_interval_seconds":3,
      "response_timeout_seconds":5,"healthy_threshold":5,"unhealthy_threshold":3,
      "proxy_protocol":false},
    "sticky_sessions":{"type":"none"},"droplet_ids":[101,102],
    "disable_lets_encrypt_dns_records":false,"redirect_http_to_https":false,
    "enable_proxy_protocol":false,"enable_backend_keepalive":false,"firewall":{},
    "network":"EXTERNAL","network_stack":"IPV4"})");
  EXPECT_EQ(sent, expected);
}

TEST_F(LoadBalancerOperationsTest, DO_111_NewIsPendingUntilItIsActive) {
  cloud.activation_delay = seconds(60);
  log_in();
  const std::string id = ensure(service(), nodes())->id;
  for (int i = 0; i < 3; ++i) {
    pass();
    const auto pending = ensure(service({}, id), nodes());
    EXPECT_EQ(pending->state, LoadBalancerState::pending);
    EXPECT_TRUE(pending->ingress.empty());
  }
  pass(seconds(60));
  const auto active = ensure(service({}, id), nodes());
  ASSERT_TRUE(active.ok()) << active.status().message();
  EXPECT_EQ(active->state, LoadBalancerState::active);
  ASSERT_EQ(active->ingress.size(), 1U);
  EXPECT_EQ(active->ingress[0].ip, the_balancer()["ip"]);
  EXPECT_EQ(active->ingress[0].ip_mode, "");
  EXPECT_EQ(cloud.writes(), 1);
}

TEST_F(LoadBalancerOperationsTest, DO_382_FiftyThatWaitAreLookedAtWithOneListing) {
  cloud.activation_delay = seconds(600);
  cloud.latency = milliseconds(50);
  log_in();
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  const Ctx ctx = provider.ctx();
  const auto all = [&](const std::vector<std::string>& ids) {
    std::vector<testing::Pending<Result<LoadBalancer>>> pending;
    for (int i = 0; i < 50; ++i) {
      const std::string uid = "uid-" + std::to_string(i);
      const std::string id = ids.empty() ? "" : ids[static_cast<size_t>(i)];
      LoadBalancers::Apply call{table, &ccm_cloud_loadbalancers::ensure, "ensure",
                                ctx,   service({}, id, uid, "a" + uid),  nodes()};
      pending.push_back(provider.start("ensure", std::move(call)));
    }
    std::vector<std::string> found;
    for (const auto& one : pending) found.push_back(provider.finish(one)->id);
    return found;
  };
  const auto ids = all({});
  EXPECT_EQ(cloud.calls("POST", "/v2/load_balancers"), 50);
  EXPECT_EQ(cloud.calls(), 51);  // and one look for what a broken creation left
  cloud.clear_log();
  pass(seconds(2));
  EXPECT_EQ(all(ids), ids);
  EXPECT_EQ(cloud.calls(), 1);
}

TEST_F(LoadBalancerOperationsTest, DO_110_ASecondEnsureWritesNothing) {
  log_in();
  const std::vector<json> variants = {
      json::object(),
      {{kAnnotation + "type", "REGIONAL"}, {kAnnotation + "protocol", "http"}},
      {{kAnnotation + "type", "REGIONAL"},
       {kAnnotation + "size-unit", "3"},
       {kAnnotation + "sticky-sessions-type", "cookies"},
       {kAnnotation + "sticky-sessions-cookie-name", "LB"},
       {kAnnotation + "sticky-sessions-cookie-ttl", "300"},
       {kAnnotation + "allow-rules", "ip:1.2.3.4,cidr:10.0.0.0/8"},
       {kAnnotation + "deny-rules", "cidr:192.0.2.0/24"},
       {kAnnotation + "enable-proxy-protocol", "true"},
       {kAnnotation + "http-idle-timeout-seconds", "90"}},
      {{kAnnotation + "network", "INTERNAL"}, {kAnnotation + "override-health-check", "1"}}};
  for (const json& annotations : variants) {
    cloud.load_balancers().clear();
    const std::string id = made(service(annotations), nodes());
    for (int i = 0; i < 3; ++i) {
      const auto again = ensure(service(annotations, id), nodes());
      ASSERT_TRUE(again.ok()) << again.status().message();
      EXPECT_EQ(again->difference, "") << annotations;
      EXPECT_EQ(again->state, LoadBalancerState::active);
      pass();
    }
    EXPECT_EQ(cloud.writes(), 0) << annotations;
  }
}

TEST_F(LoadBalancerOperationsTest, DO_358_TakingOverFromTheGoManagerWritesNothing) {
  host.config.set_flag("digitalocean-cluster-id", "c1");
  const std::string id = left_by_go(kDefaultName, {{"tags", {"k8s:c1"}}});
  log_in();
  const json annotations = {{kAnnotation + "type", "REGIONAL_NETWORK"}};
  const auto taken = ensure(service(annotations, id), nodes());
  ASSERT_TRUE(taken.ok()) << taken.status().message();
  EXPECT_EQ(taken->difference, "");
  EXPECT_EQ(taken->state, LoadBalancerState::active);
  EXPECT_EQ(taken->id, id);
  EXPECT_EQ(annotation_of(*taken, kAnnotation + "type"), "REGIONAL_NETWORK");
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(LoadBalancerOperationsTest, DO_233_APutKeepsWhatWasSetByHand) {
  log_in();
  const std::string id = made(service({{kAnnotation + "type", "REGIONAL"}}), nodes());
  json& balancer = cloud.load_balancers().at(id);
  balancer["tls_cipher_policy"] = "STRONG";
  balancer["project_id"] = "4de7ac8b-495b-4884-9a69-1050c6793cd6";
  balancer["size_unit"] = 5;
  balancer["tags"] = json::array({"by-hand"});
  balancer["http_idle_timeout_seconds"] = 333;
  const auto changed = ensure(service({{kAnnotation + "type", "REGIONAL"},
                                       {kAnnotation + "enable-backend-keepalive", "true"}},
                                      id),
                              nodes());
  ASSERT_TRUE(changed.ok()) << changed.status().message();
  EXPECT_EQ(changed->difference, "backend keepalive");
  EXPECT_EQ(cloud.calls("PUT", "/v2/load_balancers/"), 1);
  const json now = the_balancer();
  EXPECT_EQ(now["enable_backend_keepalive"], true);
  EXPECT_EQ(now["tls_cipher_policy"], "STRONG");
  EXPECT_EQ(now["project_id"], "4de7ac8b-495b-4884-9a69-1050c6793cd6");
  EXPECT_EQ(now["size_unit"], 5);
  EXPECT_EQ(now["tags"], json::array({"by-hand"}));
  EXPECT_EQ(now["http_idle_timeout_seconds"], 333);
}

TEST_F(LoadBalancerOperationsTest, EveryManagedDifferenceIsFoundAndMended) {
  log_in();
  const json annotations = {{kAnnotation + "type", "REGIONAL"}};
  const std::string id = made(service(annotations), nodes());
  const json good = the_balancer();
  const std::vector<std::pair<std::string, std::function<void(json&)>>> table = {
      {"name", [](json& b) { b["name"] = "other"; }},
      {"forwarding rules", [](json& b) { b["forwarding_rules"][0]["target_port"] = 1; }},
      {"health check", [](json& b) { b["health_check"]["port"] = 1; }},
      {"health check", [](json& b) { b["health_check"]["proxy_protocol"] = true; }},
      {"sticky sessions", [](json& b) { b["sticky_sessions"]["type"] = "cookies"; }},
      {"redirect to HTTPS", [](json& b) { b["redirect_http_to_https"] = true; }},
      {"PROXY protocol", [](json& b) { b["enable_proxy_protocol"] = true; }},
      {"Let's Encrypt DNS records", [](json& b) { b["disable_lets_encrypt_dns_records"] = true; }},
      {"firewall", [](json& b) { b["firewall"]["deny"] = json::array({"ip:1.2.3.4"}); }},
      {"backends", [](json& b) {
         b["droplet_ids"] = json::array({101, 103});
       }}};
  for (const auto& [what, spoil] : table) {
    spoil(cloud.load_balancers().at(id));
    pass();
    const auto seen = observe(service(annotations, id), nodes());
    ASSERT_TRUE(seen.ok()) << what << seen.status().message();
    EXPECT_EQ(seen->difference, what);
    EXPECT_EQ(ensure(service(annotations, id), nodes())->difference, what);
    EXPECT_EQ(the_balancer(), good) << what;
    pass();
    EXPECT_EQ(observe(service(annotations, id), nodes())->difference, "");
  }
}

TEST_F(LoadBalancerOperationsTest, DO_345_BackendsAreAddedAndTakenAway) {
  log_in();
  const std::string id = made(service(), nodes(2));
  EXPECT_EQ(update(service({}, id), nodes(4))->difference, "backends");
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 102, 103, 104}));
  EXPECT_EQ(cloud.calls("POST", "/v2/load_balancers/" + id + "/droplets"), 1);
  pass();
  EXPECT_EQ(update(service({}, id), nodes(1))->difference, "backends");
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101}));
  EXPECT_EQ(cloud.writes(), 2);
  EXPECT_EQ(cloud.calls("PUT", "/"), 0);
  EXPECT_EQ(update(service({}, id), nodes(1))->difference, "");
  EXPECT_EQ(cloud.writes(), 2);
}

// As the host of a dry run does: reads are answered, writes are recorded and not sent.
TEST_F(LoadBalancerOperationsTest, occm_1855_ADryRunSeesTheDropletsThatGoBehindThoseThatCome) {
  log_in();
  const std::string id = made(service(), nodes(2));
  std::vector<std::string> recorded;
  host.http.handle([&](const HttpRequest& request) {
    if (request.method == "GET") return serve(request);
    recorded.push_back(request.method + " " + request.replaces);
    testing::FakeHttp::Answer answer;
    answer.outcome = Status(Code::failed_precondition, "dry run").with_reason("DryRun");
    return answer;
  });
  std::vector<Backend> others = nodes(3);
  others.erase(others.begin());
  EXPECT_EQ(update(service({}, id), others).status().reason(), "DryRun");
  EXPECT_EQ(recorded, (std::vector<std::string>{"POST ", "DELETE 1 droplet goes: 101"}));
}

TEST_F(LoadBalancerOperationsTest, DO_211_WithoutNodesTheTargetsStay) {
  log_in();
  const std::string id = made(service(), nodes(2));
  const auto refused = update(service({}, id), {});
  EXPECT_EQ(refused.status().message(), "no ready nodes available for load balancer");
  EXPECT_FALSE(refused.status().permanent());
  EXPECT_EQ(the_balancer()["droplet_ids"].size(), 2U);
}

TEST_F(LoadBalancerOperationsTest, DO_227_NodesWithoutProviderIdAreFoundByNameOrAddress) {
  log_in();
  auto backends = nodes(3);
  for (Backend& backend : backends) backend.provider_id.clear();
  backends[1].name = "10.0.0.102";
  backends[2].name = "stranger";
  const auto created = ensure(service(), backends);
  ASSERT_TRUE(created.ok()) << created.status().message();
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 102}));
  EXPECT_TRUE(host.log.contains("stranger"));  // DO-228
}

TEST_F(LoadBalancerOperationsTest, DO_96_NobodysLoadBalancerIsTakenOverByItsName) {
  cloud.add_load_balancer({{"name", "shop"}, {"id", "of-another"}, {"droplet_ids", {104}}});
  const json before = the_balancer();
  log_in();
  const auto refused = ensure(service({{kAnnotation + "name", "shop"}}), nodes());
  EXPECT_EQ(refused.status().error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(refused.status().message().find("of-another"), std::string::npos)
      << refused.status().message();
  EXPECT_EQ(the_balancer(), before);
  EXPECT_TRUE(remove(service({{kAnnotation + "name", "shop"}})).ok());
  EXPECT_EQ(the_balancer(), before);
}

TEST_F(LoadBalancerOperationsTest, DO_373_ALoadBalancerOfAnotherClusterIsLeftAlone) {
  host.config.set_flag("digitalocean-cluster-id", "ours");
  cloud.add_load_balancer({{"name", kDefaultName}, {"id", "theirs"}, {"tags", {"k8s:theirs"}}});
  const json before = the_balancer();
  log_in();
  for (const char* id : {"theirs", ""}) {
    EXPECT_EQ(ensure(service({}, id), nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(observe(service({}, id), nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(update(service({}, id), nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(remove(service({}, id)).reason(), "NotOwned");
  }
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_EQ(the_balancer(), before);
}

TEST_F(LoadBalancerOperationsTest, ALoadBalancerIsAdoptedOnTheAdministratorsWord) {
  host.config.set_flag("digitalocean-cluster-id", "ours");
  cloud.add_load_balancer({{"name", "old"}, {"id", "theirs"}, {"tags", {"k8s:theirs"}}});
  log_in();
  auto adopting = service();
  adopting.adopt_id = "theirs";
  const auto adopted = ensure(adopting, nodes());
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  EXPECT_EQ(adopted->id, "theirs");
  EXPECT_EQ(the_balancer()["tags"], json::array({"k8s:ours"}));
  adopting.adopt_id = "nothing";
  EXPECT_TRUE(ensure(adopting, nodes()).status().permanent());
}

TEST_F(LoadBalancerOperationsTest, ALostAnswerLeadsToNoSecondLoadBalancer) {
  log_in();
  for (const std::string& name : {kDefaultName, std::string("chosen")}) {
    cloud.load_balancers().clear();
    json annotations = json::object();
    if (name == "chosen") annotations[kAnnotation + "name"] = name;
    digitalocean_api::ApiFault fault;
    fault.method = "POST";
    fault.lose_answer = true;
    cloud.add_fault(fault);
    EXPECT_EQ(ensure(service(annotations), nodes()).status().error_class(),
              ErrorClass::unavailable);
    const std::string id = the_balancer()["id"];
    pass();
    const auto found = ensure(service(annotations), nodes());
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_EQ(found->id, id);
    EXPECT_EQ(the_balancer()["name"], name);
    pass();
  }
}

TEST_F(LoadBalancerOperationsTest, DO_122_OneThatIsGoneIsMadeAgain) {
  log_in();
  const std::string id = made(service(), nodes());
  cloud.load_balancers().clear();
  EXPECT_EQ(observe(service({}, id), nodes())->state, LoadBalancerState::absent);
  EXPECT_EQ(update(service({}, id), nodes()).status().error_class(), ErrorClass::not_found);
  const auto again = ensure(service({}, id), nodes());
  ASSERT_TRUE(again.ok());
  EXPECT_NE(again->id, id);
}

TEST_F(LoadBalancerOperationsTest, DO_116_DeletionIsDoneOnceAndForAll) {
  log_in();
  const std::string id = made(service(), nodes());
  EXPECT_TRUE(remove(service({}, id)).ok());
  EXPECT_TRUE(cloud.load_balancers().empty());
  EXPECT_TRUE(remove(service({}, id)).ok());
  EXPECT_EQ(cloud.calls("DELETE", "/"), 1);
}

TEST_F(LoadBalancerOperationsTest, WhatABrokenCreationLeftIsDeletedToo) {
  log_in();
  made(service(), nodes());
  EXPECT_TRUE(remove(service()).ok());  // its id was never recorded
  EXPECT_TRUE(cloud.load_balancers().empty());
}

}  // namespace
}  // namespace ccm::digitalocean
