// A dry run prints what a real run would change, and not one write leaves the process: a proxy
// before the API server and the cloud count.
#include "api_proxy.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "support/suite_world.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ccm::e2e {
namespace {

using nlohmann::json;

struct Unused {};

class DryRunTest : public support::SuiteWorld<Unused> {
 protected:
  void SetUp() override {
    const json kubeconfig = {
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"clusters", json::array({{{"name", "p"}, {"cluster", {{"server", proxy_.server()}}}}})},
        {"users", json::array({{{"name", "m"}, {"user", json::object()}}})},
        {"contexts",
         json::array({{{"name", "p"}, {"context", {{"cluster", "p"}, {"user", "m"}}}}})},
        {"current-context", "p"}};
    support::write_file(own_.path() / "kubeconfig", kubeconfig.dump());
  }
  void TearDown() override {
    for (const char* name : {"web", "wrong"}) {
      const std::string path = std::string("/api/v1/namespaces/default/services/") + name;
      api_.patch(path, support::kMergePatch, {{"metadata", {{"finalizers", nullptr}}}});
      api_.remove(path);
    }
    for (const char* node : {"new", "routed", "vanished"}) {
      api_.remove(std::string("/api/v1/nodes/") + node);
    }
    cloud().reset();
  }

  // A Node without its provider ID, one without its route, one without its machine, and a Service
  // without its load balancer.
  void work_for_all() {
    for (const char* machine : {"new", "routed"}) {
      cloud().control("PUT", std::string("/machines/") + machine, {{"name", machine}});
    }
    create("/api/v1/nodes", support::uninitialised_node("new", ""));
    create("/api/v1/nodes", node("routed", {{"podCIDR", "10.244.200.0/24"},
                                            {"podCIDRs", json::array({"10.244.200.0/24"})}}));
    create("/api/v1/nodes", node("vanished", json::object()));
    ready("routed", "True");
    ready("vanished", "Unknown");
    create("/api/v1/namespaces/default/services", service("web", json::object()));
  }
  static json node(const std::string& name, json spec) {
    spec["providerID"] = "sandbox://" + name;
    return {{"kind", "Node"}, {"metadata", {{"name", name}}}, {"spec", std::move(spec)}};
  }
  static json service(const std::string& name, const json& annotations) {
    return {{"kind", "Service"},
            {"metadata", {{"name", name}, {"annotations", annotations}}},
            {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({{{"port", 80}}})}}}};
  }
  void create(const std::string& path, json object) {
    object["apiVersion"] = "v1";
    const auto created = api_.create(path, object);
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  void ready(const std::string& name, const std::string& status) {
    const json condition = {{"type", "Ready"}, {"status", status}};
    const json patch = {{"status", {{"conditions", json::array({condition})}}}};
    ASSERT_TRUE(
        api_.patch("/api/v1/nodes/" + name + "/status", support::kStrategicPatch, patch).ok());
  }

  std::unique_ptr<support::Process> manager(std::vector<std::string> more) {
    std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                        "--kubeconfig=" + (own_.path() / "kubeconfig").string(),
                                        "--cloud-provider=sandbox",
                                        "--cloud-config=" + cloud().config().string(),
                                        "--controllers=*,node-ipam-controller",
                                        "--cluster-cidr=10.244.0.0/16",
                                        "--allocate-node-cidrs",
                                        "--node-monitor-period=1s"};
    command.insert(command.end(), more.begin(), more.end());
    return std::make_unique<support::Process>(
        command,
        support::ProcessOptions{own_.path() / "manager.log", {{"KUBECONFIG", ""}, {"HOME", ""}}});
  }

  struct Outcome {
    int exit_code = -1;
    std::string output;                // and the log
    [[nodiscard]] json plan() const {  // the log's lines come before or after
      const auto begin = output.find("{\n");
      const auto end = output.rfind("\n}");
      if (begin == std::string::npos || end == std::string::npos) return {};
      return json::parse(output.substr(begin, end + 2 - begin), nullptr, false);
    }
  };
  Outcome dry_run(std::vector<std::string> more) {
    const std::size_t writes = kube_writes();
    cloud().control("DELETE", "/calls");
    more.insert(more.begin(), "--dry-run");
    const auto process = manager(std::move(more));
    const auto ended = process->wait(support::patience());
    Outcome outcome{ended ? ended->code : -1, process->log()};
    EXPECT_EQ(kube_writes(), writes) << outcome.output;
    EXPECT_EQ(cloud().calls().at("writes"), 0) << cloud().calls();
    EXPECT_EQ(api_.get(kLease).status, 404);
    return outcome;
  }
  std::size_t kube_writes() const {
    return proxy_.requests("POST", ".") + proxy_.requests("PUT", ".") +
           proxy_.requests("PATCH", ".") + proxy_.requests("DELETE", ".");
  }
  static const json* change(const json& plan, const std::string& action,
                            const std::string& object) {
    for (const json& one : plan.at("changes")) {
      if (one.at("action").get<std::string>().starts_with(action) &&
          one.value("object", "") == object) {
        return &one;
      }
    }
    return nullptr;
  }
  // The text that a field would have; empty: it would not change.
  static std::string after(const json& plan, const std::string& controller,
                           const std::string& object, const std::string& field) {
    for (const json& one : plan.at("changes")) {
      if (one.at("controller") != controller || one.value("object", "") != object) continue;
      for (const json& each : one.value("fields", json::array())) {
        if (each.at("field") == field) return each.at("after").get<std::string>();
      }
    }
    return {};
  }
  bool settled() {
    const json web = api_.get("/api/v1/namespaces/default/services/web").body;
    const json routes = cloud().control("GET", "/routes").at("routes");
    return support::count_initialised(api_, "new") == 1 &&
           api_.get("/api/v1/nodes/vanished").status == 404 && routes.size() == 2 &&
           web.at("status").at("loadBalancer").contains("ingress");
  }

  static constexpr const char* kLease =
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager";
  support::TemporaryFolder own_{"dry-run"};
  support::KubeClient api_ = server().client();
  ApiProxy proxy_{support::read_kubeconfig(server().kubeconfig())};
};

