// The real manager with openstack.so against the fake of the APIs and an API server.
#pragma once

#include "openstack_api/add_servers.hpp"
#include "openstack_api/rights.hpp"
#include "openstack_api/server.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/manifests.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack_api {

inline constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";

// With the role of deploy/manifests/openstack and no other, unless a test gives the rights itself.
class OpenStackManagerTest : public ::testing::Test {
 protected:
  explicit OpenStackManagerTest(bool with_rights = true) {
    cloud_.with([this](Cloud& cloud) {
      cloud.observer = [this](const Exchange& exchange) {
        if (!rights_.allow(exchange.method, exchange.target)) {
          not_in_the_docs_.insert(exchange.method + " " + exchange.target);
        }
      };
    });
    if (!with_rights || server_.kind() == support::ServerKind::kSandbox) return;
    for (const char* file : {"rbac.yaml", "secret.yaml.example", "daemonset.yaml"}) {
      server_.give_rights(
          support::read_manifests(std::filesystem::path(CCM_OPENSTACK_MANIFESTS) / file));
    }
  }
  ~OpenStackManagerTest() override {
    if (!manager_) return;
    manager_->stop();
    if (HasFailure()) std::fputs(tail(manager_->log()).c_str(), stderr);
  }
  // All that the manager asked is what docs/openstack.md says that it may have to ask.
  void TearDown() override {
    EXPECT_GE(rights_.size(), 20U);
    cloud_.with([this](Cloud& cloud) {
      cloud.observer = nullptr;
      for (const std::string& request : not_in_the_docs_) ADD_FAILURE() << request;
    });
  }
  static std::string tail(const std::string& text) {
    return text.substr(text.size() - std::min<size_t>(text.size(), 5000));
  }

  // `more`: further sections.
  void write_conf(const std::string& password = "secret", const std::string& more = "") const {
    std::ofstream(folder_.path() / "cloud.conf")
        << "[Global]\nauth-url = " << cloud_.url() << "/identity\nusername = demo\npassword = \""
        << password << "\"\ntenant-name = demo\ndomain-name = Default\nregion = RegionOne\n"
        << more;
  }
  void start(const std::string& controllers, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {
        support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
        "--kubeconfig=" + server_.manager_kubeconfig().string(),
        "--cloud-provider=openstack",
        "--cloud-config=" + (folder_.path() / "cloud.conf").string(),
        "--controllers=" + controllers,
        "--leader-elect=false",
        "--secure-port=0"};
    command.insert(command.end(), flags.begin(), flags.end());
    const std::map<std::string, std::string> environment = {{"KUBECONFIG", ""}, {"HOME", ""}};
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{folder_.path() / "manager.log", environment});
  }
  // The IDs of servers PREFIX0, PREFIX1, ...
  std::vector<std::string> add_servers(const std::string& prefix, int count,
                                       const std::string& network = "nodes") {
    std::vector<std::string> ids;
    cloud_.with([&](Cloud& cloud) {
      ids = openstack_api::add_servers(cloud, cloud_.facts(), prefix, count, network);
    });
    return ids;
  }
  void join(const std::string& name, const std::string& provider_id,
            const std::string& range = "") {
    json node = {
        {"apiVersion", "v1"},
        {"kind", "Node"},
        {"metadata", {{"name", name}}},
        {"spec",
         {{"taints",
           json::array({{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}})}}}};
    if (!provider_id.empty()) node["spec"]["providerID"] = provider_id;
    if (!range.empty()) {
      node["spec"]["podCIDR"] = range;
      node["spec"]["podCIDRs"] = json::array({range});
    }
    const auto created = api_.create("/api/v1/nodes", node);
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  int64_t initialised(const std::string& prefix) {
    int64_t count = 0;
    const auto nodes = api_.get("/api/v1/nodes");
    for (const json& node : nodes.body.at("items")) {
      if (!node.at("metadata").at("name").get<std::string>().starts_with(prefix)) continue;
      bool tainted = false;
      for (const json& taint : node.at("spec").value("taints", json::array())) {
        tainted = tainted || taint.at("key") == kTaint;
      }
      count += tainted ? 0 : 1;
    }
    return count;
  }
  void make_not_ready(const std::string& name) {
    const json not_ready = {
        {"status",
         {{"conditions", json::array({{{"type", "Ready"},
                                       {"status", "Unknown"},
                                       {"reason", "NodeStatusUnknown"},
                                       {"lastHeartbeatTime", "2026-01-01T00:00:00Z"},
                                       {"lastTransitionTime", "2026-01-01T00:00:00Z"}}})}}}};
    api_.patch("/api/v1/nodes/" + name + "/status", support::kStrategicPatch, not_ready);
  }

  support::TemporaryFolder folder_{"ccm-openstack"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_{server_.client()};
  Rights rights_{CCM_OPENSTACK_PAGE};
  std::set<std::string> not_in_the_docs_;  // within the fake's lock
  Server cloud_;
  std::unique_ptr<support::Process> manager_;
};

}  // namespace ccm::openstack_api
