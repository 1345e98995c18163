// A role that lacks rights: which controllers wait, which do not, and what operators see.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <algorithm>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kWeb = "/api/v1/namespaces/default/services/web";

// The role of digitalocean-cloud-controller-manager v0.1.68 (DO-307).
constexpr const char* kGoRules = R"([
  {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
   "verbs": ["get", "watch", "list", "create", "update", "delete"]},
  {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch", "update"]},
  {"apiGroups": [""], "resources": ["nodes"], "verbs": ["*"]},
  {"apiGroups": [""], "resources": ["nodes/status"], "verbs": ["patch"]},
  {"apiGroups": [""], "resources": ["services"], "verbs": ["list", "patch", "update", "watch"]},
  {"apiGroups": [""], "resources": ["services/status"],
   "verbs": ["list", "patch", "update", "watch"]},
  {"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["create"]},
  {"apiGroups": [""], "resources": ["persistentvolumes"],
   "verbs": ["get", "list", "update", "watch"]},
  {"apiGroups": [""], "resources": ["endpoints"],
   "verbs": ["create", "get", "list", "watch", "update"]}])";
// What that role lacks, for the sandbox, which allows what it does not forbid.
constexpr const char* kGoLacks = R"([
  {"verb": "get", "resource": "services"},
  {"resource": "configmaps"}, {"resource": "namespaces"},
  {"resource": "tokenreviews"}, {"resource": "subjectaccessreviews"}])";

// Upstream's bootstrap role for the route controller (RBAC-26), and the Lease.
constexpr const char* kRouteRules = R"([
  {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
   "verbs": ["get", "create", "update"]},
  {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch", "update"]},
  {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch"]},
  {"apiGroups": [""], "resources": ["nodes/status"], "verbs": ["patch"]}])";
constexpr const char* kRouteLacks = R"([
  {"verb": "get", "resource": "nodes"}, {"verb": "watch", "resource": "leases"},
  {"resource": "configmaps"}, {"resource": "tokenreviews"},
  {"resource": "subjectaccessreviews"}])";

