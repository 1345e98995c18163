// Incidents as an operator meets them: in each, status, /readyz?verbose, metrics, Events and doctor
// are looked at together, and none of them says that all is well.
#include "endpoint_fixture.hpp"
#include "parts.hpp"
#include "support/eventually.hpp"
#include "support/nodes.hpp"

#include <algorithm>
#include <functional>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

struct Incident {
  int status_code = 1;  // of `ccmctl status`
  Parts status{};
  Parts readyz{};
  Parts metrics{};
  std::string lease_event{};  // reason; empty: none of the cloud's
  std::string object{};       // "Node/node-1"
  std::string object_event{};
  int doctor_code = 1;
  std::chrono::seconds doctor_takes{20};  // at most
  Parts doctor{};
};

class IncidentTest : public EndpointTest {
 protected:
  void refuse_credential() { cloud_.control("PUT", "/token", {{"token", "another"}}); }
  void fault(const json& how) { cloud_.control("PUT", "/faults", how); }

  void expect(const Incident& incident) {
    Parts faults;
    EXPECT_TRUE(eventually(patience(), [&] {
      faults = faults_of(incident);
      return faults.empty();
    })) << joined(faults);
    // It looks at the cloud by itself, so once is enough.
    const auto begin = std::chrono::steady_clock::now();
    const Output doctor = run_doctor();
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(doctor.code, incident.doctor_code) << doctor.text;
    Parts doctor_faults;
    look("doctor", doctor.text, incident.doctor, doctor_faults);
    EXPECT_TRUE(doctor_faults.empty()) << joined(doctor_faults);
    EXPECT_LT(took, incident.doctor_takes) << "doctor tells of it at once";
  }

  Output run_doctor() {
    const std::vector<std::string> command = {support::program("CCM_CTL", CCM_CTL_PROGRAM),
                                              "doctor",
                                              "--cloud-provider=sandbox",
                                              "--cloud-config=" + cloud_.config().string(),
                                              "--own-rights",
                                              "--kubeconfig=" + server_.kubeconfig().string()};
    const auto log = folder_.path() / "doctor.log";
    support::Process process(command, {log, {{"KUBECONFIG", ""}, {"HOME", ""}}});
    const auto ended = process.wait(std::chrono::seconds(70));
    return {ended ? ended->code : -1, process.log()};
  }

  // Repeats count.
  std::size_t events(const std::string& kind, const std::string& name, const std::string& reason) {
    std::size_t count = 0;
    for (const char* space : {"default", "kube-system"}) {
      const json all = api_.get("/api/v1/namespaces/" + std::string(space) + "/events").body;
      for (const json& event : all.at("items")) {
        const json& about = event.at("involvedObject");
        const bool fits = about.value("kind", "") == kind && event.at("reason") == reason &&
                          (name.empty() || about.value("name", "") == name);
        if (fits) count += event.value("count", std::size_t{1});
      }
    }
    return count;
  }

  Parts faults_of(const Incident& incident) {
    Parts faults;
    const Output status = ctl({"status"}, server_.kubeconfig());
    if (status.code != incident.status_code) faults.push_back("status ends otherwise");
    look("status", status.text, incident.status, faults);
    const auto ready = ask_with(api_.credentials(), "/readyz?verbose", "*/*");
    // A restart or a missing endpoint would mend no cloud.
    if (ready.status != 200) faults.push_back("/readyz fails: " + ready.body);
    look("readyz", ready.body, incident.readyz, faults);
    const std::string metrics = ask("/metrics", scraper()).body;
    for (const std::string& line : incident.metrics) {
      const bool wanted = line.front() != '!';
      const std::string part = wanted ? line : line.substr(1);
      if (contains(metrics, part) != wanted) faults.push_back("metrics: " + line);
    }
    if (!incident.lease_event.empty() && events("Lease", "", incident.lease_event) != 1) {
      faults.push_back("not one Event on the Lease: " + incident.lease_event);
    }
    const std::size_t slash = incident.object.find('/');
    if (!incident.object_event.empty() &&
        events(incident.object.substr(0, slash), incident.object.substr(slash + 1),
               incident.object_event) != 1) {
      faults.push_back("not one Event on " + incident.object + ": " + incident.object_event);
    }
    return faults;
  }
};

std::string unhealthy(const std::string& fault) {
  return "ccm_cloud_unhealthy_since_seconds{class=\"" + fault + "\"} ";
}

