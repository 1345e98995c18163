// ccmctl orphans and cleanup as a user calls them, with the real plugin of the sandbox cloud.
#include "support/command.hpp"
#include "support/suite_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <ctime>
#include <set>
#include <string>
#include <vector>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::CommandOutcome;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGoneUid = "11111111-2222-3333-4444-555555555555";

struct NoParameter {};

class OrphansTest : public support::SuiteWorld<NoParameter> {
 protected:
  void TearDown() override {
    api_.remove("/api/v1/namespaces/default/services/web");
    api_.remove("/api/v1/nodes/worker");
    cloud().reset();
  }

  CommandOutcome ccmctl(const std::string& command, const std::string& more) {
    return support::run_command(
        "HOME= KUBECONFIG= " + std::string(CCM_CTL_PROGRAM) + " " + command +
        " --cloud-provider=sandbox --cloud-config=" + cloud().config().string() + " " + more);
  }
  CommandOutcome orphans(const std::string& more = "") {
    return ccmctl("orphans", "--kubeconfig=" + server().kubeconfig().string() + " " + more);
  }
  CommandOutcome cleanup(const std::string& more) { return ccmctl("cleanup", more); }

  // With the Service's UID as the answer.
  std::string make_service(const std::string& type = "LoadBalancer") {
    const auto made =
        api_.create("/api/v1/namespaces/default/services",
                    {{"apiVersion", "v1"},
                     {"kind", "Service"},
                     {"metadata", {{"name", "web"}}},
                     {"spec", {{"type", type}, {"ports", json::array({{{"port", 80}}})}}}});
    EXPECT_EQ(made.status, 201) << made.http.body;
    return made.body["metadata"]["uid"];
  }
  void make_node() {
    const auto made =
        api_.create("/api/v1/nodes",
                    {{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"metadata", {{"name", "worker"}}},
                     {"spec", {{"podCIDR", "10.244.1.0/24"}, {"podCIDRs", {"10.244.1.0/24"}}}}});
    EXPECT_EQ(made.status, 201) << made.http.body;
  }
  void add_balancer(const std::string& id, const json& owner) {
    cloud().control("PUT", "/load_balancers/" + id,
                    {{"name", "name-of-" + id}, {"owner", owner}, {"ports", json::array()}});
  }
  static json mark(const std::string& cluster, const std::string& uid = kGoneUid) {
    return {{"cluster", cluster}, {"service_uid", uid}};
  }
  void add_route(const std::string& id, const std::string& range, const std::string& node,
                 const std::string& owner) {
    cloud().control("PUT", "/machines/m-1", {{"name", "worker"}});
    cloud().control(
        "PUT", "/routes/" + id,
        {{"destination", range}, {"machine_id", "m-1"}, {"node", node}, {"owner", owner}});
  }
  // One of each kind for this cluster that nobody needs, and what must stay.
  void add_all() {
    add_balancer("lb-gone", mark("mine"));
    add_balancer("lb-foreign", mark("theirs"));
    add_balancer("lb-unmarked", nullptr);
    add_route("r-gone", "10.244.9.0/24", "vanished", "mine");
    add_route("r-foreign", "10.244.8.0/24", "vanished", "theirs");
  }
  std::set<std::string> left() {
    std::set<std::string> ids;
    const json balancers = cloud().control("GET", "/load_balancers").at("load_balancers");
    const json routes = cloud().control("GET", "/routes").at("routes");
    for (const json& one : balancers) {
      if (one.at("status") != "deleting") ids.insert(one.at("id").get<std::string>());
    }
    for (const json& one : routes) ids.insert(one.at("id").get<std::string>());
    return ids;
  }
  const std::set<std::string> all_{"lb-gone", "lb-foreign", "lb-unmarked", "r-gone", "r-foreign"};

  support::KubeClient api_ = server().client();
};

TEST_F(OrphansTest, WhatTheClusterNeedsIsNoOrphan) {
  const std::string uid = make_service();
  make_node();
  add_balancer("lb-web", mark("mine", uid));
  add_route("r-worker", "10.244.1.0/24", "worker", "mine");
  const CommandOutcome outcome = orphans("--cluster-name=mine");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("No orphans\n"));
}