class PermissionsTest : public EndpointTest {
 protected:
  // The manager may do what `rules` say and nothing else; on the sandbox all but `lacks`.
  void give_only(const char* rules, const char* lacks) {
    if (!real()) {
      deny(json::parse(lacks));
      return;
    }
    const std::string name = "system:cloud-controller-manager";
    server_.give_rights(
        {{{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", "ClusterRole"},
          {"metadata", {{"name", name}}},
          {"rules", json::parse(rules)}},
         {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", "ClusterRoleBinding"},
          {"metadata", {{"name", name}}},
          {"roleRef",
           {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", name}}},
          {"subjects", json::array({{{"kind", "ServiceAccount"},
                                     {"name", "cloud-controller-manager"},
                                     {"namespace", "kube-system"}}})}}});
  }
  // Not by a get, which the sandbox may forbid to all.
  bool served() {
    const json services = api_.get("/api/v1/namespaces/default/services").body.at("items");
    return std::any_of(services.begin(), services.end(), [](const json& service) {
      const json status = service.value("status", json::object());
      return service.at("metadata").at("name") == "web" &&
             !status.value("loadBalancer", json::object()).empty();
    });
  }
  json node(const std::string& name) {
    const json nodes = api_.get("/api/v1/nodes").body.at("items");
    for (const json& one : nodes) {
      if (one.at("metadata").at("name") == name) return one;
    }
    return json::object();
  }
  std::size_t routes() { return cloud_.control("GET", "/routes").at("routes").size(); }
  std::string readyz_for(const support::Credentials& who) {
    return ask_with(who, "/readyz?verbose", "*/*").body;
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
  void see_what_is_missing();
  std::size_t lines_with(const std::string& text) {
    const std::string log = manager_->log();
    std::size_t count = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++count;
    return count;
  }
};

// Status, explain and the health page name the rule to whom they may.
void PermissionsTest::see_what_is_missing() {
  const std::string lacks = "ccm.controller-service lacks patch services/status";
  const Output status = ctl({"status"}, server_.kubeconfig());
  EXPECT_TRUE(contains(status.text, "Permissions ")) << status.text;
  EXPECT_TRUE(contains(status.text, "waits for permissions: " + lacks)) << status.text;
  EXPECT_EQ(status.code, 1) << status.text;
  const Output why = ctl({"explain", "service/default/web"}, server_.kubeconfig());
  EXPECT_EQ(why.code, 1) << why.text;
  EXPECT_TRUE(contains(why.text, "permissions: " + lacks)) << why.text;
  EXPECT_TRUE(contains(why.text, "Class")) << why.text;
  EXPECT_FALSE(contains(why.text, "free worker")) << why.text;
  const std::string ready = readyz_for(api_.credentials());
  EXPECT_TRUE(contains(ready,
                       "[-]permissions-ccm.controller-service failed: it lacks patch "
                       "services/status\n"))
      << ready;
  EXPECT_TRUE(contains(ready, "[i]permissions: " + lacks)) << ready;
}

const std::vector<std::string> kTwo = {"--controllers=cloud-node-controller,service-lb-controller"};

TEST_F(PermissionsTest, OnlyThePluginThatLacksARuleWaits) {
  take_rule();
  launch(reviews(), kTwo);
  ASSERT_TRUE(logs("A plugin waits for permissions")) << manager_->log();
  EXPECT_TRUE(logs("missing=\"patch services/status\"")) << manager_->log();
  EXPECT_TRUE(logs("plugin=\"ccm.controller-service\"")) << manager_->log();
  serve();
  join("node-1");
  ASSERT_TRUE(initialised("node-1")) << "the others go on\n" << manager_->log();
  const auto ready = ask("/readyz?verbose");
  EXPECT_EQ(ready.status, 500);
  EXPECT_TRUE(
      contains(ready.body, "[-]permissions-ccm.controller-service failed: reason withheld\n"))
      << ready.body;
  EXPECT_TRUE(contains(ready.body, "\n[i]deletion-brake: ")) << ready.body;
  EXPECT_FALSE(contains(ready.body, "patch services")) << "not for anybody: " << ready.body;
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
  EXPECT_EQ(lines_with("A plugin waits for permissions"), 1U);
  see_what_is_missing();

  give_rule_back();
  EXPECT_TRUE(eventually(std::chrono::seconds(60), [&] {
    const json status = api_.get(kWeb).body.value("status", json::object());
    return !status.value("loadBalancer", json::object()).empty();
  })) << manager_->log();
  EXPECT_TRUE(logs("The missing permissions were granted"));
  EXPECT_EQ(ask("/readyz?verbose").status, 200);
  const std::string mended = readyz_for(api_.credentials());
  EXPECT_TRUE(contains(mended, "[i]permissions: all granted")) << mended;
}

// A standby, which may take over later, says so now.
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
  EXPECT_TRUE(logs("A plugin waits for permissions")) << manager_->log();
  EXPECT_EQ(manager_->log().find("\"Leading\""), std::string::npos);
}

TEST_F(PermissionsTest, AnApiServerThatDoesNotSayStopsNothing) {
  const std::string kubeconfig = reviews_through_proxy();
  proxy_->add({.target = "selfsubjectaccessreviews", .status = 403});
  start("", {"--kubeconfig=" + kubeconfig});
  EXPECT_TRUE(logs("The API server does not answer access reviews"));
  join("node-2");
  EXPECT_TRUE(initialised("node-2")) << manager_->log();
  EXPECT_EQ(lines_with("The API server does not answer access reviews"), 1U);
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
  const std::string ready = readyz_for(api_.credentials());
  EXPECT_TRUE(contains(ready, "[i]permissions: all granted")) << ready;
  EXPECT_EQ(manager_->log().find("forbidden"), std::string::npos) << manager_->log();
}

// Clusters that change the image keep the role that they have.
TEST_F(PermissionsTest, DO_307_TheGoManagersRoleIsEnoughForAllControllers) {
  give_only(kGoRules, kGoLacks);
  start(reviews(), {"--controllers=*,node-ipam-controller", "--allocate-node-cidrs=true",
                    "--cluster-cidr=10.244.0.0/16", "--route-reconciliation-period=1s"});
  ASSERT_TRUE(manager_->running()) << manager_->log();
  serve();
  join("node-4");
  EXPECT_TRUE(eventually(patience(), [&] {
    const json spec = node("node-4").value("spec", json::object());
    return spec.contains("providerID") && spec.contains("podCIDR") && served() && routes() == 1;
  })) << manager_->log();
  EXPECT_TRUE(logs("until a role allows reading the cluster's authentication settings"));
  EXPECT_EQ(lines_with("extension-apiserver-authentication-reader"), 1U) << manager_->log();
  EXPECT_EQ(lines_with("Continuing without optional permissions"), 1U) << manager_->log();
  EXPECT_FALSE(contains(manager_->log(), "A plugin waits for permissions")) << manager_->log();
  EXPECT_EQ(ask("/readyz").status, 200);
}

// The node controller, which runs beside it in this fixture, waits.
TEST_F(PermissionsTest, RBAC_26_UpstreamsRoleIsEnoughForRoutes) {
  give_only(kRouteRules, kRouteLacks);
  launch(reviews(), {"--controllers=node-route-controller", "--cluster-cidr=10.244.0.0/16",
                     "--route-reconciliation-period=1s"});
  cloud_.control("PUT", "/machines/m-5", {{"id", "m-5"}, {"name", "node-5"}});
  ASSERT_TRUE(api_.create("/api/v1/nodes", {{"apiVersion", "v1"},
                                            {"kind", "Node"},
                                            {"metadata", {{"name", "node-5"}}},
                                            {"spec",
                                             {{"providerID", "sandbox://m-5"},
                                              {"podCIDR", "10.244.5.0/24"},
                                              {"podCIDRs", json::array({"10.244.5.0/24"})}}}})
                  .ok());
  EXPECT_TRUE(eventually(patience(), [&] { return routes() == 1; })) << manager_->log();
  EXPECT_TRUE(logs("plugin=\"ccm.controller-route\" missing=\"get nodes\"")) << manager_->log();
  EXPECT_TRUE(logs("\"A plugin waits for permissions\" plugin=\"ccm.controller-node\""));
  const std::string ready = ask("/readyz?verbose").body;
  EXPECT_TRUE(contains(ready, "[-]permissions-ccm.controller-node ")) << ready;
  EXPECT_FALSE(contains(ready, "[-]permissions-ccm.controller-route ")) << ready;
}

// Without a Lease nobody leads, but everything else is there, and says why.
TEST_F(PermissionsTest, RBAC_3_WithoutRightsToTheLeaseItStandsByAndSaysSo) {
  json rules = json::parse(kGoRules);
  rules.erase(0);
  give_only(rules.dump().c_str(), R"([{"resource": "leases"}])");
  launch(reviews(), kTwo);
  ASSERT_TRUE(logs("The host lacks permissions")) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(), "missing=\"create leases.coordination.k8s.io"));
  ASSERT_TRUE(logs("Failed to acquire the Lease")) << manager_->log();
  EXPECT_TRUE(manager_->running());
  EXPECT_EQ(ask("/healthz").status, 200);
  EXPECT_EQ(ask("/readyz").status, 500);
  EXPECT_EQ(lines_with("Failed to acquire the Lease"), 1U) << manager_->log();
  if (!real()) {  // where it can review who asks
    const Output status = ctl({"status"}, server_.kubeconfig());
    EXPECT_TRUE(contains(status.text, "host lacks create leases.coordination.k8s.io"))
        << status.text;
  }
  give_only(kGoRules, "[]");
  EXPECT_TRUE(logs("\"Leading\"")) << manager_->log();
}

}  // namespace
}  // namespace ccm::e2e
