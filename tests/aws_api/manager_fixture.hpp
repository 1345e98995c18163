// The real manager with aws.so against the fake of the APIs and an API server.
#pragma once

#include "aws_api/server.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/manifests.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::aws_api {

using nlohmann::json;

inline constexpr const char* kServicesPath = "/api/v1/namespaces/default/services";
inline constexpr const char* kTypeAnnotation = "service.beta.kubernetes.io/aws-load-balancer-type";

class AwsManagerTest : public ::testing::Test {
 protected:
  AwsManagerTest() {
    std::ofstream(folder_.path() / "cloud.conf")
        << "[Global]\nRegion = us-east-1\nVPC = vpc-1\nKubernetesClusterID = c1\n";
    if (server_.kind() == support::ServerKind::kSandbox) return;
    for (const char* file : {"rbac.yaml", "daemonset.yaml"}) {
      server_.give_rights(support::read_manifests(std::filesystem::path(CCM_AWS_MANIFESTS) / file));
    }
  }
  ~AwsManagerTest() override { end_manager(); }
  // Before the cloud goes.
  void end_manager() {
    if (!manager_) return;
    manager_->stop();
    if (HasFailure()) std::fputs(log_tail().c_str(), stderr);
    manager_.reset();
  }
  std::string log_tail() {
    const std::string text = manager_->log();
    return text.substr(text.size() - std::min<size_t>(text.size(), 5000));
  }

  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return {{"KUBECONFIG", ""},
            {"HOME", ""},
            {"AWS_ENDPOINT_URL", cloud_.url()},
            {"AWS_ACCESS_KEY_ID", "AKIDTEST"},
            {"AWS_SECRET_ACCESS_KEY", "secret"},
            {"AWS_EC2_METADATA_DISABLED", "true"}};
  }
  void start(const std::string& controllers, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {
        support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
        "--kubeconfig=" + server_.manager_kubeconfig().string(),
        "--cloud-provider=aws",
        "--cloud-config=" + (folder_.path() / "cloud.conf").string(),
        "--controllers=" + controllers,
        "--cluster-name=kubernetes",
        "--leader-elect=false",
        "--secure-port=0"};
    command.insert(command.end(), flags.begin(), flags.end());
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{folder_.path() / "manager.log", environment()});
  }

  // Nodes of the instances n1 to n4, by their names.
  void join_nodes(int count) {
    for (int i = 1; i <= count; ++i) {
      const std::string name = cloud_.names().at("n" + std::to_string(i) + "-dns");
      const auto made = api_.create("/api/v1/nodes", support::uninitialised_node(name, ""));
      ASSERT_EQ(made.status, 201) << made.http.body;
    }
  }
  bool nodes_are_initialised(int count) {
    return support::eventually(
        support::patience(), [&] { return support::count_initialised(api_, "ip-10-0-") == count; });
  }
  // Makes a Service of type LoadBalancer, with a nodePort of its own.
  json serve(const std::string& name, int node_port, const json& annotations,
             const std::vector<int>& ports = {80}) {
    json list = json::array();
    for (const int port : ports) {
      list.push_back({{"name", "p" + std::to_string(port)},
                      {"port", port},
                      {"nodePort", node_port++},
                      {"protocol", "TCP"}});
    }
    const auto made = api_.create(
        kServicesPath,
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", {{"name", name}, {"annotations", annotations}}},
         {"spec", {{"type", "LoadBalancer"}, {"selector", {{"app", name}}}, {"ports", list}}}});
    EXPECT_EQ(made.status, 201) << made.http.body;
    return made.body;
  }
  std::string hostname(const std::string& name) {
    return api_.get(std::string(kServicesPath) + "/" + name)
        .body.value("/status/loadBalancer/ingress/0/hostname"_json_pointer, "");
  }
  template <typename Look>
  bool cloud_comes_to(Look look) {
    return support::eventually(support::patience(), [&] {
      bool right = false;
      cloud_.with([&](World& world) { right = look(world); });
      return right;
    });
  }

  support::TemporaryFolder folder_{"ccm-aws"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_{server_.client()};
  Server cloud_;
  std::unique_ptr<support::Process> manager_;
};

// How many parts of load balancers the cloud has, and rules of security groups.
inline std::size_t parts_of_load_balancers(World& world) {
  const LoadBalancing& all = world.balancing;
  std::size_t rules = 0;
  for (const auto& [id, group] : all.groups) rules += group.rules.size();
  return all.networks.size() + all.classics.size() + all.targets.size() + all.listeners.size() +
         all.groups.size() - 2 + rules;
}

// These parts in words, for failures.
inline std::string describe_parts(World& world) {
  const LoadBalancing& all = world.balancing;
  std::string text;
  for (const auto& [arn, network] : all.networks)
    text += "network load balancer " + network.name + "\n";
  for (const auto& [name, classic] : all.classics) text += "classic load balancer " + name + "\n";
  for (const auto& [arn, group] : all.targets) text += "target group " + arn + "\n";
  for (const auto& [arn, listener] : all.listeners) text += "listener " + arn + "\n";
  for (const auto& [id, group] : all.groups) {
    text += "security group " + id + " " + group.name +
            ", rules: " + std::to_string(group.rules.size()) + "\n";
  }
  return text;
}

}  // namespace ccm::aws_api
