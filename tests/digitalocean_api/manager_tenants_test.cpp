// Load balancers that are somebody else's, and annotations that make no sense: the real manager.
#include "manager_fixture.hpp"
#include "support/ports.hpp"

#include <algorithm>

namespace ccm::digitalocean_api {
namespace {

using support::eventually;
using support::patience;

const std::string kServices = "/api/v1/namespaces/default/services";
const std::string kId = "kubernetes.digitalocean.com/load-balancer-id";
const std::string kDo = "service.beta.kubernetes.io/do-loadbalancer-";

class ManagerTenantsTest : public ManagerTest {
 protected:
  ManagerTenantsTest() { two_nodes(); }
  void start_services(const std::vector<std::string>& more = {}) {
    std::vector<std::string> flags = {"--leader-elect=false", "--secure-port=0"};
    flags.insert(flags.end(), more.begin(), more.end());
    start("cloud-node-controller,service-lb-controller", {}, flags);
    ASSERT_TRUE(eventually(patience(), [&] { return initialised("node-") == 2; }));
  }
  void create(const std::string& name, const json& annotations, int port = 80) {
    const auto made = api_.create(
        kServices,
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", {{"name", name}, {"annotations", annotations}}},
         {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({{{"port", port}}})}}}});
    ASSERT_EQ(made.status, 201) << made.http.body;
  }
  void annotate(const std::string& name, const json& annotations) {
    const auto changed = api_.patch(kServices + "/" + name, support::kMergePatch,
                                    {{"metadata", {{"annotations", annotations}}}});
    ASSERT_TRUE(changed.ok()) << changed.http.body;
  }
  json service(const std::string& name) { return api_.get(kServices + "/" + name).body; }
  // The messages of Events on a Service; empty: there is none.
  std::string event(const std::string& name, const std::string& reason) {
    std::string messages;
    const auto events = api_.get("/api/v1/namespaces/default/events");
    for (const json& event : events.body.at("items")) {
      if (event.at("involvedObject").value("name", "") == name &&
          event.value("reason", "") == reason) {
        messages += event.value("message", "") + "\n";
      }
    }
    return messages;
  }
  bool is_gone(const std::string& name) { return api_.get(kServices + "/" + name).status == 404; }
  void remove(const std::string& name) { api_.remove(kServices + "/" + name); }
  std::map<std::string, json> balancers() {
    std::map<std::string, json> all;
    cloud_.with([&](Api& api) { all = api.load_balancers(); });
    return all;
  }
  std::string add(const json& members) {
    std::string id;
    cloud_.with([&](Api& api) { id = api.add_load_balancer(members)["id"]; });
    return id;
  }
  // Another one that is made now has its address, so what was to be done before has been done.
  void settle() {
    const std::string name = "settled-" + std::to_string(++settled_);
    serve(name);
    EXPECT_TRUE(eventually(patience(), [&] { return has_address(name); }));
    remove(name);
    EXPECT_TRUE(eventually(patience(), [&] { return is_gone(name); }));
  }

 private:
  int settled_ = 0;
};

TEST_F(ManagerTenantsTest, DO_104_AnIdOfSomebodyElsesTakesNothingOverAndDeletesNothing) {
  serve("victim");
  start_services();
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("victim"); }));
  const std::map<std::string, std::string> ids = {
      {"of-a-service", service("victim")["metadata"]["annotations"][kId]},
      {"by-hand", add({{"name", "by-hand"}, {"region", "nyc3"}})},
      {"of-a-cluster",
       add({{"name", "theirs"}, {"region", "nyc3"}, {"tags", {"k8s:another-cluster"}}})}};
  const auto before = balancers();
  for (const auto& [name, id] : ids) {
    create(name, {{kId, id}, {"cloud-controller-manager/retain-load-balancer", "false"}}, 8080);
    ASSERT_TRUE(
        eventually(patience(), [&] { return !event(name, "SyncLoadBalancerFailed").empty(); }));
    const std::string reported = event(name, "SyncLoadBalancerFailed");
    EXPECT_NE(reported.find("is not this Service's"), std::string::npos) << reported;
    for (const auto& [other, any] : ids)
      EXPECT_EQ(reported.find(any), std::string::npos) << reported;
    annotate(name, {{"cloud-controller-manager/adopt-load-balancer", id}});
  }
  manager_->stop();
  start_services();
  settle();
  for (const auto& [name, id] : ids) remove(name);
  for (const auto& [name, id] : ids) {
    EXPECT_TRUE(eventually(patience(), [&] { return is_gone(name); })) << name;
    EXPECT_TRUE(eventually(patience(), [&] {
      return !event(name, "LoadBalancerNotOwned").empty();
    })) << name;
    EXPECT_TRUE(event(name, "DeletedLoadBalancer").empty()) << name;
  }
  EXPECT_EQ(balancers(), before);
}

