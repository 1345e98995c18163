// --use-service-account-credentials: controllers work under accounts of their own, and the program
// may do less.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kAccountsFlag = "--use-service-account-credentials";
constexpr const char* kSystemAccounts = "/api/v1/namespaces/kube-system/serviceaccounts";
constexpr const char* kRbacApi = "/apis/rbac.authorization.k8s.io/v1/";
constexpr const char* kWebService = "/api/v1/namespaces/default/services/web";
const std::string kServiceAccountUser = "system:serviceaccount:kube-system:service-controller";
const std::vector<std::string> kTwoWithAccounts = {
    kAccountsFlag, "--controllers=cloud-node-controller,service-lb-controller"};

class ServiceAccountsTest : public EndpointTest {
 protected:
  // The rights that ccmctl prints for this flag. The sandbox allows what it does not forbid: there
  // the program's own user may not write what controllers write.
  ServiceAccountsTest() {
    if (real()) {
      server_.give_rights(support::printed_rights(
          {"--cloud-provider=sandbox", "--controllers=*,node-ipam-controller", kAccountsFlag},
          folder_.path()));
      // The API server grants accounts of these names more by itself.
      for (const char* name : {"node", "service", "route"}) {
        const std::string binding =
            "clusterrolebindings/system:controller:" + std::string(name) + "-controller";
        EXPECT_TRUE(api_.remove(kRbacApi + binding).ok()) << binding;
      }
    } else {
      forbid({});
    }
  }
  void forbid(json more) {
    json rules = json::parse(R"([
      {"user": "admin", "verb": "patch", "resource": "nodes"},
      {"user": "admin", "verb": "patch", "resource": "services"},
      {"user": "system:serviceaccount:default:nobody"}])");
    for (json& rule : more) rules.push_back(std::move(rule));
    deny(rules);
  }
  void replace_rules(const std::string& role, const json& rules) {
    const auto changed = api_.patch(kRbacApi + role, support::kMergePatch, {{"rules", rules}});
    ASSERT_TRUE(changed.ok()) << changed.http.body;
  }
  void give_back(const std::string& role, const json& rules) {
    if (real()) {
      replace_rules(role, rules);
    } else {
      forbid({});
    }
  }
  bool served() {
    return eventually(std::chrono::seconds(60), [&] {
      const json status = api_.get(kWebService).body.value("status", json::object());
      return !status.value("loadBalancer", json::object()).empty();
    });
  }
  std::size_t lines_with(const std::string& text) {
    const std::string log = manager_->log();
    std::size_t count = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++count;
    return count;
  }
};

TEST_F(ServiceAccountsTest, HOST_129_131_WhatCcmctlPrintsIsEnough) {
  // Where nobody has made an account, the manager does.
  if (real()) {
    ASSERT_TRUE(api_.remove(std::string(kSystemAccounts) + "/service-controller").ok());
  }
  start(reviews(),
        {kAccountsFlag, "--controllers=*,node-ipam-controller", "--allocate-node-cidrs=true",
         "--cluster-cidr=10.244.0.0/16", "--route-reconciliation-period=1s"});
  make_service("web");
  join("node-1");
  ASSERT_TRUE(initialised("node-1")) << manager_->log();
  ASSERT_TRUE(served()) << manager_->log();
  EXPECT_TRUE(eventually(patience(), [&] {
    return cloud_.control("GET", "/routes").at("routes").size() == 1;
  })) << manager_->log();
  for (const char* account : {"node-controller", "service-controller", "route-controller"}) {
    EXPECT_TRUE(api_.get(std::string(kSystemAccounts) + "/" + account).ok()) << account;
  }
  EXPECT_TRUE(contains(manager_->log(), "\"Created a service account\" serviceAccount=\"" +
                                            kServiceAccountUser + "\""));
  EXPECT_TRUE(eventually(patience(), [&] {
    const json events = api_.get("/api/v1/namespaces/default/events").body;
    for (const json& event : events.at("items")) {
      if (event.at("involvedObject").value("name", "") == "web") return true;
    }
    return false;
  })) << "Events are written under the accounts, too";
  EXPECT_EQ(manager_->log().find("forbidden"), std::string::npos) << manager_->log();
  EXPECT_EQ(manager_->log().find("Flag has no effect"), std::string::npos);
  const std::string ready = ask_with(api_.credentials(), "/readyz?verbose", "*/*").body;
  EXPECT_TRUE(contains(ready, "[i]permissions: all granted")) << ready;
  const std::string metrics = ask("/metrics", scraper()).body;
  EXPECT_TRUE(contains(metrics,
                       "ccm_service_account_token_remaining_seconds{service_account=\"node-"
                       "controller\"} 35"))
      << metrics.substr(0, 2000);
}

