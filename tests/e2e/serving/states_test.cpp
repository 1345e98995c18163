// The table of states in docs/operators.md ("What waits, and why"): in each state, everything that
// an operator can look at says the same.
#include "endpoint_fixture.hpp"
#include "parts.hpp"
#include "support/eventually.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kOutcomes = "ccm_unsettled_objects{controller=\"service-lb-controller\",";
constexpr const char* kWebKey = "service/default/web";

// The expected texts about one object.
struct EveryPage {
  std::string object{};  // as `ccmctl explain` takes it
  int status_code = 0;   // of `ccmctl status`
  int explain_code = 0;  // of `ccmctl explain`
  Parts status{};        // what they print
  Parts explain{};
  bool ready = true;  // /readyz
  Parts readyz{};     // /readyz?verbose, for those who may see the status
  Parts metrics{};
  Parts log{};
  Parts events{};  // the reasons of all Events about the object, sorted
};

// The class that these tests' failures have in each state; a state that counts none has no class.
std::string class_in(const std::string& state) {
  if (state == "retrying") return "unavailable";
  return state == "refused" ? "invalid-spec" : "waiting";
}

std::string metric_of(const char* state, int count) {
  return kOutcomes + ("state=\"" + std::string(state) + "\",class=\"") +
         (count == 0 ? "" : class_in(state)) + "\"} " + std::to_string(count) + "\n";
}

class StatesTest : public EndpointTest {
 protected:
  void start_services(std::vector<std::string> flags = {}) {
    flags.emplace_back("--controllers=service-lb-controller");
    start(reviews(), flags);
  }
  // The cloud's next answers to CreateLoadBalancer.
  void answer_creations(const char* how, int status) {
    cloud_.control("PUT", "/faults",
                   {{"operations", {{"CreateLoadBalancer", how}}}, {"status", status}});
  }

  // Waits until every page says so.
  void expect(const EveryPage& page) {
    Parts faults;
    EXPECT_TRUE(eventually(patience(), [&] {
      faults = faults_of(page);
      return faults.empty();
    })) << joined(faults);
  }

 private:
  Parts faults_of(const EveryPage& page) {
    Parts faults;
    const auto code = [&faults](const char* name, const Output& output, int wanted) {
      if (output.code == wanted) return;
      faults.push_back(std::string(name) + " ends with " + std::to_string(output.code) + ":\n" +
                       output.text);
    };
    const Output explained = ctl({"explain", page.object}, server_.kubeconfig());
    code("ccmctl explain", explained, page.explain_code);
    look("ccmctl explain", explained.text, page.explain, faults);
    const Output status = ctl({"status"}, server_.kubeconfig());
    code("ccmctl status", status, page.status_code);
    look("ccmctl status", status.text, page.status, faults);
    const auto ready = ask_with(api_.credentials(), "/readyz?verbose", "*/*");
    if ((ready.status == 200) != page.ready) faults.push_back("/readyz is wrong:\n" + ready.body);
    look("/readyz", ready.body, page.readyz, faults);
    Parts events = events_about(page.object);
    if (events != page.events) faults.push_back("Events: " + joined(events));
    look_at_lines("/metrics", ask("/metrics", scraper()).body, page.metrics, faults);
    look_at_lines("the log", manager_->log(), page.log, faults);
    return faults;
  }
  // Too long to be shown.
  static void look_at_lines(const char* name, const std::string& text, const Parts& parts,
                            Parts& faults) {
    Parts found;
    look(name, text, parts, found);
    if (!found.empty()) faults.insert(faults.end(), found.begin(), std::prev(found.end()));
  }
  Parts events_about(const std::string& object) {
    const bool node = !object.starts_with("service/");
    const std::string name = object.substr(object.rfind('/') + 1);
    Parts reasons;
    const json all = api_.get("/api/v1/namespaces/default/events").body;
    for (const json& event : all.at("items")) {
      const json& about = event.at("involvedObject");
      const bool fits =
          about.value("name", "") == name && about.value("kind", "") == (node ? "Node" : "Service");
      // kube-apiserver tells of cluster IPs that it has repaired.
      const std::string reason = event.at("reason");
      if (fits && !reason.starts_with("ClusterIP")) reasons.push_back(reason);
    }
    std::sort(reasons.begin(), reasons.end());
    return reasons;
  }
};