TEST_F(ManagerTenantsTest, DO_121_TheAdministratorHandsOneOver) {
  const std::string id = add({{"name", "old"},
                              {"region", "nyc3"},
                              {"type", "REGIONAL_NETWORK"},
                              {"ip", "198.51.100.77"},
                              {"tags", {"k8s:another-cluster"}}});
  start_services({"--load-balancer-adoption=default/web=" + id});
  create("web", {{kId, id}});
  create("other", {{kId, id}});
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  EXPECT_EQ(service("web")["status"]["loadBalancer"]["ingress"][0]["ip"], "198.51.100.77");
  EXPECT_EQ(balancers().at(id)["tags"], json::array());
  ASSERT_TRUE(
      eventually(patience(), [&] { return !event("other", "SyncLoadBalancerFailed").empty(); }));
  remove("other");
  EXPECT_TRUE(eventually(patience(), [&] { return is_gone("other"); }));
  // From now on its name is the proof.
  manager_->stop();
  start_services();
  settle();
  EXPECT_TRUE(balancers().contains(id));
  remove("web");
  EXPECT_TRUE(eventually(patience(), [&] { return is_gone("web") && balancers().empty(); }));
}

// DigitalOcean's own manager leaves a chosen name, and the address in the status.
TEST_F(ManagerTenantsTest, DO_93_DO_358_AChosenNameIsTakenOverWithoutAWrite) {
  json theirs = go_load_balancer("shop");
  theirs["ip"] = "198.51.100.78";
  const std::string id = add(theirs);
  create("web", {{kId, id},
                 {kDo + "name", "shop"},
                 {kDo + "type", "REGIONAL_NETWORK"},
                 // Not read there: what is open stays open.
                 {"service.beta.kubernetes.io/load-balancer-source-ranges", "10.0.0.0/8"}});
  const json left = {
      {"metadata", {{"finalizers", {"service.kubernetes.io/load-balancer-cleanup"}}}},
      {"status",
       {{"loadBalancer",
         {{"ingress", json::array({{{"ip", "198.51.100.78"}, {"ipMode", "VIP"}}})}}}}}};
  ASSERT_TRUE(api_.patch(kServices + "/web/status", support::kMergePatch, left).ok());
  const json before = service("web")["metadata"]["resourceVersion"];
  start_services();
  // Its Event is the last thing to come.
  ASSERT_TRUE(
      eventually(patience(), [&] { return !event("web", "LoadBalancerConfigWarning").empty(); }));
  EXPECT_EQ(service("web")["metadata"]["resourceVersion"], before);
  cloud_.with([](Api& api) { EXPECT_EQ(api.writes(), 0); });
  remove("web");
  EXPECT_TRUE(eventually(patience(), [&] { return is_gone("web") && balancers().empty(); }));
}

TEST_F(ManagerTenantsTest, DO_119_DO_155_NoAnnotationHoldsUpADeletion) {
  start_services();
  const std::map<std::string, json> wrong = {
      {"network", {{kDo + "network", "BOGUS"}}},
      {"stack", {{kDo + "network-stack", "BOGUS"}}},
      {"tag", {{kDo + "target-tag", "db-clients"}}},
      {"type", {{kDo + "type", "GLOBAL"}}},
      {"disown", {{"service.kubernetes.io/do-loadbalancer-disown", "maybe"}}}};
  for (const auto& [name, annotations] : wrong) serve(name);
  for (const auto& [name, annotations] : wrong) {
    ASSERT_TRUE(eventually(patience(), [&] { return has_address(name); })) << name;
    annotate(name, annotations);
    EXPECT_TRUE(eventually(patience(), [&] {
      return !event(name, "SyncLoadBalancerFailed").empty();
    })) << name;
  }
  const std::string kept = service("disown")["metadata"]["annotations"][kId];
  for (const auto& [name, annotations] : wrong) remove(name);
  for (const auto& [name, annotations] : wrong) {
    EXPECT_TRUE(eventually(patience(), [&] { return is_gone(name); })) << name;
  }
  EXPECT_EQ(balancers().size(), 1U);
  EXPECT_TRUE(balancers().contains(kept));
  EXPECT_TRUE(eventually(patience(), [&] {
    return event("disown", "LoadBalancerRetained").find("maybe") != std::string::npos;
  }));
  EXPECT_TRUE(event("disown", "DeletedLoadBalancer").empty());
}

