// The API server's storage is restored from a copy while managers run: what they know may never
// have happened, so they end, and begin again (API-141).
#include "cluster.hpp"
#include "support/eventually.hpp"
#include "support/watch_stream.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::fault {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

class RestoreTest : public testing::Test {
 protected:
  // The API server is away for some seconds, in which the Lease must not get lost.
  static std::vector<std::string> patient() {
    using std::chrono::milliseconds;
    return LeaseTimes{milliseconds(30'000), milliseconds(25'000), milliseconds(500)}.flags();
  }
  bool initialised(const std::string& name) {
    const json nodes = cluster_.nodes();
    return nodes.contains(name) && Cluster::fault_of(nodes.at(name)).empty();
  }
  // A Service that waits for its load balancer.
  void make_service(const std::string& name) {
    const json port = {{"name", "http"}, {"port", 80}};
    const auto made = cluster_.api().create(
        "/api/v1/namespaces/default/services",
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", {{"name", name}}},
         {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}});
    ASSERT_TRUE(made.ok()) << made.http.body;
  }
  bool has_address(const std::string& name) {
    const auto answer = cluster_.api().get("/api/v1/namespaces/default/services/" + name);
    return answer.ok() &&
           !answer.body.value("/status/loadBalancer/ingress"_json_pointer, json()).empty();
  }
  // Enough writes that the copy lies far behind.
  void go_on() {
    for (int i = 0; i < 100; ++i) {
      const auto written =
          cluster_.api().patch("/api/v1/nodes/node-1", support::kMergePatch,
                               {{"metadata", {{"annotations", {{"beat", std::to_string(i)}}}}}});
      ASSERT_TRUE(written.ok()) << written.http.body;
    }
  }
  static void expect_restored(support::Process& manager) {
    const auto ended = manager.wait(patience());
    ASSERT_TRUE(ended) << manager.log();
    EXPECT_EQ(ended->code, 1);
    EXPECT_NE(manager.log().find("the API server's storage was restored from a copy"),
              std::string::npos)
        << manager.log();
  }

  Cluster cluster_;
};

// The others rely on it, for the sandbox as for the real server.
TEST_F(RestoreTest, API_141_AWatchFromAVersionOfTheFutureIsSilentAndAListShowsTheOlderOne) {
  cluster_.add_node(cluster_.api(), "node-1");
  cluster_.server().back_up();
  go_on();
  const json before = cluster_.client().get("/api/v1/nodes").body;
  const std::string version = before.at("metadata").at("resourceVersion");
  cluster_.server().restore();
  support::KubeClient api = cluster_.client();
  const json after = api.get("/api/v1/nodes?limit=1").body;
  EXPECT_LT(std::stoll(after.at("metadata").at("resourceVersion").get<std::string>()),
            std::stoll(version));
  support::WatchStream stream =
      api.watch("/api/v1/nodes?timeoutSeconds=3&resourceVersion=" + version);
  EXPECT_EQ(stream.status(), 200);
  cluster_.add_node(api, "node-2");
  EXPECT_FALSE(stream.next_change()) << "the API server told what happened in its past";
}

TEST_F(RestoreTest, Issue37_10_LeaderAndStandbyEndAndBeginAnew) {
  cluster_.add_machine(cluster_.api(), "node-1");
  auto leader = cluster_.start("leader", patient());
  ASSERT_TRUE(eventually(patience(), [this] { return initialised("node-1"); })) << leader->log();
  auto standby = cluster_.start("standby", patient());
  ASSERT_TRUE(eventually(patience(), [&] {
    return standby->log().find("Standing by") != std::string::npos &&
           standby->log().find("Caches are synced") != std::string::npos;
  })) << standby->log();
  cluster_.server().back_up();
  cluster_.add_machine(cluster_.api(), "node-2");
  make_service("web");
  ASSERT_TRUE(eventually(patience(), [this] {
    return initialised("node-2") && has_address("web");
  })) << leader->log();
  go_on();
  cluster_.server().restore();
  expect_restored(*leader);
  expect_restored(*standby);
  EXPECT_FALSE(cluster_.nodes().contains("node-2"));
  // Nothing is deleted in the cloud on the ground of what was undone.
  const json balancers = cluster_.cloud().control("GET", "/load_balancers");
  EXPECT_EQ(balancers.size(), 1u) << balancers;
  auto again = cluster_.start("again", LeaseTimes().flags());
  cluster_.add_machine(cluster_.api(), "node-3");
  EXPECT_TRUE(eventually(patience(), [this] { return initialised("node-3"); })) << again->log();
}

TEST_F(RestoreTest, Issue37_10_AManagerWithoutALeaseToo) {
  cluster_.add_machine(cluster_.api(), "node-1");
  auto manager = cluster_.start("manager", {"--leader-elect=false"});
  ASSERT_TRUE(eventually(patience(), [this] { return initialised("node-1"); })) << manager->log();
  cluster_.server().back_up();
  go_on();
  cluster_.server().restore();
  expect_restored(*manager);
}

}  // namespace
}  // namespace ccm::fault
