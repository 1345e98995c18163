// The providers of examples/, in whatever language, under the real host: CCM_EXAMPLE names the .so.
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ccm::test {
namespace {

using nlohmann::json;

std::string example() {
  const char* file = std::getenv("CCM_EXAMPLE");
  if (file == nullptr) throw std::runtime_error("CCM_EXAMPLE names no plugin");
  return file;
}

json tainted_node(const std::string& name) {
  const json taint = {{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                      {"value", "true"},
                      {"effect", "NoSchedule"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"spec", {{"taints", json::array({taint})}}}};
}

class ExampleProvider : public testing::Test {
 protected:
  void start(const std::string& machines, const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                     "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                     "--cloud-provider=" + example(),
                                     "--controllers=cloud-node-controller",
                                     "--leader-elect=false",
                                     "--secure-port=0",
                                     "-v=2"};
    if (!machines.empty()) {
      support::write_file(folder_.path() / "machines.txt", machines);
      command.push_back("--cloud-config=" + (folder_.path() / "machines.txt").string());
    }
    command.insert(command.end(), more.begin(), more.end());
    support::ProcessOptions options{folder_.path() / "manager.log",
                                    {{"KUBECONFIG", ""}, {"HOME", ""}}};
    manager_ = std::make_unique<support::Process>(command, options);
  }
  bool logs(const std::string& text) {
    return support::eventually(support::patience(),
                               [&] { return manager_->log().find(text) != std::string::npos; });
  }
  // The node once its taint is gone; what there is of it when that takes too long.
  json initialised(const std::string& name) {
    json node;
    support::eventually(support::patience(), [&] {
      node = api_.get("/api/v1/nodes/" + name).body;
      return !node["spec"].contains("taints");
    });
    return node;
  }

  support::TemporaryFolder folder_{"example"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_ = server_.client();
  std::unique_ptr<support::Process> manager_;
};

TEST_F(ExampleProvider, PassesTheCheck) {
  support::Process check({CCM_TEST_CCMCTL, "plugin", "check", example()},
                         {folder_.path() / "check.log", {}});
  const auto ended = check.wait(support::patience());
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 0) << check.log();
  EXPECT_EQ(check.log().find("warning"), std::string::npos) << check.log();
}

TEST_F(ExampleProvider, InitialisesNodes) {
  for (const char* name : {"worker-1", "worker-2"}) {
    ASSERT_EQ(api_.create("/api/v1/nodes", tainted_node(name)).status, 201);
  }
  start(support::read_file(CCM_MACHINES_FILE));
  json node = initialised("worker-1");
  EXPECT_EQ(node["spec"], json({{"providerID", "rack://A7"}})) << manager_->log();
  const json& labels = node["metadata"]["labels"];
  EXPECT_EQ(labels.value("node.kubernetes.io/instance-type", ""), "r640");
  EXPECT_EQ(labels.value("topology.kubernetes.io/zone", ""), "row-2");
  EXPECT_EQ(labels.value("topology.kubernetes.io/region", ""), "cellar");
  EXPECT_EQ(labels.value("rack.example.com/serial", ""), "A7");
  const json addresses = json::array({{{"type", "InternalIP"}, {"address", "192.0.2.11"}},
                                      {{"type", "Hostname"}, {"address", "worker-1"}}});
  EXPECT_EQ(node["status"]["addresses"], addresses);
  EXPECT_EQ(initialised("worker-2")["spec"].value("providerID", ""), "rack://B3");
  EXPECT_EQ(manager_->stop().code, 0) << manager_->log();
}

// Only the example in C++ has load balancers, whichever compiler built it.
TEST_F(ExampleProvider, GivesAServiceItsLoadBalancer) {
  if (example().find("/examples/cpp") == std::string::npos)
    GTEST_SKIP() << "it has no load balancers";
  for (const char* name : {"worker-1", "worker-2"}) {
    ASSERT_EQ(api_.create("/api/v1/nodes", tainted_node(name)).status, 201);
  }
  start(
      support::read_file(CCM_MACHINES_FILE),
      {"--controllers=cloud-node-controller,service-lb-controller",
       "--rack-balancer-folder=" + folder_.path().string(), "--rack-balancer-address=192.0.2.100"});
  ASSERT_FALSE(initialised("worker-2")["spec"].contains("taints")) << manager_->log();
  const std::string services = "/api/v1/namespaces/default/services";
  const json port = {{"name", "http"}, {"port", 80}, {"nodePort", 30080}};
  const json service = {{"apiVersion", "v1"},
                        {"kind", "Service"},
                        {"metadata", {{"name", "web"}}},
                        {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}};
  ASSERT_EQ(api_.create(services, service).status, 201);
  const std::string file =
      (folder_.path() /
       ("kubernetes-" + api_.get(services + "/web").body["metadata"]["uid"].get<std::string>() +
        ".cfg"))
          .string();
  const json address = json::array({{{"ip", "192.0.2.100"}, {"ipMode", "VIP"}}});
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    const json seen = api_.get(services + "/web").body;
    return seen["status"]["loadBalancer"].value("ingress", json()) == address &&
           support::read_file(file).find("server worker-2 192.0.2.12:30080 check") !=
               std::string::npos;
  })) << manager_->log();
  EXPECT_EQ(api_.remove(services + "/web").status, 200);
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    return !std::filesystem::exists(file);
  })) << manager_->log();
  EXPECT_EQ(manager_->stop().code, 0) << manager_->log();
}

TEST_F(ExampleProvider, RefusesToRunWithoutItsFile) {
  start("");
  const auto ended = manager_->wait(support::patience());
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 255);
  EXPECT_TRUE(logs("--cloud-config must name a file")) << manager_->log();
}

TEST_F(ExampleProvider, AMalformedLineIsNeverHalfAList) {
  ASSERT_EQ(api_.create("/api/v1/nodes", tainted_node("worker-1")).status, 201);
  start("A7 worker-1 192.0.2.11 r640 2 on\nB3 worker-2 192.0.2.12\n");
  EXPECT_TRUE(logs("line 2 is not SERIAL HOST ADDRESS MODEL ROW on|off")) << manager_->log();
  EXPECT_TRUE(manager_->running());
  EXPECT_TRUE(api_.get("/api/v1/nodes/worker-1").body["spec"].contains("taints"));
  EXPECT_EQ(manager_->stop().code, 0) << manager_->log();
}

}  // namespace
}  // namespace ccm::test
