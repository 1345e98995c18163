// The real manager with openstack.so against the fake of the APIs and an API server.
#include "openstack_api/add_servers.hpp"
#include "openstack_api/server.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::openstack_api {
namespace {

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";

class OpenStackManagerTest : public ::testing::Test {
 protected:
  ~OpenStackManagerTest() override {
    if (!manager_) return;
    manager_->stop();
    if (HasFailure()) std::fputs(tail(manager_->log()).c_str(), stderr);
  }
  static std::string tail(const std::string& text) {
    return text.substr(text.size() - std::min<size_t>(text.size(), 5000));
  }

  void write_conf(const std::string& password = "secret") const {
    std::ofstream(folder_.path() / "cloud.conf")
        << "[Global]\nauth-url = " << cloud_.url() << "/identity\nusername = demo\npassword = \""
        << password << "\"\ntenant-name = demo\ndomain-name = Default\nregion = RegionOne\n";
  }
  void start(const std::string& controllers) {
    const std::vector<std::string> command = {
        support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
        "--kubeconfig=" + server_.manager_kubeconfig().string(),
        "--cloud-provider=openstack",
        "--cloud-config=" + (folder_.path() / "cloud.conf").string(),
        "--controllers=" + controllers,
        "--leader-elect=false",
        "--secure-port=0"};
    const std::map<std::string, std::string> environment = {{"KUBECONFIG", ""}, {"HOME", ""}};
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{folder_.path() / "manager.log", environment});
  }
  // The IDs of servers PREFIX0, PREFIX1, ...
  std::vector<std::string> add_servers(const std::string& prefix, int count) {
    std::vector<std::string> ids;
    cloud_.with([&](Cloud& cloud) {
      ids = openstack_api::add_servers(cloud, cloud_.facts(), prefix, count);
    });
    return ids;
  }
  void join(const std::string& name, const std::string& provider_id) {
    json node = {
        {"apiVersion", "v1"},
        {"kind", "Node"},
        {"metadata", {{"name", name}}},
        {"spec",
         {{"taints",
           json::array({{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}})}}}};
    if (!provider_id.empty()) node["spec"]["providerID"] = provider_id;
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
  Server cloud_;
  std::unique_ptr<support::Process> manager_;
};

TEST_F(OpenStackManagerTest, OS_161_413_NodesAreInitialisedByOneListing) {
  constexpr int kCount = 300;
  const auto ids = add_servers("worker-", kCount);
  cloud_.with([](Cloud& cloud) {
    cloud.latency = milliseconds(50);
    cloud.clear_log();
  });
  write_conf();
  const std::string regions[] = {"openstack:///", "openstack://RegionOne/"};
  for (int i = 0; i < kCount; ++i) {
    join("worker-" + std::to_string(i), i % 3 == 2 ? "" : regions[i % 3] + ids[i]);
    if (HasFatalFailure()) return;
  }
  start("cloud-node-controller");
  ASSERT_TRUE(
      support::eventually(support::patience(), [&] { return initialised("worker-") == kCount; }))
      << initialised("worker-") << " of " << kCount;
  const json node = api_.get("/api/v1/nodes/worker-2").body;
  EXPECT_EQ(node["spec"]["providerID"], "openstack:///" + ids[2]);
  EXPECT_EQ(node["metadata"]["labels"]["node.kubernetes.io/instance-type"], "m1.tiny");
  EXPECT_EQ(node["metadata"]["labels"]["topology.kubernetes.io/zone"], "nova");
  EXPECT_EQ(node["metadata"]["labels"]["topology.kubernetes.io/region"], "RegionOne");
  EXPECT_EQ(node["status"]["addresses"][0]["type"], "InternalIP");
  // Versions, log-in, check; servers and ports. A second listing may follow when the first one was
  // too early for a Node.
  cloud_.with([](Cloud& cloud) {
    EXPECT_LE(cloud.calls(), 3 + 2 * 2);
    EXPECT_EQ(cloud.writes(), 0);
  });
}

TEST_F(OpenStackManagerTest, OS_146_149_151_GoneAndForeignNodes) {
  const auto ids = add_servers("gone-", 3);
  write_conf();
  for (int i = 0; i < 3; ++i) join("gone-" + std::to_string(i), "openstack:///" + ids[i]);
  // Another region's, and another provider's.
  const std::vector<std::pair<std::string, std::string>> foreign = {
      {"far", "openstack://Elsewhere/" + ids[0]}, {"other", "metal://7"}};
  for (const auto& [name, provider_id] : foreign) join(name, provider_id);
  start("cloud-node-controller,cloud-node-lifecycle-controller");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return initialised("gone-") == 3; }));
  cloud_.with([&](Cloud& cloud) { cloud.region().compute.remove_server(ids[1]); });
  for (const char* name : {"far", "other", "gone-1"}) make_not_ready(name);
  EXPECT_TRUE(support::eventually(support::patience(),
                                  [&] { return api_.get("/api/v1/nodes/gone-1").status == 404; }));
  for (const char* name : {"gone-0", "gone-2", "far", "other"}) {
    EXPECT_EQ(api_.get(std::string("/api/v1/nodes/") + name).status, 200) << name;
  }
}

TEST_F(OpenStackManagerTest, OS_8_54_AWrongPasswordIsCorrectedWithoutARestart) {
  const auto ids = add_servers("late-", 1);
  join("late-0", "");
  write_conf("wrong");
  start("cloud-node-controller");
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return manager_->log().find("user demo by password") != std::string::npos;
  })) << tail(manager_->log());
  write_conf();
  EXPECT_TRUE(support::eventually(support::patience(), [&] { return initialised("late-") == 1; }));
}

}  // namespace
}  // namespace ccm::openstack_api
