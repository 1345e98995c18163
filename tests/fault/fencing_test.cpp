// A leader that was stopped beyond its Lease, with work queued, writes nothing after it wakes.
#include "cluster.hpp"
#include "support/eventually.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <thread>

namespace ccm::fault {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

class FencingTest : public testing::Test {
 protected:
  int initialised() {
    int count = 0;
    for (const json& node : cluster_.nodes()) count += Cluster::fault_of(node).empty() ? 1 : 0;
    return count;
  }
  // Everything that a write changes.
  std::map<std::string, std::string> versions() {
    std::map<std::string, std::string> result;
    for (const char* path : {"/api/v1/nodes", "/api/v1/events"}) {
      const auto list = cluster_.api().get(path);
      for (const json& object : list.body.at("items")) {
        const json& metadata = object.at("metadata");
        result[path + metadata.at("name").get<std::string>()] = metadata.at("resourceVersion");
      }
    }
    return result;
  }

  Cluster cluster_;
};

TEST_F(FencingTest, HOST_115_AStoppedLeaderWritesNothingWhenItWakes) {
  // Most of the work waits for the rate limiter, ready to be sent.
  std::vector<std::string> flags = LeaseTimes().flags();
  flags.insert(flags.end(),
               {"--kube-api-qps=20", "--kube-api-burst=1", "--concurrent-node-syncs=100"});
  for (int i = 0; i < 150; ++i) cluster_.add_machine(cluster_.api(), "node-" + std::to_string(i));
  auto leader = cluster_.start("leader", flags);
  ASSERT_TRUE(eventually(patience(), [this] { return initialised() >= 3; })) << leader->log();
  leader->send(SIGSTOP);
  const int before = initialised();
  ASSERT_LT(before, 140) << "nothing is left to do";
  // Its Lease is over only by the time that passed here.
  std::this_thread::sleep_for(LeaseTimes().lease + std::chrono::milliseconds(200));
  cluster_.take_lease("somebody-else");
  const auto seen = versions();
  leader->send(SIGCONT);
  const auto ended = leader->wait(patience());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 1) << leader->log();
  EXPECT_NE(leader->log().find("Leadership lost"), std::string::npos);
  EXPECT_EQ(versions(), seen) << "it wrote without the Lease";
  EXPECT_EQ(cluster_.holder(), "somebody-else");
  // The next leader finds everything as it was left, and finishes it.
  cluster_.take_lease("");
  auto next = cluster_.start("next", LeaseTimes().flags());
  EXPECT_TRUE(eventually(patience(), [this] { return initialised() == 150; })) << next->log();
}

}  // namespace
}  // namespace ccm::fault
