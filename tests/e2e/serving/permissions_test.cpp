// A role that lacks something: who waits, who does not, and what an operator gets to see.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kRole =
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:cloud-controller-manager";
constexpr const char* kTaintKey = "node.cloudprovider.kubernetes.io/uninitialized";
constexpr const char* kWeb = "/api/v1/namespaces/default/services/web";

class PermissionsTest : public EndpointTest {
 protected:
  // Nobody may patch services/status any more; or, on the sandbox, nobody at all.
  void take_rule() {
    if (!real()) {
      deny(json::array({{{"verb", "patch"}, {"resource", "services"}, {"subresource", "status"}}}));
      return;
    }
    server_.manager_kubeconfig();  // gives the usual rights
    json role = api_.get(kRole).body;
    rules_ = role.at("rules");
    json left = json::array();
    for (const json& rule : rules_) {
      if (rule.at("resources") != json::array({"services/status"})) left.push_back(rule);
    }
    ASSERT_EQ(left.size() + 1, rules_.size());
    set_rules(left);
  }
  void give_rule_back() {
    if (real()) {
      set_rules(rules_);
    } else {
      deny(json::array());
    }
  }
  void join(const std::string& name) {
    cloud_.control("PUT", "/machines/m-" + name, {{"id", "m-" + name}, {"name", name}});
    const json taint = {{"key", kTaintKey}, {"value", "true"}, {"effect", "NoSchedule"}};
    ASSERT_TRUE(api_.create("/api/v1/nodes", {{"apiVersion", "v1"},
                                              {"kind", "Node"},
                                              {"metadata", {{"name", name}}},
                                              {"spec", {{"taints", json::array({taint})}}}})
                    .ok());
  }
  bool initialised(const std::string& name) {
    return eventually(patience(), [&] {
      const json spec = api_.get("/api/v1/nodes/" + name).body.at("spec");
      for (const json& taint : spec.value("taints", json::array())) {
        if (taint.at("key") == kTaintKey) return false;
      }
      return spec.contains("providerID");
    });
  }
  void serve() {
    const json port = {{"port", 80}, {"protocol", "TCP"}};
    ASSERT_TRUE(api_.create("/api/v1/namespaces/default/services",
                            {{"apiVersion", "v1"},
                             {"kind", "Service"},
                             {"metadata", {{"name", "web"}}},
                             {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}})
                    .ok());
  }
  std::size_t lines_with(const std::string& text) {
    const std::string log = manager_->log();
    std::size_t count = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++count;
    return count;
  }

 private:
  void deny(const json& rules) {
    support::HttpRequest request;
    request.method = "PUT";
    request.target = "/sandbox/deny";
    request.headers = {{"Content-Type", "application/json"}};
    request.body = rules.dump();
    ASSERT_TRUE(api_.send(request).ok());
  }
  void set_rules(const json& rules) {
    ASSERT_TRUE(api_.patch(kRole, support::kMergePatch, {{"rules", rules}}).ok());
  }

  json rules_;
};

const std::vector<std::string> kTwo = {"--controllers=cloud-node-controller,service-lb-controller"};

TEST_F(PermissionsTest, OnlyThePluginThatLacksARuleWaits) {
  take_rule();
  launch(reviews(), kTwo);
  ASSERT_TRUE(logs("a plugin waits for permissions")) << manager_->log();
  EXPECT_TRUE(logs("missing=\"patch services/status\"")) << manager_->log();
  EXPECT_TRUE(logs("plugin=\"ccm.controller-service\"")) << manager_->log();
  serve();
  join("node-1");
  ASSERT_TRUE(initialised("node-1")) << "the others go on\n" << manager_->log();
  const auto ready = ask("/readyz?verbose");
  EXPECT_EQ(ready.status, 500);
  EXPECT_NE(ready.body.find("[-]permissions-ccm.controller-service"), std::string::npos)
      << ready.body;
  EXPECT_EQ(ask("/livez").status, 200) << "a restart would not help";
  EXPECT_TRUE(eventually(patience(), [&] {
    const json events = api_.get("/api/v1/namespaces/kube-system/events").body;
    for (const json& event : events.at("items")) {
      if (event.at("reason") == "MissingPermissions") {
        return event.at("message") == "ccm.controller-service lacks patch services/status";
      }
    }
    return false;
  }));
  EXPECT_TRUE(cloud_.calls().at("by_operation").value("CreateLoadBalancer", 0) == 0)
      << "it works although it must not finish";
  EXPECT_EQ(lines_with("a plugin waits for permissions"), 1U);

  give_rule_back();
  EXPECT_TRUE(eventually(std::chrono::seconds(60), [&] {
    const json status = api_.get(kWeb).body.value("status", json::object());
    return !status.value("loadBalancer", json::object()).empty();
  })) << manager_->log();
  EXPECT_TRUE(logs("the missing permissions are there"));
  const auto mended = ask("/readyz?verbose");
  EXPECT_EQ(mended.status, 200) << mended.body;
  EXPECT_NE(mended.body.find("[i]permissions: all granted"), std::string::npos) << mended.body;
}

// Who takes over later says so now.
TEST_F(PermissionsTest, AStandbyAsksToo) {
  take_rule();
  ASSERT_TRUE(api_.create("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
                          {{"apiVersion", "coordination.k8s.io/v1"},
                           {"kind", "Lease"},
                           {"metadata", {{"name", "cloud-controller-manager"}}},
                           {"spec",
                            {{"holderIdentity", "somebody"},
                             {"leaseDurationSeconds", 3600},
                             {"acquireTime", "2026-01-01T00:00:00.000000Z"},
                             {"renewTime", "2026-01-01T00:00:00.000000Z"},
                             {"leaseTransitions", 1}}}})
                  .ok());
  launch(reviews(), kTwo);
  EXPECT_TRUE(logs("a plugin waits for permissions")) << manager_->log();
  EXPECT_EQ(manager_->log().find("\"leading\""), std::string::npos);
}

TEST_F(PermissionsTest, AnApiServerThatDoesNotSayStopsNothing) {
  const std::string kubeconfig = reviews_through_proxy();
  ProxyFault fault;
  fault.target = "selfsubjectaccessreviews";
  fault.status = 403;
  proxy_->add(fault);
  start("", {"--kubeconfig=" + kubeconfig});
  EXPECT_TRUE(logs("the API server does not say what this program may do"));
  join("node-2");
  EXPECT_TRUE(initialised("node-2")) << manager_->log();
  EXPECT_EQ(lines_with("the API server does not say what this program may do"), 1U);
}

// The role that ccmctl prints is all that a manager with all controllers needs.
TEST_F(PermissionsTest, WhatCcmctlPrintsIsEnough) {
  start(reviews(), {"--controllers=*,node-ipam-controller", "--allocate-node-cidrs=true",
                    "--cluster-cidr=10.244.0.0/16"});
  serve();
  join("node-3");
  ASSERT_TRUE(initialised("node-3")) << manager_->log();
  EXPECT_TRUE(eventually(patience(), [&] {
    const json node = api_.get("/api/v1/nodes/node-3").body;
    const json status = api_.get(kWeb).body.value("status", json::object());
    return node.at("spec").contains("podCIDR") &&
           !status.value("loadBalancer", json::object()).empty();
  })) << manager_->log();
  const auto ready = ask("/readyz?verbose");
  EXPECT_NE(ready.body.find("[i]permissions: all granted"), std::string::npos) << ready.body;
  EXPECT_EQ(manager_->log().find("forbidden"), std::string::npos) << manager_->log();
}

}  // namespace
}  // namespace ccm::e2e
