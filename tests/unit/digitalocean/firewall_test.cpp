// digitalocean-firewall (DO-255..DO-276).
#include "firewall_fixture.hpp"

namespace ccm::digitalocean {
namespace {

TEST_F(FirewallTest, DO_15_OffWithoutSettings) {
  host.config.set_flag("digitalocean-firewall-name", "");
  host.config.set_flag("digitalocean-firewall-tags", "");
  const Status status = start<FirewallController>();
  EXPECT_EQ(status.code(), Code::unimplemented);
  EXPECT_NE(status.message().find("PUBLIC_ACCESS_FIREWALL_NAME"), std::string::npos);
  EXPECT_EQ(cloud.calls(), 0);
}

// The line that refuses it is the provider's, since the setting is.
TEST_F(FirewallTest, DO_15_OneSettingAloneIsRefusedByTheProvider) {
  host.config.set_flag("digitalocean-firewall-tags", "");
  EXPECT_EQ(start<FirewallController>().code(), Code::unimplemented);
  EXPECT_EQ(cloud.calls(), 0);
}

TEST_F(FirewallTest, DO_256_DO_264_DO_359_NodePortsAreOpenToTheWorld) {
  put("web", node_port(80, 30080));
  put("dns", node_port(53, 30053, "UDP"));
  put("sctp", node_port(99, 30099, "SCTP"));
  put("none", node_port(98, 0));
  put("inner", {{"type", "ClusterIP"}, {"ports", json::array({{{"port", 81}}})}});
  put("closed", node_port(82, 30082), {{kManaged, "false"}});
  put("odd", node_port(83, 30083), {{kManaged, "maybe"}});  // DO-164
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(open(),
            (Rules{"tcp/30080" + everywhere, "udp/30053" + everywhere, "tcp/30083" + everywhere}));
  const json made = firewall();
  EXPECT_EQ(made["name"], "public");
  EXPECT_EQ(made["tags"], json::array({"worker"}));
  EXPECT_EQ(made["outbound_rules"].size(), 3U);
  EXPECT_EQ(writes(), 1);
}

TEST_F(FirewallTest, DO_257_DO_258_NetworkLoadBalancersNeedTheirPortsAndTheirHealthCheck) {
  put("web", balanced(80), {{kIdOfLb, "lb-1"}});
  put("regional", balanced(81), {{kLb + "type", "REGIONAL"}});  // DO-259
  put("internal", balanced(82), {{kLb + "network", "INTERNAL"}});
  put("coming", balanced(83));
  put("closed", balanced(84), {{kManaged, "false"}});
  json local = balanced(85);
  local["externalTrafficPolicy"] = "Local";
  local["healthCheckNodePort"] = 32085;
  put("local", local, {{kIdOfLb, "lb-5"}});
  put("checked", balanced(86),  // DO-202
      {{kIdOfLb, "lb-6"}, {kLb + "override-health-check", ""}, {kLb + "healthcheck-port", "86"}});
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(open(),
            (Rules{"tcp/80" + everywhere, "tcp/83" + everywhere, "tcp/85" + everywhere,
                   "tcp/86" + everywhere, "tcp/10256 lb-1", "tcp/32085 lb-5", "tcp/30086 lb-6"}));
}

TEST_F(FirewallTest, DO_14_TheDefaultTypeCounts) {
  host.config.set_flag("digitalocean-default-lb-type", "REGIONAL");
  put("web", balanced(80));
  put("network", balanced(81), {{kLb + "type", "REGIONAL_NETWORK"}});
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(open(), Rules{"tcp/81" + everywhere});
}

TEST_F(FirewallTest, DO_260_DO_379_SourceRangesAreKept) {
  json ranges = balanced(80);
  ranges["loadBalancerSourceRanges"] = {"10.1.2.3/8", " 192.0.2.0/24"};
  put("ranges", ranges, {{kLb + "allow-rules", "ip:203.0.113.9"}});
  put("rules", balanced(81), {{kLb + "allow-rules", "cidr:2001:DB8::/32, ip:203.0.113.9"}});
  // Not read by DigitalOcean's manager: what is open today stays open (DO-129).
  put("annotated", balanced(82),
      {{"service.beta.kubernetes.io/load-balancer-source-ranges", "198.51.100.0/24"}});
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(open(), (Rules{"tcp/80 10.0.0.0/8 192.0.2.0/24", "tcp/81 2001:db8::/32 203.0.113.9",
                           "tcp/82" + everywhere}));
}

TEST_F(FirewallTest, DO_260_AnotherImplementationsServicesStayClosed) {
  json other = balanced(80);
  other["loadBalancerClass"] = "example.com/metal";
  put("other", other);
  json ours = balanced(81);
  ours["loadBalancerClass"] = "example.com/do";
  put("ours", ours, {{kIdOfLb, "lb-1"}});
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(open(), (Rules{"tcp/81" + everywhere, "tcp/10256 lb-1"}));
}

TEST_F(FirewallTest, DO_261_OneServiceInDoubtHoldsUpNoOther) {
  put("web", balanced(80), {{kIdOfLb, "lb-1"}});
  ASSERT_TRUE(start<FirewallController>().ok());
  put("web", balanced(80), {{kIdOfLb, "lb-1"}, {kLb + "type", "GLOBAL"}});
  put("never", balanced(81), {{kLb + "network", "MOON"}});
  put("next", node_port(90, 30090));
  settle();
  // Open ports stay open, others are not opened, and the other Services are not affected.
  EXPECT_EQ(open(), (Rules{"tcp/80" + everywhere, "tcp/10256 lb-1", "tcp/30090" + everywhere}));
  ASSERT_EQ(host.events.with_reason("FirewallConfigWarning").size(), 2U);
  EXPECT_EQ(host.events.with_reason("FirewallConfigWarning")[0].message.substr(0, 10),
            "the firewa");
  pass(minutes(6));
  EXPECT_EQ(host.events.with_reason("FirewallConfigWarning").size(), 2U);
}

TEST_F(FirewallTest, DO_262_EqualRulesAreOne) {
  put("one", balanced(80));
  put("two", balanced(80));
  put("three", node_port(1, 80));
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(firewall()["inbound_rules"].size(), 1U);
}

// Monitoring that comes from droplets with a tag, say.
TEST_F(FirewallTest, DO_272_SourcesOfOtherKindsThatWereAddedByHandStay) {
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  json& made = cloud.firewalls().begin()->second;
  made["inbound_rules"][0]["sources"]["tags"] = {"edge"};
  made["inbound_rules"][0]["sources"]["droplet_ids"] = {101};
  made["outbound_rules"][0]["destinations"]["tags"] = {"edge"};
  cloud.clear_log();
  pass(minutes(11));
  EXPECT_EQ(writes(), 0);
  put("dns", node_port(53, 30053, "UDP"));
  settle();
  EXPECT_EQ(writes(), 1);
  EXPECT_EQ(open(), (Rules{"tcp/30080" + everywhere, "udp/30053" + everywhere}));
  const json now = firewall();
  for (const json& rule : now["inbound_rules"]) {
    const bool old = rule["protocol"] == "tcp";
    EXPECT_EQ(rule["sources"].value("tags", json()), old ? json{"edge"} : json());
    EXPECT_EQ(rule["sources"].value("droplet_ids", json()), old ? json{101} : json());
  }
  EXPECT_EQ(now["outbound_rules"][0]["destinations"]["tags"], json{"edge"});
}

TEST_F(FirewallTest, DO_268_OnlyDifferencesAreWritten) {
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(writes(), 1);
  put("web", node_port(80, 30080), {{"note", "x"}});
  put("inner", {{"type", "ClusterIP"}, {"ports", json::array({{{"port", 81}}})}});
  settle();
  EXPECT_EQ(cloud.calls(), 0);  // DO-275
  put("web", node_port(80, 30081));
  settle();
  EXPECT_EQ(open(), Rules{"tcp/30081" + everywhere});
  EXPECT_EQ(cloud.calls(), 1);
  host.kube.remove("v1/services", "web", "default");
  settle();
  EXPECT_EQ(open(), Rules{});
}

TEST_F(FirewallTest, DO_269_DO_274_WhatWasChangedByHandIsRepaired) {
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  cloud.firewalls().begin()->second["inbound_rules"] = json::array();
  cloud.firewalls().begin()->second["tags"] = {"worker", "edge"};
  pass(minutes(5));
  EXPECT_EQ(open(), Rules{"tcp/30080" + everywhere});
  EXPECT_EQ(firewall()["tags"], json::array({"worker"}));
  cloud.firewalls().clear();
  pass(minutes(5));
  EXPECT_EQ(open(), Rules{"tcp/30080" + everywhere});
}

// Each change of a Service pulls the periodic run forward.
TEST_F(FirewallTest, DO_274_ChangesOfServicesDoNotPutOffTheRepair) {
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  cloud.firewalls().begin()->second["inbound_rules"] = json::array();
  cloud.clear_log();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(cloud.calls(), 0);
    put("web", node_port(80, 30080), {{"note", std::to_string(i)}});
    pass(minutes(1));
  }
  EXPECT_EQ(open(), Rules{"tcp/30080" + everywhere});
  EXPECT_EQ(cloud.calls(), 2);
}

// The last change is less than a period old when the next look is due.
TEST_F(FirewallTest, DO_269_AChangeInBetweenDoesNotPutOffTheNextLook) {
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  pass(minutes(2));
  put("web", node_port(80, 30080), {{"note", "x"}});
  settle();
  cloud.firewalls().begin()->second["inbound_rules"] = json::array();
  pass(minutes(3));
  EXPECT_EQ(open(), Rules{"tcp/30080" + everywhere});
}

TEST_F(FirewallTest, DO_268_AFirewallThatIsGoneIsMadeAgain) {
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  cloud.firewalls().clear();
  put("web", node_port(80, 30081));
  settle();
  EXPECT_EQ(open(), Rules{"tcp/30081" + everywhere});
}

// The state that the Go manager leaves, in another order than it would be written in here.
TEST_F(FirewallTest, DO_263_DO_272_TakeOverWritesNothing) {
  host.config.set_flag("digitalocean-firewall-tags", "worker,edge");
  put("web", node_port(80, 30080));
  put("balanced", balanced(443), {{kIdOfLb, "lb-1"}});
  cloud.firewalls()["bb4b2611-3d72-467b-8602-280330ecd65c"] = json::parse(R"({
    "id": "bb4b2611-3d72-467b-8602-280330ecd65c", "name": "public", "status": "succeeded",
    "created_at": "2026-01-01T00:00:00Z", "droplet_ids": [101], "pending_changes": [],
    "tags": ["edge", "worker"],
    "inbound_rules": [
      {"protocol": "tcp", "ports": "443", "sources": {"addresses": ["::/0", "0.0.0.0/0"]}},
      {"protocol": "tcp", "ports": "30080", "sources": {"addresses": ["0.0.0.0/0", "::/0"],
                                                       "tags": [], "droplet_ids": []}},
      {"protocol": "tcp", "ports": "10256", "sources": {"load_balancer_uids": ["lb-1"]}}],
    "outbound_rules": [
      {"protocol": "icmp", "ports": "0", "destinations": {"addresses": ["0.0.0.0/0", "::/0"]}},
      {"protocol": "udp", "ports": "0", "destinations": {"addresses": ["0.0.0.0/0", "::/0"]}},
      {"protocol": "tcp", "ports": "0", "destinations": {"addresses": ["0.0.0.0/0", "::/0"]}}]})");
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(writes(), 0);
  put("web", node_port(80, 30081));
  settle();
  EXPECT_EQ(writes(), 1);
  EXPECT_EQ(firewall()["droplet_ids"], json::array({101}));  // DO-265: they stay attached
}

