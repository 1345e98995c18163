// Nodes by the real manager with openstack.so.
#include "openstack_api/manager_fixture.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack_api {
namespace {

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

// Nova's lists leave the server out, `servers/ID` shows it.
TEST_F(OpenStackManagerTest, OS_152_CAPO_2618_ASoftlyDeletedServersNodeIsTaintedAndStays) {
  const auto ids = add_servers("soft-", 3);
  write_conf();
  for (int i = 0; i < 3; ++i) join("soft-" + std::to_string(i), "openstack:///" + ids[i]);
  start("cloud-node-controller,cloud-node-lifecycle-controller", {"--node-monitor-period=1s"});
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return initialised("soft-") == 3; }));
  cloud_.with([&](Cloud& cloud) {
    cloud.region().compute.servers().find(ids[1])->at("status") = "SOFT_DELETED";
  });
  // Two of them: a listing is cheaper than two look-ups.
  for (const char* name : {"soft-1", "soft-2"}) make_not_ready(name);
  const auto shut_down = [&] {
    const json node = api_.get("/api/v1/nodes/soft-1").body;
    return node.dump().find("node.cloudprovider.kubernetes.io/shutdown") != std::string::npos;
  };
  EXPECT_TRUE(support::eventually(support::patience(), shut_down)) << tail(manager_->log());
  EXPECT_EQ(api_.get("/api/v1/nodes/soft-2").status, 200);
  cloud_.with([&](Cloud& cloud) { cloud.region().compute.remove_server(ids[1]); });
  EXPECT_TRUE(support::eventually(support::patience(),
                                  [&] { return api_.get("/api/v1/nodes/soft-1").status == 404; }));
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