// Asked as somebody without a credential, whom the flag lets through.
TEST_F(ManagerTenantsTest, DO_118_DO_128_ExplainShowsADisownedLoadBalancerAndOddAnnotations) {
  const support::ReservedPort port;
  const std::string number = std::to_string(port.port());
  create("web", {{kDo + "protocl", "tcp"}});
  start_services({"--bind-address=127.0.0.1", "--secure-port=" + number,
                  "--permit-port-sharing=true", "--cert-dir=" + folder_.path().string(),
                  "--authentication-skip-lookup=true",
                  "--authorization-always-allow-paths=/statusz"});
  const auto file = folder_.path() / "nobody.kubeconfig";
  support::write_file(file, R"({"apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "c", "cluster": {"server": "https://unused.example"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}]})");
  int runs = 0;
  const auto explains = [&](const std::vector<std::string>& parts) {
    std::string text;
    EXPECT_TRUE(eventually(patience(), [&] {
      const auto log = folder_.path() / ("explain" + std::to_string(++runs));
      support::Process process(
          {support::program("CCM_CTL", CCM_CTL_PROGRAM), "explain", "service/default/web",
           "--kubeconfig=" + file.string(), "--endpoint=https://127.0.0.1:" + number,
           "--insecure-skip-tls-verify"},
          {log, {{"KUBECONFIG", ""}, {"HOME", ""}}});
      const auto ended = process.wait(patience());
      text = process.log();
      return ended && ended->code == 0 && std::all_of(parts.begin(), parts.end(), [&](auto& part) {
               return text.find(part) != std::string::npos;
             });
    })) << text;
  };
  explains({"settled", "LoadBalancerConfigWarning", kDo + "protocl is not known; did you mean",
            "  Addresses  "});
  const std::string id = service("web")["metadata"]["annotations"][kId];
  annotate("web", {{"service.kubernetes.io/do-loadbalancer-disown", "true"}});
  explains({"settled", "  Id          " + id, "  Addresses   ",
            "  Left alone  the Service's load balancer is disowned by annotation "
            "service.kubernetes.io/do-loadbalancer-disown"});
}

TEST_F(ManagerTenantsTest, DO_103_AnotherTypeAndBackKeepsTheUsersAnnotations) {
  const json written = {{kDo + "type", "REGIONAL"}, {kDo + "size-unit", "3"}};
  create("web", written);
  start_services();
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  for (const char* type : {"ClusterIP", "LoadBalancer"}) {
    ASSERT_TRUE(
        api_.patch(kServices + "/web", support::kMergePatch, {{"spec", {{"type", type}}}}).ok());
    const bool balanced = std::string(type) == "LoadBalancer";
    ASSERT_TRUE(eventually(patience(), [&] {
      return balanced ? has_address("web")
                      : balancers().empty() && !service("web")["metadata"].contains("finalizers");
    })) << type;
    json annotations = service("web")["metadata"]["annotations"];
    annotations.erase(kId);
    EXPECT_EQ(annotations, written) << type;
  }
  EXPECT_EQ(balancers().begin()->second["type"], "REGIONAL");
  EXPECT_EQ(balancers().begin()->second["size_unit"], 3);
}

TEST_F(ManagerTenantsTest, DO_181_WhatANetworkLoadBalancerIgnoresIsNotRepairedByAudits) {
  cloud_.with([](Api& api) {
    api.ignored_members = {"sticky_sessions", "enable_proxy_protocol", "size_unit"};
  });
  create("web", {{kDo + "sticky-sessions-type", "cookies"},
                 {kDo + "sticky-sessions-cookie-name", "LB"},
                 {kDo + "sticky-sessions-cookie-ttl", "300"},
                 {kDo + "enable-proxy-protocol", "true"}});
  start_services({"--load-balancer-audit-period=1s"});
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  annotate("web", {{kDo + "size-unit", "5"}});  // once, and then it is known to lead nowhere
  ASSERT_TRUE(eventually(patience(), [&] {
    return event("web", "LoadBalancerConfigWarning").find("size") != std::string::npos;
  }));
  cloud_.with([](Api& api) { api.clear_log(); });
  ASSERT_TRUE(eventually(patience(), [&] {
    int64_t looks = 0;
    cloud_.with([&](Api& api) { looks = api.calls("GET", "/v2/load_balancers"); });
    return looks > 3;
  }));
  cloud_.with([](Api& api) { EXPECT_EQ(api.writes(), 0); });
  EXPECT_EQ(event("web", "LoadBalancerDrift"), "");
}

TEST_F(ManagerTenantsTest, DO_30_AFirewallThatNobodyKeepsIsToldOf) {
  const auto start_with = [&](const std::string& controllers) {
    if (manager_) manager_->stop();
    const size_t logged = manager_ ? manager_->log().size() : 0;
    start(controllers,
          {{"PUBLIC_ACCESS_FIREWALL_NAME", "public"}, {"PUBLIC_ACCESS_FIREWALL_TAGS", "worker"}});
    return eventually(patience(), [&] {
      return manager_->log().find("Provider is ready", logged) != std::string::npos;
    });
  };
  const std::string reported = "--controllers leaves digitalocean-firewall out";
  ASSERT_TRUE(start_with("cloud-node-controller,service-lb-controller"));
  EXPECT_NE(manager_->log().find(reported), std::string::npos) << tail(manager_->log());
  const size_t before = manager_->log().size();
  ASSERT_TRUE(start_with("cloud-node-controller,digitalocean-firewall"));
  EXPECT_EQ(manager_->log().find(reported, before), std::string::npos);
}

}  // namespace
}  // namespace ccm::digitalocean_api
