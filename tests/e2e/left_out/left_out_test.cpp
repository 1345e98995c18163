// Each of the five controllers can be left out, by deleting its file or by --controllers=-NAME, and
// the other four do their work.
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/suite_world.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ccm::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Part {
  const char* file;  // without .so
  const char* controller;
};
constexpr Part kParts[] = {{"node", "cloud-node-controller"},
                           {"node-lifecycle", "cloud-node-lifecycle-controller"},
                           {"route", "node-route-controller"},
                           {"service", "service-lb-controller"},
                           {"ipam", "node-ipam-controller"}};

struct Way {
  Part part;
  bool by_flag;  // else its file is deleted
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const Part& part : kParts) {
    all.push_back({part, false});
    all.push_back({part, true});
  }
  return all;
}

class LeftOut : public support::SuiteWorld<Way> {
 protected:
  void SetUp() override {
    for (const char* machine : {"new", "routed"}) {
      cloud().control("PUT", std::string("/machines/") + machine, {{"name", machine}});
    }
    create("/api/v1/nodes",
           {{"kind", "Node"},
            {"metadata", {{"name", "new"}}},
            {"spec",
             {{"taints", json::array({{{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                                       {"value", "true"},
                                       {"effect", "NoSchedule"}}})}}}});
    create("/api/v1/nodes", {{"kind", "Node"},
                             {"metadata", {{"name", "routed"}}},
                             {"spec",
                              {{"providerID", "sandbox://routed"},
                               {"podCIDR", "10.244.200.0/24"},
                               {"podCIDRs", json::array({"10.244.200.0/24"})}}}});
    create("/api/v1/nodes", {{"kind", "Node"},
                             {"metadata", {{"name", "vanished"}}},
                             {"spec", {{"providerID", "sandbox://vanished"}}}});
    ready("routed", "True");
    ready("vanished", "Unknown");
    create("/api/v1/namespaces/default/services",
           {{"kind", "Service"},
            {"metadata", {{"name", "web"}}},
            {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({{{"port", 80}}})}}}});
  }
  void TearDown() override {
    manager_.reset();
    const std::string service = "/api/v1/namespaces/default/services/web";
    api_.patch(service, support::kMergePatch, {{"metadata", {{"finalizers", nullptr}}}});
    api_.remove(service);
    for (const char* node : {"new", "routed", "vanished"}) {
      api_.remove(std::string("/api/v1/nodes/") + node);
    }
    cloud().reset();
  }

  void create(const std::string& path, json object) {
    object["apiVersion"] = "v1";
    const auto created = api_.create(path, object);
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  void ready(const std::string& node, const std::string& status) {
    const json condition = {{"type", "Ready"}, {"status", status}};
    const json patch = {{"status", {{"conditions", json::array({condition})}}}};
    ASSERT_TRUE(
        api_.patch("/api/v1/nodes/" + node + "/status", support::kStrategicPatch, patch).ok());
  }

  // The plugin folder without one file.
  fs::path plugins_without(const std::string& file) {
    const fs::path copy = own_.path() / "ccm";
    fs::copy(support::plugin_folder(), copy, fs::copy_options::recursive);
    EXPECT_TRUE(fs::remove(copy / "controllers" / (file + ".so")));
    return copy;
  }
  void start() {
    const auto& [part, by_flag] = GetParam();
    const std::string name = part.controller;
    // IPAM is off unless it is named (IPAM-1).
    std::string controllers = "*";
    if (name != "node-ipam-controller") controllers += ",node-ipam-controller";
    if (by_flag) controllers += ",-" + name;
    const fs::path folder = by_flag ? support::plugin_folder() : plugins_without(part.file);
    manager_ = std::make_unique<support::Process>(
        std::vector<std::string>{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                 "--kubeconfig=" + server().manager_kubeconfig().string(),
                                 "--plugin-path=" + folder.string(), "--cloud-provider=sandbox",
                                 "--cloud-config=" + cloud().config().string(),
                                 "--controllers=" + controllers, "--cluster-cidr=10.244.0.0/16",
                                 "--allocate-node-cidrs", "--node-monitor-period=1s",
                                 "--leader-elect=false", "--secure-port=0"},
        support::ProcessOptions{own_.path() / "manager.log", {{"KUBECONFIG", ""}, {"HOME", ""}}});
  }

  json get(const std::string& path) { return api_.get(path).body; }
  bool has_route() {
    const json table = cloud().control("GET", "/routes");
    for (const json& route : table.at("routes")) {
      if (route.value("destination", "") == "10.244.200.0/24") return true;
    }
    return false;
  }
  // Whether that controller has done its part.
  bool done(const std::string& controller) {
    if (controller == "cloud-node-controller") {
      return get("/api/v1/nodes/new")["spec"].value("providerID", "") == "sandbox://new";
    }
    if (controller == "node-ipam-controller") {
      return get("/api/v1/nodes/new")["spec"].contains("podCIDR");
    }
    if (controller == "cloud-node-lifecycle-controller") {
      return api_.get("/api/v1/nodes/vanished").status == 404;
    }
    if (controller == "node-route-controller") return has_route();
    const json service = get("/api/v1/namespaces/default/services/web");
    return service["status"]["loadBalancer"].contains("ingress");
  }

  support::TemporaryFolder own_{"left-out-one"};
  support::KubeClient api_ = server().client();
  std::unique_ptr<support::Process> manager_;
};

TEST_P(LeftOut, TheOthersWork) {
  start();
  const std::string left_out = GetParam().part.controller;
  for (const Part& part : kParts) {
    if (part.controller == left_out) continue;
    EXPECT_TRUE(support::eventually(support::patience(), [&] { return done(part.controller); }))
        << part.controller << "\n"
        << manager_->log();
  }
  EXPECT_FALSE(done(left_out));
  EXPECT_TRUE(manager_->running());
  const auto ended = manager_->stop();
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(ended.code, 0) << manager_->log();
}

INSTANTIATE_TEST_SUITE_P(Controllers, LeftOut, testing::ValuesIn(ways()), [](const auto& way) {
  std::string name = way.param.part.file;
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name + (way.param.by_flag ? "_by_flag" : "_by_deleting_its_file");
});

}  // namespace
}  // namespace ccm::test