// The brake says nothing about Nodes whose deletion was not requested.
TEST_F(StatesTest, SettledBeforeTheBrakesFirstLook) {
  make_machine("node-1");
  make_node("node-1", true);
  start(reviews(), {"--controllers=cloud-node-controller,cloud-node-lifecycle-controller"});
  const std::string brake = "released: no deletion of nodes was asked for yet";
  expect({.object = "node/node-1",
          .status = {"Deletion brake, nodes", brake, "Objects that wait: none", "! of 0 nodes"},
          .explain = {"State       settled", "Settled at", "!Waits for"},
          .readyz = {"[i]deletion-brake: " + brake + "\n", "readyz check passed"},
          .metrics = {"ccm_deletion_brake_engaged{kind=\"nodes\"} 0\n",
                      "ccm_deletion_brake_held{kind=\"nodes\"} 0\n",
                      "ccm_unsettled_objects{controller=\"cloud-node-lifecycle-controller\","
                      "state=\"held\",class=\"\"} 0\n"},
          .log = {"!deletion brake"},
          .events = {}});
}

// One worker, and a cloud that does not answer.
TEST_F(StatesTest, RunningAndQueued) {
  cloud_.control("PUT", "/faults", {{"operations", {{"CreateLoadBalancer", "hang"}}}});
  start_services({"--concurrent-service-syncs=1"});
  make_service("web");
  expect({.object = kWebKey,
          .status = {"default/web", "running", "loadbalancers.ensure"},
          .explain = {"running", "loadbalancers.ensure", "the step to end"},
          .readyz = {"readyz check passed"},
          .metrics = {metric_of("waiting", 0), metric_of("retrying", 0),
                      "workqueue_longest_running_processor_seconds{name=\"service\"}"},
          .log = {"!Reconcile failed"},
          .events = {"EnsuringLoadBalancer", "UnAvailableLoadBalancer"}});
  make_service("next");
  expect({.object = "service/default/next",
          .status = {"default/web", "running"},
          .explain = {"queued", "a free worker", "!Tries"},
          .readyz = {"readyz check passed"},
          .metrics = {"workqueue_depth{name=\"service\"} 1\n"},
          .log = {"!Reconcile failed"},
          .events = {}});
}

TEST_F(StatesTest, Waiting) {
  cloud_.control("PUT", "/settings", {{"active_ms", 600'000}});
  start_services();
  make_service("web");
  expect({.object = kWebKey,
          .status = {"default/web", "waiting", "The cloud is working on the load balancer",
                     "!objects that are not settled"},
          .explain = {"waiting", "The cloud is working on the load balancer", "Next try",
                      "Class                waiting"},
          .readyz = {"readyz check passed"},
          .metrics = {metric_of("waiting", 1), metric_of("retrying", 0)},
          .log = {"New load balancer of a service", "!Reconcile failed"},
          .events = {"EnsuringLoadBalancer", "UnAvailableLoadBalancer"}});
}

// The lifecycle controller's look fails: no fault of the Node, which is looked at again.
TEST_F(StatesTest, LIFE_6_WaitingForTheCloudsAnswer) {
  make_node("node-1", false);
  make_machine("node-1");
  start(reviews(), {"--controllers=cloud-node-lifecycle-controller", "--node-monitor-period=1s"});
  ASSERT_TRUE(logs("Caches are synced"));
  cloud_.control("PUT", "/faults", {{"list", "error"}, {"get", "error"}, {"status", 503}});
  const std::string why = "the cloud does not tell the state of the instance: ";
  const std::string metric =
      "ccm_unsettled_objects{controller=\"cloud-node-lifecycle-controller\",state=\"waiting\","
      "class="
      "\"waiting\"} 1\n";
  expect({.object = "node/node-1",
          .status_code = 1,  // the cloud fails
          .status = {"node-1", "waiting", why, "ccmctl: the cloud answers with errors since ",
                     "!objects that are not settled"},
          .explain = {"waiting", why, "Next try"},
          .metrics = {metric},
          .log = {"!Reconcile failed"}});
  cloud_.control("PUT", "/faults", json::object());
  expect({.object = "node/node-1", .explain = {"Settled at"}, .metrics = {"!" + metric}});
}

// All three were called settled.
TEST_F(StatesTest, ISSUE_38_8_LeftAlone) {
  make_node("node-1", true);
  ASSERT_TRUE(api_.create("/api/v1/nodes", {{"apiVersion", "v1"},
                                            {"kind", "Node"},
                                            {"metadata", {{"name", "metal"}}},
                                            {"spec", {{"providerID", "metal://7"}}}})
                  .ok());
  ASSERT_TRUE(
      api_.create("/api/v1/nodes",
                  {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "untainted"}}}})
          .ok());
  start(reviews(), {"--controllers=cloud-node-controller,cloud-node-lifecycle-controller",
                    "--node-monitor-period=1s"});
  const std::string metric =
      "ccm_unsettled_objects{controller=\"cloud-node-controller\",state=\"left-alone\","
      "class=\"\"} 2\n";
  expect({.object = "node/metal",
          .explain_code = 1,
          .status = {"Objects that wait: none", "!metal"},
          .explain = {"left-alone", "Why", "metal://7", "belongs to another provider",
                      "reason ForeignProviderID", "!Settled at", "!Waits for"},
          .metrics = {metric},
          .log = {"!Reconcile failed"},
          .events = {}});
  expect(
      {.object = "node/untainted",
       .explain_code = 1,
       .explain = {"left-alone", "--cloud-provider=external", "reason NotInitialized",
                   "reason NotOfThisCloud", "no instance is called \"untainted\"", "!Settled at"},
       .metrics = {metric},
       .log = {"!Reconcile failed"},
       .events = {}});
  ASSERT_TRUE(api_.remove("/api/v1/nodes/metal").ok());
  expect(
      {.object = "node/untainted",
       .explain_code = 1,
       .metrics = {"controller=\"cloud-node-controller\",state=\"left-alone\",class=\"\"} 1\n"}});
}