TEST_F(FirewallTest, DO_272_WhatTheCloudMadeOfItIsNotWrittenForEver) {
  put("web", node_port(80, 30080));
  // It folds what it is asked for into something else.
  const std::string id = "bb4b2611-3d72-467b-8602-280330ecd65c";
  const json everything = {{"addresses", {"0.0.0.0/0", "::/0"}}};
  json folded = {
      {"id", id},
      {"name", "public"},
      {"status", "waiting"},
      {"created_at", "2026-01-01T00:00:00Z"},
      {"droplet_ids", json::array()},
      {"pending_changes", json::array()},
      {"tags", {"worker"}},
      {"inbound_rules",
       json::array({{{"protocol", "tcp"}, {"ports", "30000-32767"}, {"sources", everything}}})},
      {"outbound_rules",
       json::array({{{"protocol", "tcp"}, {"ports", "0"}, {"destinations", everything}}})}};
  digitalocean_api::ApiFault answer;
  answer.method = "POST";
  answer.status = 202;
  answer.body = json{{"firewall", folded}}.dump();
  cloud.add_fault(answer);
  ASSERT_TRUE(start<FirewallController>().ok());
  folded["status"] = "succeeded";
  cloud.firewalls()[id] = folded;
  EXPECT_EQ(writes(), 1);
  for (int i = 0; i < 4; ++i) pass(minutes(5));
  EXPECT_EQ(cloud.calls("GET", "/v2/firewalls/" + id), 4);
  EXPECT_EQ(writes(), 0);
  put("web", node_port(80, 30081));
  settle();
  EXPECT_EQ(writes(), 1);
  EXPECT_EQ(open(), Rules{"tcp/30081" + everywhere});
}

