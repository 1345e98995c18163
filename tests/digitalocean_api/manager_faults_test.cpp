// The real manager on a cloud with faults, and its firewall and tag controllers.
#include "manager_fixture.hpp"

#include <fstream>
#include <set>
#include <string>

namespace ccm::digitalocean_api {
namespace {

using support::eventually;
using support::patience;

class ManagerFaultTest : public ManagerTest {
 protected:
  void fault(const ApiFault& one) {
    cloud_.with([&](Api& api) { api.add_fault(one); });
  }
  json service(const std::string& name) {
    return api_.get("/api/v1/namespaces/default/services/" + name).body;
  }
  // DO-92
  std::string uid_name(const std::string& of_service) {
    std::string name = "a" + service(of_service)["metadata"]["uid"].get<std::string>();
    std::erase(name, '-');
    return name.substr(0, 32);
  }
  size_t balancers() {
    size_t count = 0;
    cloud_.with([&](Api& api) { count = api.load_balancers().size(); });
    return count;
  }
  void change_token(const std::string& token) {
    cloud_.with([&](Api& api) { api.token = token; });
  }
};

// Load balancers that the Go manager created and recorded are taken over without a write.
TEST_F(ManagerFaultTest, DO_97_DO_358_TakeOverFromTheGoManagerWritesNothing) {
  two_nodes();
  // As it left them: a Node without an address of the outside takes no traffic (DO-208).
  const json addresses = json::array({{{"type", "ExternalIP"}, {"address", "192.0.2.1"}}});
  for (const char* node : {"node-0", "node-1"}) {
    const auto written = api_.patch("/api/v1/nodes/" + std::string(node) + "/status",
                                    support::kMergePatch, {{"status", {{"addresses", addresses}}}});
    ASSERT_EQ(written.status, 200) << written.http.body;
  }
  serve("web");
  const std::string name = uid_name("web");
  std::string id;
  cloud_.with([&](Api& api) { id = api.add_load_balancer(go_load_balancer(name))["id"]; });
  const json annotations = {
      {"kubernetes.digitalocean.com/load-balancer-id", id},
      {"service.beta.kubernetes.io/do-loadbalancer-type", "REGIONAL_NETWORK"}};
  api_.patch("/api/v1/namespaces/default/services/web", support::kMergePatch,
             {{"metadata",
               {{"annotations", annotations},
                {"finalizers", {"service.kubernetes.io/load-balancer-cleanup"}}}}});
  start("*");
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  // The next one is done after it, so nothing is left to do.
  serve("next");
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("next"); }));
  cloud_.with([](Api& api) {
    EXPECT_EQ(api.calls("PUT", "/"), 0);
    EXPECT_EQ(api.writes(), 1);  // of the next one
  });
  EXPECT_EQ(
      service("web")["metadata"]["annotations"]["kubernetes.digitalocean.com/load-balancer-id"],
      id);
}