TEST_F(StatesTest, ISSUE_38_8_ADeletionThatWaitsForAnotherProgramsFinalizer) {
  make_node("node-1", false);
  make_machine("node-2");
  make_node("node-2", true);
  const json keep = {{"metadata", {{"finalizers", json::array({"example.com/keep"})}}}};
  ASSERT_TRUE(api_.patch("/api/v1/nodes/node-1", support::kMergePatch, keep).ok());
  start(reviews(), {"--controllers=cloud-node-lifecycle-controller", "--node-monitor-period=1s"});
  const std::string why =
      "the Node is being deleted, and waits for other programs to remove their finalizers: "
      "example.com/keep";
  const std::string metric =
      "ccm_unsettled_objects{controller=\"cloud-node-lifecycle-controller\",state=\"waiting\","
      "class="
      "\"waiting\"} 1\n";
  expect({.object = "node/node-1",
          .status = {"node-1", "waiting", why, "!objects that are not settled"},
          .explain = {"waiting", why, "reason NodeIsBeingDeleted"},
          .metrics = {metric},
          .log = {"!Reconcile failed"},
          .events = {"DeletingNode"}});
  const json none = {{"metadata", {{"finalizers", nullptr}}}};
  ASSERT_TRUE(api_.patch("/api/v1/nodes/node-1", support::kMergePatch, none).ok());
  expect(
      {.object = "node/node-2", .status = {"Objects that wait: none"}, .metrics = {"!" + metric}});
}

TEST_F(StatesTest, Held) {
  for (int number = 0; number < 6; ++number) {
    const std::string name = "node-" + std::to_string(number);
    if (number >= 3) make_machine(name);
    make_node(name, number >= 3);
  }
  start(reviews(), {"--controllers=cloud-node-lifecycle-controller", "--node-monitor-period=1s"});
  const std::string why = "3 of 6 nodes are missing in the cloud";
  const std::string remedy = "cloud-controller-manager/allow-deletion=true";
  expect({.object = "node/node-1",
          .status_code = 1,
          .explain_code = 1,
          .status = {"engaged, 3 held (node-0, node-1, node-2): " + why, remedy,
                     "ccmctl: the deletion brake on nodes holds 3\n",
                     "ccmctl: objects that are not settled: 3 held\n"},
          .explain = {"State", "held", why, "2 may be", remedy, "reason DeletionHeld"},
          .readyz = {"[i]deletion-brake: engaged, 3 held: " + why, "readyz check passed",
                     "!node-0"},  // anybody may read this
          .metrics = {"ccm_deletion_brake_engaged{kind=\"nodes\"} 1\n",
                      "ccm_deletion_brake_held{kind=\"nodes\"} 3\n",
                      "ccm_unsettled_objects{controller=\"cloud-node-lifecycle-controller\","
                      "state=\"held\",class=\"waiting\"} 3\n"},
          .log = {"The deletion brake is engaged", "A deletion is held back", why},
          .events = {"DeletionHeld"}});
}