TEST_F(DryRunTest, EachControllersChangesArePrintedAndNoneIsMade) {
  work_for_all();
  const Outcome outcome = dry_run({"--dry-run-output=json"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  const json plan = outcome.plan();
  ASSERT_TRUE(plan.is_object()) << outcome.output;
  EXPECT_EQ(plan.at("open"), json::array()) << plan;

  EXPECT_EQ(after(plan, "cloud-node-controller", "new", "/spec/providerID"), "sandbox://new");
  EXPECT_EQ(after(plan, "node-ipam-controller", "new", "/spec/podCIDR").substr(0, 7), "10.244.");
  EXPECT_NE(after(plan, "node-ipam-controller", "new", "/spec/podCIDR"),
            after(plan, "node-ipam-controller", "vanished", "/spec/podCIDR"));
  const json* removed = change(plan, "delete v1/nodes", "vanished");
  ASSERT_NE(removed, nullptr) << plan;
  EXPECT_EQ(removed->at("controller"), "cloud-node-lifecycle-controller");
  const json* finalizer = change(plan, "patch v1/services/status", "default/web");
  ASSERT_NE(finalizer, nullptr) << plan;
  EXPECT_EQ(finalizer->at("fields").at(0).at("field"), "/metadata/finalizers");
  const json* balancer = change(plan, "POST http", "default/web");
  ASSERT_NE(balancer, nullptr) << plan;
  EXPECT_EQ(balancer->at("controller"), "service-lb-controller");
  EXPECT_TRUE(balancer->at("body").is_object()) << *balancer;
  const json* routes = change(plan, "POST http", "routes");
  ASSERT_NE(routes, nullptr) << plan;
  EXPECT_NE(routes->dump().find("10.244.200.0/24"), std::string::npos) << *routes;
  // Nothing that only the missing answers of the cloud would cause.
  EXPECT_EQ(plan.dump().find("conditions"), std::string::npos) << plan;
}

// Accounts, tokens, candidates and a second Lease are of real runs; the controllers that wait for
// that Lease are in the plan.
TEST_F(DryRunTest, WhatTheFlagsOfARealRunAddToItsWritesIsNotMadeEither) {
  work_for_all();
  const Outcome outcome =
      dry_run({"--dry-run-output=json", "--use-service-account-credentials",
               "--enable-leader-migration", "--feature-gates=CoordinatedLeaderElection=true"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  const json plan = outcome.plan();
  ASSERT_TRUE(plan.is_object()) << outcome.output;
  EXPECT_EQ(plan.at("open"), json::array()) << plan;
  EXPECT_EQ(after(plan, "cloud-node-controller", "new", "/spec/providerID"), "sandbox://new");
  EXPECT_NE(change(plan, "delete v1/nodes", "vanished"), nullptr) << plan;
  EXPECT_NE(change(plan, "POST http", "default/web"), nullptr) << plan;
  EXPECT_NE(change(plan, "POST http", "routes"), nullptr) << plan;
}

TEST_F(DryRunTest, AfterARealRunThereIsNothingToDo) {
  work_for_all();
  const auto real = manager({"--leader-elect=false", "--secure-port=0"});
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return settled(); })) << real->log();
  EXPECT_EQ(real->stop().code, 0);
  const Outcome outcome = dry_run({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("\n0 changes\n"), std::string::npos) << outcome.output;
}

// The manager that works has the port and the Lease.
TEST_F(DryRunTest, ItRunsBesideTheLeader) {
  work_for_all();
  const auto real =
      manager({"--leader-elect=false", "--secure-port=20261", "--bind-address=127.0.0.1"});
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return settled(); })) << real->log();
  const auto process = manager({"--dry-run", "--secure-port=20261", "--bind-address=127.0.0.1"});
  const auto ended = process->wait(support::patience());
  ASSERT_TRUE(ended) << process->log();
  EXPECT_EQ(ended->code, 0) << process->log();
  EXPECT_TRUE(real->running());
}

