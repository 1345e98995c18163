// The providers of examples/, in whatever language, under the real host: CCM_EXAMPLE names the .so.
#include "example_fixture.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::test {
namespace {

using nlohmann::json;

class ExampleProvider : public Example {
 protected:
  ExampleProvider() : Example(variable("CCM_EXAMPLE")) {}

  void start(const std::string& machines, const std::vector<std::string>& more = {}) {
    std::vector<std::string> flags{"--cloud-provider=" + example(),
                                   "--controllers=cloud-node-controller"};
    if (!machines.empty()) flags.push_back("--cloud-config=" + machines_file(machines));
    flags.insert(flags.end(), more.begin(), more.end());
    run(flags);
  }
};

TEST_F(ExampleProvider, PassesTheCheck) { passes_the_check(); }

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

// Only the example in C++ has load balancers, as the manifest in it says.
TEST_F(ExampleProvider, GivesAServiceItsLoadBalancer) {
  if (support::read_file(example()).find("\"ccm.cloud.loadbalancers/1\"") == std::string::npos) {
    GTEST_SKIP() << "it has no load balancers";
  }
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