// Their finalizers were removed by hand, and the events of their deletion are lost: the next list
// lacks the Services, and nobody was seen to want it.
TEST_F(StatesTest, HeldLoadBalancer) {
  start_services({"--concurrent-service-syncs=1", "--kubeconfig=" + reviews_through_proxy()});
  const std::vector<std::string> names = {"web-0", "web-1", "web-2", "web-3"};
  for (const std::string& name : names) make_service(name);
  for (const std::string& name : names) {
    expect({.object = "service/default/" + name,
            .explain = {"Settled at"},
            .events = {"EnsuredLoadBalancer", "EnsuringLoadBalancer", "UnAvailableLoadBalancer"}});
  }
  proxy_->away();
  for (int number = 0; number < 3; ++number) {
    const std::string path = "/api/v1/namespaces/default/services/" + names[number];
    const json patch = {{"metadata", {{"finalizers", nullptr}}}};
    ASSERT_TRUE(api_.patch(path, support::kMergePatch, patch).ok());
    ASSERT_TRUE(api_.remove(path).ok());
  }
  proxy_->add({.target = "/services\\?.*watch=", .status = 410, .count = 1});
  proxy_->back();
  const std::string counts = "engaged, 1 held: 1 of 2 load balancers are not wanted any more";
  expect({.object = "service/default/web-2",
          .status_code = 1,
          .explain_code = 1,
          .status = {"Deletion brake, loadbalancers", counts,
                     "ccmctl: objects that are not settled: 1 held\n"},
          .explain = {"held", "the deletion brake holds it", "2 may", "30m",
                      "--deletion-brake-percent=100", "reason DeletionBrakeEngaged",
                      "load balancer of default/web-2"},
          .readyz = {"[i]deletion-brake: released: no deletion of nodes was asked for yet; "
                     "load balancers " +
                         counts,
                     "readyz check passed", "!web-2"},
          .metrics = {"ccm_deletion_brake_engaged{kind=\"loadbalancers\"} 1\n",
                      "ccm_deletion_brake_held{kind=\"loadbalancers\"} 1\n", metric_of("held", 1)},
          .log = {"The deletion brake is engaged", "The deletion of a load balancer is held back"},
          .events = {"DeletingLoadBalancer", "DeletionHeld", "EnsuredLoadBalancer",
                     "EnsuringLoadBalancer", "UnAvailableLoadBalancer"}});
}

TEST_F(StatesTest, HeldRoute) {
  for (int number = 0; number < 4; ++number) {
    const std::string name = "node-" + std::to_string(number);
    const std::string range = "10.244." + std::to_string(number) + ".0/24";
    make_machine(name);
    ASSERT_TRUE(api_.create("/api/v1/nodes", {{"apiVersion", "v1"},
                                              {"kind", "Node"},
                                              {"metadata", {{"name", name}}},
                                              {"spec",
                                               {{"providerID", "sandbox://" + name},
                                                {"podCIDR", range},
                                                {"podCIDRs", json::array({range})}}}})
                    .ok());
  }
  start(reviews(), {"--controllers=node-route-controller", "--cluster-cidr=10.244.0.0/16",
                    "--route-reconciliation-period=1s"});
  ASSERT_TRUE(eventually(
      patience(), [&] { return cloud_.control("GET", "/routes").at("routes").size() == 4; }));
  for (const char* name : {"node-1", "node-2", "node-3"}) {
    ASSERT_TRUE(api_.remove(std::string("/api/v1/nodes/") + name).ok());
  }
  const std::string engaged = "engaged, 3 held: 3 of 4 routes are not wanted any more";
  expect({.object = "route/node-3",
          .status_code = 1,
          .explain_code = 1,
          .status = {"Deletion brake, routes", engaged,
                     "ccmctl: the deletion brake on routes holds 3\n"},
          .explain = {"held", "the deletion brake holds it", "2 may", "30m",
                      "--deletion-brake-percent=100", "reason DeletionBrakeEngaged"},
          .readyz = {"asked for yet; routes " + engaged, "readyz check passed", "!10.244"},
          .metrics = {"ccm_deletion_brake_engaged{kind=\"routes\"} 1\n",
                      "ccm_deletion_brake_held{kind=\"routes\"} 3\n"},
          .log = {"The deletion brake is engaged", "Routes are not removed"},
          .events = {}});
  expect({.object = "route/node-0",  // the oldest Node gets the Event
          .status_code = 1,
          .explain = {"present", "!held"},
          .events = {"RouteRemovalHeld"}});
}