TEST_F(DryRunTest, AServiceThatARealRunRefusesIsLeftAsItIs) {
  if (server().kind() == support::ServerKind::kKubeApiserver) {
    GTEST_SKIP() << "kube-apiserver refuses this Service itself";
  }
  create(
      "/api/v1/namespaces/default/services",
      service("wrong", {{"service.beta.kubernetes.io/load-balancer-source-ranges", "nonsense"}}));
  const Outcome outcome = dry_run({});
  EXPECT_NE(outcome.output.find("Left as it is: service-lb-controller default/wrong is refused"),
            std::string::npos)
      << outcome.output;
}

TEST_F(DryRunTest, WithoutTheCloudNothingCanBeTold) {
  work_for_all();
  cloud().control("PUT", "/faults", {{"list", "error"}, {"get", "error"}, {"status", 503}});
  const Outcome outcome = dry_run({"--dry-run-timeout=3s"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("Cannot tell: "), std::string::npos) << outcome.output;
}

// No object fails there: a Node that is not ready is looked at again later.
TEST_F(DryRunTest, WithoutTheCloudASilentNodeIsNoReasonToSayThatNothingWouldChange) {
  create("/api/v1/nodes", node("vanished", json::object()));
  ready("vanished", "Unknown");
  cloud().control("PUT", "/faults", {{"list", "error"}, {"get", "error"}, {"status", 503}});
  const Outcome outcome = dry_run({"--dry-run-timeout=4s"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("without the cloud's answer"), std::string::npos) << outcome.output;
}

TEST_F(DryRunTest, AnInterruptedOneCannotTell) {
  work_for_all();
  const auto process = manager({"--dry-run"});
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return process->log().find("Looking for changes") != std::string::npos;
  }));
  EXPECT_EQ(process->stop().code, 1) << process->log();
}

TEST_F(DryRunTest, WrongValuesAreRefused) {
  for (const char* flag : {"--dry-run=server", "--dry-run-output=yaml", "--dry-run-timeout=0s"}) {
    const auto process = manager({flag});
    const auto ended = process->wait(support::patience());
    ASSERT_TRUE(ended) << flag;
    EXPECT_EQ(ended->code, 1) << flag;
    EXPECT_NE(process->log().find("Error: "), std::string::npos) << process->log();
  }
}

}  // namespace
}  // namespace ccm::e2e