TEST_F(ManagerFaultTest, DO_322_ThrottledCallsWaitAsLongAsTheyAreTold) {
  two_nodes();
  ApiFault throttled;
  throttled.path_prefix = "/v2/load_balancers";
  throttled.status = 429;
  throttled.retry_after = 2;
  throttled.count = 2;
  fault(throttled);
  start("*");
  serve("web");
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  EXPECT_EQ(balancers(), 1U);
  cloud_.with([](Api& api) {
    Milliseconds refused{0};
    for (const Exchange& exchange : api.log()) {
      if (!exchange.path.starts_with("/v2/load_balancers")) continue;
      if (refused.count() != 0) {
        EXPECT_GE(exchange.at - refused, Milliseconds(1'900)) << exchange.path;
      }
      refused = exchange.status == 429 ? exchange.at : Milliseconds(0);
    }
  });
}

TEST_F(ManagerFaultTest, DO_45_ServerErrorsAndCutConnectionsAreOutlasted) {
  two_nodes();
  ApiFault broken;
  broken.path_prefix = "/v2/load_balancers";
  broken.status = 502;
  broken.body = "<html>502 Bad Gateway</html>";
  broken.count = 2;
  fault(broken);
  ApiFault cut;
  cut.path_prefix = "/v2/load_balancers";
  cut.cut = true;
  cut.count = 2;
  fault(cut);
  ApiFault lost;
  lost.method = "POST";
  lost.path_prefix = "/v2/load_balancers";
  lost.lose_answer = true;
  fault(lost);
  start("*");
  serve("web");
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  // No other one was made for the one whose answer was lost.
  EXPECT_EQ(balancers(), 1U);
  cloud_.with([](Api& api) { EXPECT_EQ(api.calls("POST", "/v2/load_balancers"), 1); });
}

TEST_F(ManagerFaultTest, DO_67_ATokenThatIsRefusedDeletesNothing) {
  two_nodes();
  const auto file = folder_.path() / "token";
  std::ofstream(file) << "dop_v1_test\n";
  start("*", {{"DO_ACCESS_TOKEN", ""}, {"DO_ACCESS_TOKEN_FILE", file.string()}});
  ASSERT_TRUE(eventually(patience(), [&] { return initialised("node-") == 2; }));
  change_token("dop_v1_new");
  // Not ready, so its droplet is asked for, and a newcomer.
  const json not_ready = {{"status",
                           {{"conditions", json::array({{{"type", "Ready"},
                                                         {"status", "Unknown"},
                                                         {"reason", "NodeStatusUnknown"}}})}}}};
  api_.patch("/api/v1/nodes/node-0/status", support::kStrategicPatch, not_ready);
  cloud_.with([](Api& api) {
    api.generate_droplets(5010, 1, "new-");
    api.clear_log();
  });
  join(5010, "new-0", true);
  ASSERT_TRUE(eventually(patience(), [&] {
    int64_t refused = 0;
    cloud_.with([&](Api& api) {
      for (const Exchange& exchange : api.log()) refused += exchange.status == 401 ? 1 : 0;
    });
    return refused >= 2;
  }));
  EXPECT_EQ(initialised("new-"), 0);
  EXPECT_EQ(api_.get("/api/v1/nodes/node-0").status, 200);
  // DO-7: the new token needs no restart.
  std::ofstream(file) << "dop_v1_new\n";
  EXPECT_TRUE(eventually(patience(), [&] { return initialised("new-") == 1; }));
  EXPECT_EQ(api_.get("/api/v1/nodes/node-0").status, 200);
  EXPECT_EQ(manager_->log().find("dop_v1_new"), std::string::npos);
}

TEST_F(ManagerFaultTest, DO_255_DO_277_FirewallAndTags) {
  two_nodes();
  serve("web");
  const std::string name = uid_name("web");
  cloud_.with([&](Api& api) {
    api.tags()["worker"];
    api.add_load_balancer({{"id", "lb-old"}, {"name", name}, {"region", "nyc3"}});
  });
  api_.patch("/api/v1/namespaces/default/services/web", support::kMergePatch,
             {{"metadata",
               {{"annotations", {{"kubernetes.digitalocean.com/load-balancer-id", "lb-old"}}}}}});
  start("digitalocean-firewall,digitalocean-tags", {{"DO_CLUSTER_ID", "c1"},
                                                    {"PUBLIC_ACCESS_FIREWALL_NAME", "public"},
                                                    {"PUBLIC_ACCESS_FIREWALL_TAGS", "worker"}});
  using Ports = std::set<std::string>;
  const auto open = [&] {
    Ports ports;
    cloud_.with([&](Api& api) {
      if (api.firewalls().empty()) return;
      for (const json& rule : api.firewalls().begin()->second["inbound_rules"]) {
        ports.insert(rule["ports"].get<std::string>());
      }
    });
    return ports;
  };
  EXPECT_TRUE(eventually(patience(), [&] { return open() == Ports{"80", "10256"}; }));
  const auto made = api_.create(
      "/api/v1/namespaces/default/services",
      {{"apiVersion", "v1"},
       {"kind", "Service"},
       {"metadata", {{"name", "ports"}}},
       {"spec",
        {{"type", "NodePort"},
         {"ports", json::array({{{"port", 7}, {"nodePort", 30007}, {"protocol", "TCP"}}})}}}});
  ASSERT_EQ(made.status, 201) << made.http.body;
  EXPECT_TRUE(eventually(patience(), [&] { return open() == Ports{"80", "10256", "30007"}; }));
  EXPECT_TRUE(eventually(patience(), [&] {
    json tags;
    cloud_.with([&](Api& api) { tags = api.load_balancers().at("lb-old")["tags"]; });
    return tags == json::array({"k8s:c1"});
  }));
}

TEST_F(ManagerFaultTest, DO_15_DO_277_ControllersThatAreNotConfiguredAreOff) {
  start("*");
  ASSERT_TRUE(eventually(patience(), [&] {
    const std::string log = manager_->log();
    return log.find("no public access firewall is configured") != std::string::npos &&
           log.find("DO_CLUSTER_ID is not set") != std::string::npos;
  })) << manager_->log();
  EXPECT_TRUE(manager_->running());
  cloud_.with([](Api& api) { EXPECT_EQ(api.calls("GET", "/v2/firewalls"), 0); });
}

}  // namespace
}  // namespace ccm::digitalocean_api