TEST_F(FirewallTest, DO_266_AMissingTagIsTriedAgain) {
  cloud.tags().erase("worker");
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_TRUE(cloud.firewalls().empty());
  auto ended = controller->take_reconciled();
  ASSERT_FALSE(ended.empty());
  EXPECT_NE(ended.front().status.message().find("tag worker does not exist"), std::string::npos)
      << ended.front().status.message();
  cloud.tags()["worker"];
  pass(minutes(5));
  EXPECT_EQ(cloud.firewalls().size(), 1U);
}

TEST_F(FirewallTest, DO_267_FaultsAreOutlasted) {
  put("web", node_port(80, 30080));
  digitalocean_api::ApiFault broken;
  broken.path_prefix = "/v2/firewalls";
  broken.count = 3;
  broken.status = 503;
  cloud.add_fault(broken);
  digitalocean_api::ApiFault lost;
  lost.method = "POST";
  lost.path_prefix = "/v2/firewalls";
  lost.lose_answer = true;
  cloud.add_fault(lost);
  ASSERT_TRUE(start<FirewallController>().ok());
  for (int i = 0; i < 10; ++i) pass(minutes(1));
  EXPECT_EQ(open(), Rules{"tcp/30080" + everywhere});
  EXPECT_EQ(cloud.calls("POST", "/v2/firewalls"), 1);  // the one whose answer was lost was found
}