TEST_F(IncidentTest, Issue42_Incident_TheCredentialIsRefused) {
  start(reviews());
  ASSERT_TRUE(logs("Provider is ready"));
  refuse_credential();
  join("node-1");
  const std::string what = "the cloud refuses the credential since ";
  const Incident incident = {
      .status = {what, "UTC (401)", "ccmctl: " + what, "held up by the cloud", "!, ready",
                 "! ok\n"},
      .readyz = {"[i]cloud: " + what, "readyz check passed"},
      .metrics = {"!" + unhealthy("credential-refused") + "0\n", unhealthy("no-answer") + "0\n"},
      .lease_event = "CloudCredentialRefused",
      .object = "Node/node-1",
      .object_event = "CloudCredentialRefused",
      .doctor = {"PROBLEM", "the cloud refuses the credential (401)", "credential that is valid"}};
  expect(incident);
  // Nodes that join later get one, too, ten in all.
  for (int number = 2; number <= 12; ++number) join("node-" + std::to_string(number));
  EXPECT_TRUE(eventually(patience(), [&] {
    return events("Node", "", "CloudCredentialRefused") == 10;
  })) << events("Node", "", "CloudCredentialRefused");
}

// From the start: nothing of the cluster is in a cache yet.
TEST_F(IncidentTest, Issue42_Incident_TheCredentialIsRefusedFromTheStart) {
  refuse_credential();
  join("node-1");
  start(reviews());
  const std::string what = "the cloud refuses the credential since ";
  expect({.status = {what, "not ready: " + what, "held up by the cloud", "! ok\n",
                     "Objects that wait: not known before the provider is ready"},
          .readyz = {"[i]cloud: " + what},
          .metrics = {"!" + unhealthy("credential-refused") + "0\n"},
          .lease_event = "CloudCredentialRefused",
          .object = "Node/node-1",
          .object_event = "CloudCredentialRefused",
          .doctor = {"the cloud refuses the credential (401)"}});
  const Output explained = ctl({"explain", "node/node-1"}, server_.kubeconfig());
  EXPECT_TRUE(contains(explained.text, "the controllers begin when the provider is ready; " + what))
      << explained.text;
}

TEST_F(IncidentTest, Issue42_Incident_TheCloudAnswersWithErrors) {
  start(reviews());
  ASSERT_TRUE(logs("Provider is ready"));
  fault({{"list", "error"}, {"get", "error"}, {"status", 503}});
  join("node-1");
  const std::string what = "the cloud answers with errors since ";
  expect({.status = {what, "UTC (503)", "!, ready", "! ok\n"},
          .readyz = {"[i]cloud: " + what},
          .metrics = {"!" + unhealthy("server-errors") + "0\n",
                      unhealthy("credential-refused") + "0\n"},
          .lease_event = "CloudServerErrors",
          .object = "Node/node-1",
          .object_event = "CloudServerErrors",
          .doctor = {"PROBLEM", "the cloud answers with errors (503)", "status page"}});
  // It works again, and everybody says so.
  fault(json::object());
  ASSERT_TRUE(initialised("node-1"));
  EXPECT_TRUE(eventually(patience(), [&] {
    return ctl({"status"}, server_.kubeconfig()).code == 0 &&
           events("Lease", "", "CloudWorksAgain") == 1;
  }));
}

TEST_F(IncidentTest, Issue42_Incident_TheCloudLimitsTheRate) {
  start(reviews());
  ASSERT_TRUE(logs("Provider is ready"));
  fault({{"list", "error"}, {"get", "error"}, {"status", 429}, {"retry_after_s", 1}});
  join("node-1");
  const std::string what = "the cloud limits the rate of calls since ";
  expect({.status = {what, "!, ready", "! ok\n"},
          .readyz = {"[i]cloud: " + what},
          .metrics = {"!" + unhealthy("rate-limited") + "0\n", unhealthy("no-answer") + "0\n"},
          .lease_event = "CloudRateLimited",
          .object = "Node/node-1",
          .object_event = "CloudRateLimited",
          .doctor = {"PROBLEM", "the cloud limits the rate of calls", "who else uses"}});
}

// Each call takes longer than users wait for a page.
TEST_F(IncidentTest, Issue42_Incident_TheCloudIsSlow) {
  start(reviews());
  ASSERT_TRUE(logs("Provider is ready"));
  fault({{"latency_ms", 5200}});
  for (int number = 1; number <= 3; ++number) join("node-" + std::to_string(number));
  const std::string what = "the cloud is slow since ";
  expect({.status = {what, "(5s a call)", "ccmctl: " + what, ", ready"},
          .readyz = {"[i]cloud: " + what},
          .metrics = {"!" + unhealthy("slow") + "0\n", unhealthy("no-answer") + "0\n"},
          .lease_event = "CloudIsSlow",
          .doctor_code = 0,
          .doctor_takes = std::chrono::seconds(60),  // by calls of that length
          .doctor = {"the log-in and listings work, but the cloud is slow", "(5s a call)"}});
  EXPECT_TRUE(initialised("node-3")) << "all gets done";
}