TEST_F(OrphansTest, WhatNothingNeedsIsListedAndLeftAsItIs) {
  add_all();
  add_balancer("lb-cluster-ip", mark("mine", make_service("ClusterIP")));
  const CommandOutcome outcome = orphans("--cluster-name=mine");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("load-balancer  lb-gone "));
  EXPECT_THAT(outcome.output, HasSubstr("load-balancer  lb-cluster-ip "));
  EXPECT_THAT(outcome.output, HasSubstr("default/web"));
  EXPECT_THAT(outcome.output, HasSubstr("r-gone"));
  EXPECT_THAT(outcome.output, HasSubstr("vanished 10.244.9.0/24"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("foreign")));
  EXPECT_THAT(outcome.output, Not(HasSubstr("unmarked")));
  EXPECT_EQ(cloud().calls().at("writes"), 0) << cloud().calls();
  const CommandOutcome other = orphans("--cluster-name=theirs -o json");
  EXPECT_EQ(other.exit_code, 1);
  const json found = json::parse(other.output).at("orphans");
  ASSERT_EQ(found.size(), 2U) << found;
  EXPECT_EQ(found[0]["id"], "lb-foreign");
  EXPECT_EQ(found[0]["services"][0]["uid"], kGoneUid);
  EXPECT_EQ(found[1]["destinationCIDR"], "10.244.8.0/24");
}

TEST_F(OrphansTest, AListingThatFailsShowsNothing) {
  add_all();
  for (const json& faults : {json{{"operations", {{"ListLoadBalancers", "garbage"}}}},
                             json{{"operations", {{"ListRoutes", "error"}}}, {"status", 403}}}) {
    cloud().control("PUT", "/faults", faults);
    const CommandOutcome outcome = orphans("--cluster-name=mine");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("ccmctl: objects of the cloud: "));
    EXPECT_THAT(outcome.output, Not(HasSubstr("lb-gone")));
  }
}

TEST_F(OrphansTest, WithoutTheClusterNothingIsAnOrphan) {
  add_all();
  const CommandOutcome outcome =
      ccmctl("orphans", "--cluster-name=mine --kubeconfig=/nowhere/kubeconfig");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("/nowhere/kubeconfig"));
  EXPECT_EQ(cloud().calls().at("total"), 0);
}

TEST_F(OrphansTest, CleanupRemovesAllOfTheClusterAndNothingElse) {
  add_all();
  add_balancer("lb-last", mark("mine", "66666666-2222-3333-4444-555555555555"));
  const CommandOutcome outcome = cleanup("--cluster=mine --yes");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("removed load-balancer lb-gone\n"));
  EXPECT_THAT(outcome.output, HasSubstr("removed load-balancer lb-last\n"));
  EXPECT_THAT(outcome.output, HasSubstr("removed route r-gone\n"));
  EXPECT_EQ(left(), (std::set<std::string>{"lb-foreign", "lb-unmarked", "r-foreign"}));
  const CommandOutcome again = cleanup("--cluster=mine --yes");
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("Nothing to remove\n"));
}

TEST_F(OrphansTest, CleanupWaitsUntilALoadBalancerIsGone) {
  add_balancer("lb-slow", mark("mine"));
  cloud().control("PUT", "/settings", {{"delete_ms", 1500}});
  const CommandOutcome outcome = cleanup("--cluster=mine --yes");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(cloud().control("GET", "/load_balancers").at("load_balancers").empty());
}

TEST_F(OrphansTest, CleanupGoesOnAfterAFailureAndEndsWithOne) {
  add_all();
  cloud().control("PUT", "/faults",
                  {{"operations", {{"DeleteLoadBalancer", "error"}}}, {"status", 403}});
  const CommandOutcome outcome = cleanup("--cluster=mine --yes");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("FAILED  load-balancer lb-gone: "));
  EXPECT_THAT(outcome.output, HasSubstr("removed route r-gone\n"));
  EXPECT_THAT(outcome.output, HasSubstr("1 object was not removed; run it again"));
  std::set<std::string> expected = all_;
  expected.erase("r-gone");
  EXPECT_EQ(left(), expected);
}