TEST_F(FirewallTest, DO_249_DO_252_Metrics) {
  put("web", node_port(80, 30080));
  ASSERT_TRUE(start<FirewallController>().ok());
  pass(minutes(5));
  const auto operations = host.metrics.find("firewall_api_operations_total");
  ASSERT_TRUE(operations);
  EXPECT_EQ(operations->labels,
            (std::vector<std::string>{"operation", "result", "http_response_code"}));
  std::set<std::string> seen;
  for (const auto& [labels, value] : operations->records) seen.insert(labels);
  EXPECT_EQ(seen, (Rules{"get_by_list,succeeded,200", "create,succeeded,202",
                         "get_by_id,succeeded,200"}));
  const auto runs = host.metrics.find("firewall_reconciles_total");
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->records.front().first, "reconciled,");
  EXPECT_EQ(runs->records.back().first, "skipped,");
  EXPECT_EQ(host.metrics.find("firewall_api_operation_duration_seconds")->buckets.size(), 21U);
  EXPECT_EQ(host.metrics.find("firewall_resource_syncs_total")->records.size(), 2U);
}

TEST_F(FirewallTest, DO_249_DO_250_AListingThatFailsHasItsCode) {
  put("web", node_port(80, 30080));
  for (const int status : {401, 429, 0}) {
    digitalocean_api::ApiFault fault;
    fault.path_prefix = "/v2/firewalls";
    fault.status = status;
    fault.cut = status == 0;
    cloud.add_fault(fault);
  }
  ASSERT_TRUE(start<FirewallController>().ok());
  for (int i = 0; i < 10; ++i) pass(minutes(1));
  std::vector<std::string> seen;
  const auto operations = host.metrics.find("firewall_api_operations_total");
  for (const auto& [labels, value] : operations->records) seen.push_back(labels);
  seen.resize(5);
  EXPECT_EQ(seen, (std::vector<std::string>{"get_by_list,failed,401", "get_by_list,failed,429",
                                            "get_by_list,failed,", "get_by_list,succeeded,200",
                                            "create,succeeded,202"}));
}

}  // namespace
}  // namespace ccm::digitalocean
