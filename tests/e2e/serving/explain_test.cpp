// ccmctl status and explain against the real manager: waiting objects, reasons, and the next
// attempt.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <chrono>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

class ExplainTest : public EndpointTest {
 protected:
  void start_services() { start(reviews(), {"--controllers=service-lb-controller"}); }
  void start_routes() {
    start(reviews(), {"--controllers=node-route-controller", "--cluster-cidr=10.244.0.0/16",
                      "--route-reconciliation-period=1s"});
  }
  void make_node(const std::string& name, const json& spec) {
    const json node = {
        {"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}, {"spec", spec}};
    ASSERT_TRUE(api_.create("/api/v1/nodes", node).ok());
  }
  // A Node with an instance that is to have a route.
  void make_routed_node(const std::string& name, const std::string& cidr) {
    const std::string machine = "m-" + name;
    cloud_.control("PUT", "/machines/" + machine, {{"name", name}});
    make_node(name, {{"providerID", "sandbox://" + machine},
                     {"podCIDR", cidr},
                     {"podCIDRs", json::array({cidr})}});
  }
  // Until `explain` prints every part.
  Output explained(const std::string& object, const std::vector<std::string>& parts) {
    Output output;
    EXPECT_TRUE(eventually(patience(), [&] {
      output = ctl({"explain", object}, server_.kubeconfig());
      for (const std::string& part : parts) {
        if (!contains(output.text, part)) return false;
      }
      return true;
    })) << output.text;
    return output;
  }
};

TEST_F(ExplainTest, APendingServiceSaysWhatItWaitsForThenThatItIsSettled) {
  cloud_.control("PUT", "/settings", {{"active_ms", 600'000}});
  start_services();
  make_service("web");
  const Output pending =
      explained("service/default/web", {"service-lb-controller default/web", "State", "waiting",
                                        "loadbalancers.ensure", "Waits for", "Cloud's last answer",
                                        "LoadBalancer 20", "request ", "Tries", "Next try"});
  EXPECT_EQ(pending.code, 0) << "no fault: " << pending.text;

  const Output status = ctl({"status"}, server_.kubeconfig());
  EXPECT_EQ(status.code, 0);
  for (const char* part :
       {"Leading", "yes, Lease kube-system/cloud-controller-manager", "sandbox, ready",
        "Cloud calls, ccm.provider-sandbox", "service-lb-controller ", "default/web"}) {
    EXPECT_TRUE(contains(status.text, part)) << part << "\n" << status.text;
  }
  const json whole = json::parse(ctl({"status", "-o", "json"}, server_.kubeconfig()).text);
  const json& object = whole.at("objects").at(0);
  EXPECT_EQ(object.at("key"), "default/web");
  EXPECT_EQ(object.at("class"), "waiting");
  EXPECT_TRUE(object.at("lastCloudAnswer").contains("requestId"));
  EXPECT_GE(whole.at("budgets").at(0).at("spent").at("service-lb-controller"), 1);

  cloud_.control("PUT", "/settings", {{"active_ms", 0}});
  make_service("fast");
  EXPECT_EQ(explained("service/default/fast", {"settled", "Settled at"}).code, 0);
}

TEST_F(ExplainTest, ARefusedServiceIsAFaultWithTheCloudsReason) {
  cloud_.control("PUT", "/faults",
                 {{"operations", {{"CreateLoadBalancer", "error"}}}, {"status", 422}});
  start_services();
  make_service("web");
  const Output refused = explained(
      "svc/default/web",
      {"refused", "CreateLoadBalancer 422", "class invalid-spec", "request ", "Next try"});
  EXPECT_EQ(refused.code, 1) << refused.text;
  EXPECT_TRUE(contains(refused.text, "Not settled since")) << refused.text;
}

TEST_F(ExplainTest, AServiceShowsItsLoadBalancerAndTheLastWarnings) {
  start_services();
  make_service("web");
  const Output settled = explained(
      "service/default/web",
      {"Settled at", "load balancer of default/web", "  Id         lb-1", "  State      active",
       "  Addresses  ", "  Seen at    20", "warnings", "UnAvailableLoadBalancer",
       "There are no available nodes for LoadBalancer: the cluster has no Nodes"});
  EXPECT_EQ(settled.code, 0) << settled.text;
  const json service = api_.get("/api/v1/namespaces/default/services/web").body;
  const json& ingress = service.at("status").at("loadBalancer").at("ingress").at(0);
  const std::string address = ingress.at(ingress.contains("ip") ? "ip" : "hostname");
  EXPECT_TRUE(contains(settled.text, address)) << settled.text;
  EXPECT_FALSE(contains(settled.text, "Left alone")) << settled.text;
  const json whole =
      json::parse(ctl({"explain", "service/default/web", "-o", "json"}, server_.kubeconfig()).text);
  EXPECT_EQ(whole.at("object").at("loadBalancer").at("addresses").at(0), address);
  EXPECT_EQ(whole.at("object").at("warnings").at(0).at("kind"), "Service");
}

// The Node's own fault, and that Node alone shows it.
TEST_F(ExplainTest, ANodeWhosePodRangeIsTooWideSaysSo) {
  make_node("evil", {{"podCIDR", "10.244.0.0/16"}, {"podCIDRs", json::array({"10.244.0.0/16"})}});
  make_node("node-1", {{"providerID", "sandbox://node-1"}});
  start(reviews(), {"--controllers=node-ipam-controller", "--allocate-node-cidrs",
                    "--cluster-cidr=10.244.0.0/16"});
  const Output refused = explained("node/evil", {"node-ipam-controller evil", "refused",
                                                 "10.244.0.0/16", "PodCIDRTooWide", "warnings"});
  EXPECT_EQ(refused.code, 1) << refused.text;
  EXPECT_EQ(explained("node/node-1", {"node-ipam-controller node-1", "settled"}).code, 0);
}

TEST_F(ExplainTest, APresentRouteSaysSoAndSinceWhen) {
  make_routed_node("node-1", "10.244.1.0/24");
  start_routes();
  const Output present =
      explained("route/node-1", {"route of node-1 to 10.244.1.0/24", "State  present", "Since  20",
                                 "node-route-controller routes", "settled", "Settled at"});
  EXPECT_EQ(present.code, 0) << present.text;
  for (const char* part : {"Waits for", "Class", "Tries"}) {
    EXPECT_FALSE(contains(present.text, part)) << part << "\n" << present.text;
  }
  const json whole =
      json::parse(ctl({"explain", "route/node-1", "-o", "json"}, server_.kubeconfig()).text);
  EXPECT_EQ(whole.at("routes").at("node"), "node-1");
  EXPECT_EQ(whole.at("routes").at("routes").size(), 1u);

  const Output unknown = ctl({"explain", "route/node-2"}, server_.kubeconfig());
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(contains(unknown.text, "no route of node-2 is known")) << unknown.text;
}

TEST_F(ExplainTest, ARouteThatTheCloudRefusesIsAFaultUntilItIsMade) {
  make_routed_node("node-1", "10.244.1.0/24");
  make_routed_node("node-2", "10.244.2.0/24");
  cloud_.control("PUT", "/faults", {{"operations", {{"ApplyRoutes", "error"}}}, {"status", 503}});
  start_routes();
  const Output failed =
      explained("route/node-1", {"route of node-1 to 10.244.1.0/24", "failed", "Waits for",
                                 "ApplyRoutes", "unavailable", "Tries", "Since",
                                 "node-route-controller routes", "retrying", "Next try"});
  EXPECT_EQ(failed.code, 1) << failed.text;
  EXPECT_FALSE(contains(failed.text, "10.244.2.0/24")) << "of another Node: " << failed.text;
  // The audit of each second meets the pause before the next try, which settles nothing.
  Output later;
  EXPECT_FALSE(eventually(std::chrono::seconds(3), [&] {
    later = ctl({"explain", "route/node-1"}, server_.kubeconfig());
    return later.code != 1 || contains(later.text, "Settled at");
  })) << later.text;

  cloud_.control("DELETE", "/faults");
  Output made;
  EXPECT_TRUE(eventually(patience(), [&] {
    made = ctl({"explain", "route/node-1"}, server_.kubeconfig());
    return made.code == 0 && contains(made.text, "present");
  })) << made.text;
  EXPECT_FALSE(contains(made.text, "failed")) << made.text;
}

TEST_F(ExplainTest, ANodeWithoutAnInstanceSaysWhatItWaitsForSinceWhenAndTheNextTry) {
  start(reviews());
  make_node("node-1", {{"taints", json::array({{{"key",
                                                 "node.cloudprovider.kubernetes.io/"
                                                 "uninitialized"},
                                                {"value", "true"},
                                                {"effect", "NoSchedule"}}})}});
  const Output missing = explained("node/node-1", {"cloud-node-controller node-1", "State", "Since",
                                                   "Waits for", "Not settled since", "Next try"});
  EXPECT_TRUE(contains(missing.text, "instance")) << missing.text;
  EXPECT_EQ(missing.code, 1) << missing.text;

  cloud_.control("PUT", "/machines/m-1", {{"name", "node-1"}});
  Output found;
  EXPECT_TRUE(eventually(patience(), [&] {
    found = ctl({"explain", "node/node-1"}, server_.kubeconfig());
    return found.code == 0 && contains(found.text, "Settled at");
  })) << found.text;
}

TEST_F(ExplainTest, WhatCannotBeAnsweredIsSaidInOneLine) {
  start_services();
  const Output unknown = ctl({"explain", "service/default/none"}, server_.kubeconfig());
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(contains(unknown.text, "nothing is known of service/default/none")) << unknown.text;
  for (const char* wrong : {"web", "service/web", "node/a/b", "pod/a/b", "node/"}) {
    EXPECT_EQ(ctl({"explain", wrong}, server_.kubeconfig()).code, 2) << wrong;
  }
  const Output denied = ctl({"status"}, kubeconfig_of(nobody()));
  EXPECT_EQ(denied.code, 1);
  EXPECT_TRUE(contains(denied.text, "non-resource URL /statusz")) << denied.text;
  EXPECT_FALSE(contains(denied.text, nobody()));
  const Output absent = ctl({"status"}, "/nowhere/kubeconfig");
  EXPECT_EQ(absent.code, 1);
  EXPECT_TRUE(contains(absent.text, "/nowhere/kubeconfig")) << absent.text;
  const Output context = ctl({"status", "--context=other"}, server_.kubeconfig());
  EXPECT_EQ(context.code, 1);
  EXPECT_TRUE(contains(context.text, "no context \"other\"")) << context.text;
}

// Such a manager takes everybody for system:anonymous.
TEST_F(ExplainTest, AManagerThatAsksNobodyAboutTokensIsToldWhichFlagItLacks) {
  start("", {});
  const Output refused = ctl({"status"}, server_.kubeconfig());
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(contains(refused.text, "system:anonymous")) << refused.text;
  EXPECT_TRUE(contains(refused.text, "--authentication-kubeconfig")) << refused.text;
}

TEST_F(ExplainTest, DO_321_TheCloudsLimitShowsInTheStatus) {
  cloud_.control("PUT", "/faults", {{"rate_limit", 100}});
  start_services();
  make_service("first");
  explained("service/default/first", {"Settled at"});
  const json status = json::parse(ctl({"status", "-o", "json"}, server_.kubeconfig()).text);
  const json& budget = status.at("budgets").at(0);
  EXPECT_EQ(budget.at("credential"), "ccm.provider-sandbox");
  EXPECT_EQ(budget.at("limit"), 100);
  EXPECT_LT(budget.at("left"), 100);
  EXPECT_TRUE(budget.contains("resetsAt"));
}

}  // namespace
}  // namespace ccm::e2e