// Nobody listens at its address any more.
TEST_F(IncidentTest, Issue42_Incident_TheCloudIsDead) {
  start(reviews());
  ASSERT_TRUE(logs("Provider is ready"));
  cloud_.stop();
  const auto created = api_.create("/api/v1/nodes", support::uninitialised_node("node-1", ""));
  ASSERT_EQ(created.status, 201);
  const std::string what = "the cloud does not answer since ";
  expect({.status = {what, "!, ready", "! ok\n"},
          .readyz = {"[i]cloud: " + what},
          .metrics = {"!" + unhealthy("no-answer") + "0\n", unhealthy("server-errors") + "0\n"},
          .lease_event = "CloudDoesNotAnswer",
          .object = "Node/node-1",
          .object_event = "CloudDoesNotAnswer",
          .doctor = {"PROBLEM", "the cloud does not answer", "proxies and firewalls"}});
}

// Most instances are gone, and their Nodes are not Ready: nothing is deleted.
TEST_F(IncidentTest, Issue42_Incident_AMassRemovalIsHeld) {
  constexpr int kNodes = 12;
  const auto name = [](int number) { return "node-" + std::to_string(10 + number); };
  std::string names;
  for (int number = 0; number < kNodes; ++number) {
    const bool gone = number < 9;
    if (!gone) make_machine(name(number));
    make_node(name(number), !gone);
    if (gone) names += " " + name(number);
  }
  start(reviews(), {"--controllers=cloud-node-lifecycle-controller", "--node-monitor-period=1s"});
  expect(
      {.status = {"cloud-node-lifecycle-controller: 9 held",
                  "kubectl annotate node" + names + " cloud-controller-manager/allow-deletion=true",
                  "ccmctl: the deletion brake on nodes holds 9"},
       .readyz = {"[i]deletion-brake: engaged, 9 held", "[i]cloud: no failure is known"},
       .metrics = {"ccm_deletion_brake_held{kind=\"nodes\"} 9\n",
                   "ccm_unsettled_objects{controller=\"cloud-node-lifecycle-controller\","
                   "state=\"held\",class=\"waiting\"} 9\n"},
       .object = "Node/node-10",
       .object_event = "DeletionHeld",
       .doctor_code = 0,
       .doctor = {"the cloud has no instance for 9 Nodes"}});
}

TEST_F(IncidentTest, Issue42_Incident_AQuotaIsReached) {
  make_machine("node-1");
  make_node("node-1", true);
  cloud_.control("PUT", "/settings", {{"load_balancers", 1}});
  start(reviews(), {"--controllers=service-lb-controller"});
  make_service("web-1");
  make_service("web-2");
  expect(
      {.status = {"refused", "quota", "ccmctl: objects that are not settled: 1 refused",
                  "sandbox, ready"},
       .readyz = {"[i]cloud: no failure is known"},
       .metrics = {"ccm_unsettled_objects{controller=\"service-lb-controller\",state=\"refused\","
                   "class=\"quota\"} 1\n",
                   unhealthy("credential-refused") + "0\n"},
       .doctor_code = 0,
       .doctor = {"!PROBLEM"}});
  EXPECT_EQ(events("Service", "web-1", "SyncLoadBalancerFailed") +
                events("Service", "web-2", "SyncLoadBalancerFailed"),
            1u);
}

// As with a credential of another project: the cloud lists nothing any more.
TEST_F(IncidentTest, Issue42_Incident_TheListIsIncomplete) {
  // Few would be asked about one by one.
  for (int number = 1; number <= 45; ++number) {
    const std::string name = "node-" + std::to_string(number);
    make_machine(name);
    make_node(name, true);
  }
  start(reviews(), {"--node-status-update-frequency=2s"});
  ASSERT_TRUE(logs("Caches are synced"));
  ASSERT_TRUE(eventually(patience(), [this] {
    return cloud_.calls().at("by_operation").value("ListMachines", 0) > 4;
  }));
  fault({{"list", "empty"}});
  const std::string what =
      "the cloud's list of instances has been incomplete or suspiciously short";
  expect({.status = {"ccmctl: " + what, "sandbox, ready"},
          .readyz = {"[i]list-of-instances: " + what, "[i]cloud: no failure is known"},
          .metrics = {"!ccm_cloud_listing_doubted_seconds 0\n", unhealthy("no-answer") + "0\n"},
          .doctor = {"the cloud lists the instance of none of 45 Nodes"}});
}

// Somebody deletes the load balancer again and again.
TEST_F(IncidentTest, Issue42_Incident_TheCreationBrakeHolds) {
  make_machine("node-1");
  make_node("node-1", true);
  start(reviews(), {"--controllers=service-lb-controller", "--load-balancer-audit-period=300ms"});
  make_service("web");
  delete_two_load_balancers("web");
  expect({.status = {"held", "reason ReplacementHeld",
                     "ccmctl: the creation brake keeps 1 Service from another load balancer",
                     "cloud-controller-manager/allow-replacement="},
          .readyz = {"[i]cloud: no failure is known", "[i]creation-brake: 1 held"},
          .metrics = {"ccm_load_balancer_replacements_held 1\n"},
          .doctor_code = 0,
          .doctor = {"the log-in and listings work"}});
}

}  // namespace
}  // namespace ccm::e2e