TEST_F(OrphansTest, CleanupRemovesNothingWhenTheListingFails) {
  add_all();
  for (const json& faults : {json{{"operations", {{"ListLoadBalancers", "garbage"}}}},
                             json{{"operations", {{"ListRoutes", "error"}}}, {"status", 403}}}) {
    cloud().control("PUT", "/faults", faults);
    const CommandOutcome outcome = cleanup("--cluster=mine --yes");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_EQ(left(), all_);
    EXPECT_EQ(cloud().calls().at("writes"), 0) << cloud().calls();
  }
}

TEST_F(OrphansTest, CleanupAsksOnATerminalOnly) {
  add_all();
  const CommandOutcome without = cleanup("--cluster=mine");
  EXPECT_EQ(without.exit_code, 2) << without.output;
  EXPECT_THAT(without.output, HasSubstr("give --yes"));
  const std::string line = "HOME= KUBECONFIG= " + std::string(CCM_CTL_PROGRAM) +
                           " cleanup --cluster=mine --cloud-provider=sandbox --cloud-config=" +
                           cloud().config().string();
  const auto typed = [&line](const std::string& answer) {
    return support::run_command("(printf '" + answer + "\\n' | script -qec '" + line +
                                "' /dev/null)");
  };
  const CommandOutcome no = typed("n");
  EXPECT_EQ(no.exit_code, 1) << no.output;
  EXPECT_THAT(no.output, HasSubstr("Remove 2 objects? [y/N]"));
  EXPECT_THAT(no.output, HasSubstr("Nothing was removed"));
  EXPECT_EQ(left(), all_);
  const CommandOutcome yes = typed("y");
  EXPECT_EQ(yes.exit_code, 0) << yes.output;
  EXPECT_EQ(left(), (std::set<std::string>{"lb-foreign", "lb-unmarked", "r-foreign"}));
}

TEST_F(OrphansTest, CleanupLeavesWhatAClusterThatAnswersNeeds) {
  const std::string uid = make_service();
  add_all();
  add_balancer("lb-web", mark("mine", uid));
  const CommandOutcome outcome =
      cleanup("--cluster=mine --yes --kubeconfig=" + server().kubeconfig().string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("the cluster still needs it"));
  EXPECT_EQ(left(), (std::set<std::string>{"lb-web", "lb-foreign", "lb-unmarked", "r-foreign"}));
}

TEST_F(OrphansTest, WrongUseEndsWithTwoAndTouchesNothing) {
  add_all();
  add_balancer("lb-kubernetes", mark("kubernetes"));
  for (const char* more : {"--yes", "--cluster= --yes", "--cluster=kubernetes --yes",
                           "--cluster=mine --yes --unknown=1"}) {
    const CommandOutcome outcome = cleanup(more);
    EXPECT_EQ(outcome.exit_code, 2) << more << outcome.output;
  }
  EXPECT_EQ(cloud().calls().at("total"), 0) << cloud().calls();
  const CommandOutcome allowed = cleanup("--cluster=kubernetes --allow-default-name --yes");
  EXPECT_EQ(allowed.exit_code, 0) << allowed.output;
  EXPECT_EQ(left(), all_);
}

TEST_F(OrphansTest, ACredentialThatIsRefusedIsSaid) {
  cloud().control("PUT", "/token", {{"token", "another"}});
  const CommandOutcome outcome = cleanup("--cluster=mine --yes --login-timeout=3");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("the cloud refuses the credential (401)"));
}

// Doctor.