TEST_F(ServiceAccountsTest, ARefusedRightNamesTheAccountAndStopsOnlyItsPlugin) {
  const std::string role = "clusterroles/system:cloud-controller-manager:service-controller";
  json rules;
  if (real()) {
    rules = api_.get(kRbacApi + role).body.at("rules");
    json left = json::array();
    for (const json& rule : rules) {
      if (rule.at("resources") != json::array({"services/status"})) left.push_back(rule);
    }
    ASSERT_EQ(left.size() + 1, rules.size());
    replace_rules(role, left);
  } else {
    forbid({{{"user", kServiceAccountUser}, {"resource", "services"}, {"subresource", "status"}}});
  }
  launch(reviews(), kTwoWithAccounts);
  ASSERT_TRUE(logs("A plugin waits for permissions")) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(),
                       "plugin=\"ccm.controller-service\" missing=\"patch "
                       "services/status as " +
                           kServiceAccountUser + "\""))
      << manager_->log();
  join("node-2");
  ASSERT_TRUE(initialised("node-2")) << manager_->log();
  make_service("web");
  give_back(role, rules);
  EXPECT_TRUE(served()) << manager_->log();
  EXPECT_EQ(lines_with("A plugin waits for permissions"), 1U);
  EXPECT_TRUE(logs("The missing permissions were granted"));
}

TEST_F(ServiceAccountsTest, HOST_130_ARefusedTokenStopsOnlyThePluginOfTheAccount) {
  const std::string role =
      "namespaces/kube-system/roles/system:cloud-controller-manager:service-account-tokens";
  json rules;
  if (real()) {
    rules = api_.get(kRbacApi + role).body.at("rules");
    json fewer = rules;
    for (json& rule : fewer) {
      if (rule.contains("resourceNames")) rule["resourceNames"] = json::array({"node-controller"});
    }
    replace_rules(role, fewer);
  } else {
    forbid({{{"user", "admin"},
             {"resource", "serviceaccounts"},
             {"subresource", "token"},
             {"name", "service-controller"}}});
  }
  launch(reviews(), kTwoWithAccounts);
  ASSERT_TRUE(logs("A plugin waits for permissions")) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(),
                       "create serviceaccounts/token \\\"service-controller\\\" in namespace "
                       "kube-system"))
      << manager_->log();
  EXPECT_TRUE(contains(manager_->log(), "plugin=\"ccm.controller-service\"")) << manager_->log();
  EXPECT_EQ(lines_with("Failed to get a token of a service account"), 1U) << manager_->log();
  join("node-3");
  ASSERT_TRUE(initialised("node-3")) << manager_->log();
  make_service("web");
  give_back(role, rules);
  EXPECT_TRUE(served()) << manager_->log();
}

// An administrator deletes the account of a controller that runs: its tokens are worth nothing.
TEST_F(ServiceAccountsTest, HOST_130_ADeletedAccountIsMadeAgain) {
  start(reviews(), kTwoWithAccounts);
  join("node-4");
  ASSERT_TRUE(initialised("node-4")) << manager_->log();
  const std::string account = std::string(kSystemAccounts) + "/node-controller";
  ASSERT_TRUE(api_.remove(account).ok());
  // The API server remembers for some seconds that the token was good.
  int last = 4;
  ASSERT_TRUE(eventually(std::chrono::seconds(60), [&] {
    join("node-" + std::to_string(++last));
    return initialised("node-" + std::to_string(last)) && api_.get(account).ok();
  })) << manager_->log();
}

}  // namespace
}  // namespace ccm::e2e
