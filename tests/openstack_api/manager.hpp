// The real manager with openstack.so and an API server, for any cloud.
#pragma once

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

namespace ccm::openstack_api {

using nlohmann::json;

inline constexpr const char* kServicesPath = "/api/v1/namespaces/default/services";

// With the role of deploy/manifests/openstack and no other, unless a test gives the rights itself.
class ManagerTest : public ::testing::Test {
 protected:
  explicit ManagerTest(bool with_rights = true) {
    if (!with_rights || server_.kind() == support::ServerKind::kSandbox) return;
    for (const char* file : {"rbac.yaml", "secret.yaml.example", "daemonset.yaml"}) {
      server_.give_rights(
          support::read_manifests(std::filesystem::path(CCM_OPENSTACK_MANIFESTS) / file));
    }
  }
  ~ManagerTest() override { end_manager(); }
  // Before the cloud goes.
  void end_manager() {
    if (!manager_) return;
    manager_->stop();
    if (HasFailure()) std::fputs(tail(manager_->log()).c_str(), stderr);
    manager_.reset();
  }
  static std::string tail(const std::string& text) {
    return text.substr(text.size() - std::min<size_t>(text.size(), 5000));
  }

  // `global`: further options of [Global]; `more`: further sections.
  void write_cloud_conf(const std::string& auth_url, const std::string& password,
                        const std::string& global, const std::string& more) const {
    std::ofstream(folder_.path() / "cloud.conf")
        << "[Global]\nauth-url = " << auth_url << "\nusername = demo\npassword = \"" << password
        << "\"\ntenant-name = demo\ndomain-name = Default\n"
        << global << more;
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
  void join(const std::string& name, const std::string& provider_id,
            const std::string& range = "") {
    json node = support::uninitialised_node(name, provider_id);
    if (!range.empty()) {
      node["spec"]["podCIDR"] = range;
      node["spec"]["podCIDRs"] = json::array({range});
    }
    const auto created = api_.create("/api/v1/nodes", node);
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  int64_t initialised(const std::string& prefix) {
    return support::count_initialised(api_, prefix);
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

  // Makes a Service of type LoadBalancer. `more`: further members of its spec.
  void serve(const std::string& name, const json& annotations = json::object(),
             const json& more = json::object()) {
    json spec = {{"type", "LoadBalancer"},
                 {"selector", {{"app", name}}},
                 {"ports", json::array({{{"port", 80}, {"protocol", "TCP"}}})}};
    spec.update(more);
    const auto created =
        api_.create(kServicesPath, {{"apiVersion", "v1"},
                                    {"kind", "Service"},
                                    {"metadata", {{"name", name}, {"annotations", annotations}}},
                                    {"spec", spec}});
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  json service(const std::string& name) {
    return api_.get(std::string(kServicesPath) + "/" + name).body;
  }
  std::string address(const std::string& name) {
    const json ingress = service(name)
                             .value("status", json::object())
                             .value("loadBalancer", json::object())
                             .value("ingress", json::array());
    return ingress.empty() ? "" : ingress.at(0).value("ip", "");
  }
  bool has_event(const std::string& name, const std::string& reason) {
    const json events = api_.get("/api/v1/namespaces/default/events").body;
    for (const json& event : events.at("items")) {
      if (event.at("involvedObject").at("name") == name && event.at("reason") == reason)
        return true;
    }
    return false;
  }

  support::TemporaryFolder folder_{"ccm-openstack"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_{server_.client()};
  std::unique_ptr<support::Process> manager_;
};

}  // namespace ccm::openstack_api