TEST_F(StatesTest, Retrying) {
  answer_creations("error", 503);
  start_services();
  make_service("web");
  expect({.object = kWebKey,
          .status_code = 1,
          .explain_code = 1,
          .status = {"default/web", "retrying", "ccmctl: objects that are not settled: 1 retrying"},
          .explain = {"retrying", "CreateLoadBalancer 503", "class unavailable", "Next try"},
          .readyz = {"readyz check passed"},
          .metrics = {metric_of("retrying", 1), metric_of("refused", 0)},
          .log = {"Reconcile failed, will retry", "key=\"default/web\""},
          .events = {"EnsuringLoadBalancer", "SyncLoadBalancerFailed", "UnAvailableLoadBalancer"}});
}

TEST_F(StatesTest, Refused) {
  answer_creations("error", 422);
  start_services();
  make_service("web");
  expect({.object = kWebKey,
          .status_code = 1,
          .explain_code = 1,
          .status = {"default/web", "refused", "ccmctl: objects that are not settled: 1 refused"},
          .explain = {"refused", "CreateLoadBalancer 422", "class invalid-spec", "Next try"},
          .readyz = {"readyz check passed"},
          .metrics = {metric_of("refused", 1), metric_of("retrying", 0)},
          .log = {"Reconcile failed, will retry", "key=\"default/web\""},
          .events = {"EnsuringLoadBalancer", "SyncLoadBalancerFailed", "UnAvailableLoadBalancer"}});
}

TEST_F(StatesTest, Settled) {
  start_services();
  make_service("web");
  expect({.object = kWebKey,
          .status = {"Objects that wait: none", "!default/web"},
          .explain = {"settled", "Settled at", "!Waits for"},
          .readyz = {"readyz check passed"},
          .metrics = {metric_of("waiting", 0), metric_of("retrying", 0), metric_of("refused", 0)},
          .log = {"New load balancer of a service", "!Reconcile failed"},
          .events = {"EnsuredLoadBalancer", "EnsuringLoadBalancer", "UnAvailableLoadBalancer"}});
}

// The Event is about the Lease: no Service is to blame.
TEST_F(StatesTest, WaitingForARight) {
  take_rule();
  launch(reviews(), {"--controllers=service-lb-controller"});
  ASSERT_TRUE(logs("A plugin waits for permissions")) << manager_->log();
  make_service("web");
  const std::string lacks = "ccm.controller-service lacks patch services/status";
  expect({.object = kWebKey,
          .status_code = 1,
          .explain_code = 1,
          .status = {"waits for permissions: " + lacks,
                     "ccmctl: " + lacks + "; ccmctl rbac prints the roles that it needs\n"},
          .explain = {"queued", "permissions: " + lacks, "Class", "auth", "!free worker"},
          .ready = false,
          .readyz = {"[-]permissions-ccm.controller-service failed: it lacks patch "
                     "services/status\n",
                     "[i]permissions: " + lacks + "\n"},
          .metrics = {"running_managed_controllers{manager=\"cloud-controller-manager\","
                      "name=\"service\"} 0\n",
                      metric_of("retrying", 0)},
          .log = {"missing=\"patch services/status\""},
          .events = {}});
  EXPECT_TRUE(eventually(patience(), [&] {
    const json events = api_.get("/api/v1/namespaces/kube-system/events").body.at("items");
    return std::any_of(events.begin(), events.end(), [&](const json& event) {
      return event.at("reason") == "MissingPermissions" && event.at("message") == lacks &&
             event.at("involvedObject").at("kind") == "Lease";
    });
  }));
  give_rule_back();
  expect({.object = kWebKey,
          .explain = {"Settled at"},
          .readyz = {"[i]permissions: all granted\n"},
          .metrics = {"running_managed_controllers{manager=\"cloud-controller-manager\",name="
                      "\"service\"} 1\n"},
          .log = {"The missing permissions were granted"},
          .events = {"EnsuredLoadBalancer", "EnsuringLoadBalancer", "UnAvailableLoadBalancer"}});
}

}  // namespace
}  // namespace ccm::e2e
