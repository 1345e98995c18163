// A manager with digitalocean.so, the fake of the API, and an API server.
#pragma once

#include "digitalocean_api/contract.hpp"
#include "digitalocean_api/server.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/manifests.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::digitalocean_api {
using support::KubeClient;
using support::TestServer;

// Members of a load balancer that DigitalOcean's own manager has made for two_nodes().
inline json go_load_balancer(const std::string& name) {
  return {{"name", name},
          {"region", "nyc3"},
          {"type", "REGIONAL_NETWORK"},
          {"droplet_ids", {5000, 5001}},
          {"health_check",
           {{"protocol", "http"},
            {"port", 10256},
            {"path", "/healthz"},
            {"check_interval_seconds", 3},
            {"response_timeout_seconds", 5},
            {"healthy_threshold", 5},
            {"unhealthy_threshold", 3},
            {"proxy_protocol", false}}}};
}

// With the role of deploy/manifests/digitalocean and no other, unless a test gives the rights
// itself.
class ManagerTest : public ::testing::Test {
 protected:
  explicit ManagerTest(bool with_rights = true) {
    cloud_.with([this](Api& api) {
      api.observer = [this](const Exchange& exchange) { exchanges_.push_back(exchange); };
    });
    if (!with_rights || server_.kind() == support::ServerKind::kSandbox) return;
    for (const char* file : {"rbac.yaml", "secret.yaml.example", "deployment.yaml"}) {
      server_.give_rights(
          support::read_manifests(std::filesystem::path(CCM_DIGITALOCEAN_MANIFESTS) / file));
    }
  }
  ~ManagerTest() override {
    if (!manager_) return;
    manager_->stop();
    if (HasFailure()) std::fputs(tail(manager_->log()).c_str(), stderr);
  }
  // All that the manager asked and was answered is what DigitalOcean's own description allows.
  void TearDown() override {
    std::vector<Exchange> exchanges;
    cloud_.with([&](Api& api) {
      api.observer = nullptr;
      exchanges.swap(exchanges_);
    });
    for (const Exchange& exchange : exchanges) {
      for (const std::string& fault : contract_faults(exchange)) {
        ADD_FAILURE() << exchange.method << " " << exchange.path << ": " << fault;
      }
    }
  }
  static std::string tail(const std::string& text) {
    return text.substr(text.size() - std::min<size_t>(text.size(), 5000));
  }

  void start(const std::string& controllers, std::map<std::string, std::string> environment = {},
             const std::vector<std::string>& flags = {"--leader-elect=false", "--secure-port=0"}) {
    const auto log = folder_.path() / "manager.log";
    const std::map<std::string, std::string> usual = {{"DO_ACCESS_TOKEN", "dop_v1_test"},
                                                      {"DO_OVERRIDE_URL", cloud_.url()},
                                                      {"REGION", "nyc3"},
                                                      {"KUBECONFIG", ""},
                                                      {"HOME", ""}};
    environment.insert(usual.begin(), usual.end());
    std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                        "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                        "--cloud-provider=digitalocean",
                                        "--controllers=" + controllers};
    command.insert(command.end(), flags.begin(), flags.end());
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{log, std::move(environment)});
  }
  void join(int64_t id, const std::string& name, bool with_provider_id) {
    const json node = support::uninitialised_node(
        name, with_provider_id ? "digitalocean://" + std::to_string(id) : "");
    const auto created = api_.create("/api/v1/nodes", node);
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  // Two droplets and their Nodes.
  void two_nodes() {
    cloud_.with([](Api& api) { api.generate_droplets(5000, 2, "node-"); });
    for (int i = 0; i < 2; ++i) join(5000 + i, "node-" + std::to_string(i), true);
  }
  int64_t initialised(const std::string& prefix) {
    return support::count_initialised(api_, prefix);
  }
  void serve(const std::string& name) {
    const auto created =
        api_.create("/api/v1/namespaces/default/services",
                    {{"apiVersion", "v1"},
                     {"kind", "Service"},
                     {"metadata", {{"name", name}}},
                     {"spec",
                      {{"type", "LoadBalancer"},
                       {"selector", {{"app", name}}},
                       {"ports", json::array({{{"port", 80}, {"protocol", "TCP"}}})}}}});
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  bool has_address(const std::string& name) {
    const json service = api_.get("/api/v1/namespaces/default/services/" + name).body;
    const json status = service.value("status", json::object());
    return status.contains("loadBalancer") &&
           !status["loadBalancer"].value("ingress", json::array()).empty();
  }
  int64_t calls() {
    int64_t count = 0;
    cloud_.with([&](Api& api) { count = api.calls(); });
    return count;
  }

  support::TemporaryFolder folder_{"ccm-digitalocean"};
  TestServer server_{folder_.path()};
  KubeClient api_{server_.client()};
  std::vector<Exchange> exchanges_;  // the cloud's threads write to it
  Server cloud_;
  std::unique_ptr<support::Process> manager_;
};

}  // namespace ccm::digitalocean_api