class DoctorTest : public OrphansTest {
 protected:
  void TearDown() override {
    api_.remove(kLease);
    OrphansTest::TearDown();
  }
  CommandOutcome doctor(const std::string& more = "") {
    return ccmctl("doctor", "--cluster-name=mine --kubeconfig=" + server().kubeconfig().string() +
                                " " + more);
  }
  static json by_check(const CommandOutcome& outcome) {
    json found = json::object();
    const auto begin = outcome.output.find("{\n");
    if (begin == std::string::npos) return found;
    const json checks = json::parse(outcome.output.substr(begin)).at("checks");
    for (const json& one : checks) {
      found[one.at("check").get<std::string>()] = one;
    }
    return found;
  }
  // A time as a Lease has it.
  static std::string now_text() {
    const std::time_t now = std::time(nullptr);
    tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    const size_t length = std::strftime(text.data(), text.size(), "%FT%T.000000Z", &parts);
    return {text.data(), length};
  }
  // For an hour, so that nobody has to renew it while a test runs.
  void hold_lease(const std::string& holder, const std::string& renewed) {
    const auto made = api_.create(
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
        {{"apiVersion", "coordination.k8s.io/v1"},
         {"kind", "Lease"},
         {"metadata", {{"name", "cloud-controller-manager"}}},
         {"spec",
          {{"holderIdentity", holder}, {"renewTime", renewed}, {"leaseDurationSeconds", 3'600}}}});
    ASSERT_EQ(made.status, 201) << made.http.body;
  }
  static constexpr const char* kLease =
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager";
};

TEST_F(DoctorTest, AnEmptyClusterIsToldSo) {
  hold_lease("manager_1", now_text());
  const CommandOutcome outcome = doctor("--own-rights");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  for (const char* check :
       {"clock", "lease", "rights", "uninitialized-nodes", "shutdown-taints", "kubelets",
        "pod-ranges", "machines", "cloud", "orphans", "doubled-load-balancers", "node-ports"}) {
    EXPECT_THAT(outcome.output, HasSubstr(std::string("OK      ") + check)) << check;
  }
  EXPECT_THAT(outcome.output, Not(HasSubstr("To do")));
  EXPECT_EQ(cloud().calls().at("writes"), 0) << cloud().calls();
}

TEST_F(DoctorTest, EachFaultIsFoundAndSaysWhatToDo) {
  hold_lease("manager_1", "2026-01-01T00:00:00.000000Z");
  const std::string uid = make_service();
  make_node();  // no provider ID, no taint
  add_balancer("lb-1", mark("mine", uid));
  add_balancer("lb-2", mark("mine", uid));
  add_balancer("lb-gone", mark("mine"));
  const CommandOutcome outcome = doctor("--own-rights -o json");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  const json found = by_check(outcome);
  const auto result = [&found](const char* check) {
    return found.value(check, json::object()).value("result", "");
  };
  EXPECT_EQ(result("clock"), "OK") << found;
  EXPECT_EQ(result("lease"), "PROBLEM") << found;
  EXPECT_EQ(result("rights"), "OK") << found;
  EXPECT_EQ(result("kubelets"), "PROBLEM") << found;
  EXPECT_EQ(result("orphans"), "WARNING") << found;
  EXPECT_EQ(result("doubled-load-balancers"), "PROBLEM") << found;
  for (const auto& [check, one] : found.items()) {
    EXPECT_EQ(one.contains("toDo"), one.at("result") != "OK") << check;
  }
  EXPECT_EQ(cloud().calls().at("writes"), 0) << cloud().calls();
}

TEST_F(DoctorTest, TheManagersServiceAccountIsAskedFor) {
  if (server().kind() == support::ServerKind::kSandbox) {
    GTEST_SKIP() << "the sandbox allows everybody everything";
  }
  const CommandOutcome outcome = doctor("-o json --service-account=default/nobody");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  const json found = by_check(outcome);
  EXPECT_EQ(found.at("rights").at("result"), "PROBLEM") << found;
  EXPECT_THAT(found.at("rights").at("found").get<std::string>(),
              HasSubstr("system:serviceaccount:default:nobody lacks rights of "));
}

TEST_F(DoctorTest, ACloudThatDoesNotAnswerIsAProblemOfItsOwn) {
  hold_lease("manager_1", now_text());
  cloud().control("PUT", "/faults", {{"operations", {{"ListLoadBalancers", "garbage"}}}});
  const CommandOutcome outcome = doctor("--own-rights");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("PROBLEM  cloud "));
  EXPECT_THAT(outcome.output, HasSubstr("OK       lease "));
}

TEST_F(DoctorTest, WrongUseEndsWithTwo) {
  for (const char* more : {"--unknown=1", "--service-account=nobody", "--taint-minutes=0"}) {
    EXPECT_EQ(doctor(more).exit_code, 2) << more;
  }
  EXPECT_EQ(support::run_command(std::string(CCM_CTL_PROGRAM) + " doctor").exit_code, 2);
}

}  // namespace
}  // namespace ccm::e2e
