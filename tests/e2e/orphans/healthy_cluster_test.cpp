// ccmctl doctor on a cluster for which a real manager works, and what it says when one thing is
// wrong there.
#include "support/command.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kServices = "/api/v1/namespaces/default/services";

class HealthyClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    start_manager();
    for (const char* name : {"node-1", "node-2"}) join(name);
    const json port = {{"port", 80}, {"protocol", "TCP"}};
    const auto made = api_.create(
        kServices, {{"apiVersion", "v1"},
                    {"kind", "Service"},
                    {"metadata", {{"name", "web"}}},
                    {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}});
    ASSERT_EQ(made.status, 201) << made.http.body;
    ASSERT_TRUE(eventually(patience(), [this] {
      const json web = api_.get(std::string(kServices) + "/web").body;
      return web.contains("/status/loadBalancer/ingress"_json_pointer) && ranges() == 2 &&
             support::count_initialised(api_, "node-") == 2 && cloud_is_complete();
    })) << manager_->log();
  }
  void TearDown() override {
    if (manager_ && HasFailure()) fputs(manager_->log().c_str(), stderr);
  }

  [[nodiscard]] std::vector<std::string> flags() const {
    return {"--cloud-provider=sandbox", "--cloud-config=" + cloud_.config().string(),
            "--cluster-name=mine",      "--controllers=*,node-ipam-controller",
            "--allocate-node-cidrs",    "--cluster-cidr=10.244.0.0/16"};
  }
  void start_manager() {
    std::vector<std::string> command{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                     "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                     "--secure-port=0"};
    for (std::string& flag : flags()) command.push_back(std::move(flag));
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{folder_.path() / "manager.log", {}});
  }
  void join(const std::string& name) {
    cloud_.control("PUT", "/machines/m-" + name, {{"name", name}});
    const auto made = api_.create("/api/v1/nodes", support::uninitialised_node(name, ""));
    ASSERT_EQ(made.status, 201) << made.http.body;
    const json ready = {{"type", "Ready"}, {"status", "True"}};
    ASSERT_TRUE(api_.patch("/api/v1/nodes/" + name + "/status", support::kMergePatch,
                           {{"status", {{"conditions", json::array({ready})}}}})
                    .ok());
  }
  std::size_t ranges() {
    std::size_t count = 0;
    const json nodes = api_.get("/api/v1/nodes").body.at("items");
    for (const json& node : nodes) count += node.at("spec").contains("podCIDR") ? 1 : 0;
    return count;
  }
  // Both nodes have a route, and the load balancer sends to both: the manager has no more to write.
  bool cloud_is_complete() {
    const json balancers = cloud_.control("GET", "/load_balancers").at("load_balancers");
    return balancers.size() == 1 && balancers.at(0).at("backends").size() == 2 &&
           cloud_.control("GET", "/routes").at("routes").size() == 2;
  }
  support::CommandOutcome doctor(const std::string& more = "") {
    std::string line = "HOME= KUBECONFIG= " + std::string(CCM_CTL_PROGRAM) + " doctor " + more +
                       " --kubeconfig=" + server_.kubeconfig().string();
    for (const std::string& flag : flags()) line += " '" + flag + "'";
    return support::run_command(line);
  }
  // "RESULT: what was found" of one check.
  std::string found(const std::string& check) {
    const auto outcome = doctor("-o json");
    const auto begin = outcome.output.find("{\n");
    if (begin == std::string::npos) return outcome.output;
    const json checks = json::parse(outcome.output.substr(begin)).at("checks");
    for (const json& one : checks) {
      if (one.at("check") != check) continue;
      return one.at("result").get<std::string>() + ": " + one.at("found").get<std::string>();
    }
    return "no such check";
  }

  support::TemporaryFolder folder_{"ccm-healthy"};
  support::TestServer server_{folder_.path()};
  support::TestCloud cloud_{folder_.path()};
  support::KubeClient api_ = server_.client();
  std::unique_ptr<support::Process> manager_;
};

TEST_F(HealthyClusterTest, NothingIsFound) {
  const json before = cloud_.calls().at("writes");
  const auto outcome = doctor();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  for (const char* check :
       {"clock", "lease", "rights", "uninitialized-nodes", "shutdown-taints", "kubelets",
        "pod-ranges", "machines", "cloud", "orphans", "doubled-load-balancers"}) {
    EXPECT_THAT(outcome.output, HasSubstr(std::string("OK       ") + check + " ")) << check;
  }
  // The sandbox cloud has no firewalls.
  EXPECT_THAT(outcome.output, HasSubstr("UNKNOWN  node-ports "));
  EXPECT_THAT(outcome.output, Not(HasSubstr("WARNING")));
  EXPECT_THAT(outcome.output, Not(HasSubstr("PROBLEM")));
  EXPECT_EQ(cloud_.calls().at("writes"), before);
}

TEST_F(HealthyClusterTest, IPAM_37_ASecondOwnerOfPodRangesIsFound) {
  json node = support::uninitialised_node("other-1", "");
  node["spec"]["podCIDR"] = "10.244.200.0/24";
  node["spec"]["podCIDRs"] = json::array({"10.244.200.0/24"});
  const auto made = api_.create("/api/v1/nodes?fieldManager=kube-controller-manager", node);
  ASSERT_EQ(made.status, 201) << made.http.body;
  if (!made.body.at("metadata").contains("managedFields")) {
    GTEST_SKIP() << "the sandbox does not tell who wrote a field";
  }
  EXPECT_THAT(found("pod-ranges"), HasSubstr("PROBLEM: kube-controller-manager gives Nodes"));
}

// As with a credential of another account. Nobody deletes the Nodes meanwhile.
TEST_F(HealthyClusterTest, InstancesThatTheCloudLacksAndALeaseThatNobodyHoldsAreFound) {
  manager_->stop();
  for (const char* machine : {"m-node-1", "m-node-2"}) {
    EXPECT_THAT(found("machines"), Not(HasSubstr("none of")));
    cloud_.control("DELETE", std::string("/machines/") + machine);
  }
  EXPECT_THAT(found("machines"), HasSubstr("PROBLEM: the cloud lists the instance of none of 2"));
  EXPECT_THAT(found("lease"), HasSubstr("PROBLEM: nobody holds"));
}

}  // namespace
}  // namespace ccm::e2e
