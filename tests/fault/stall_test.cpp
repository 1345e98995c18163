// A plugin that blocks the host's loop: it is named while it does, it does not cost the Lease, and
// when it goes on for ever the process ends by itself.
#include "cluster.hpp"
#include "support/eventually.hpp"

#include <gtest/gtest.h>

namespace ccm::fault {
namespace {

using namespace std::chrono_literals;
using support::eventually;
using support::patience;

std::vector<std::string> with_stalling(std::vector<std::string> flags) {
  flags.push_back("--controllers=cloud-node-controller,stalling");
  flags.push_back("--plugin-path=" + support::plugin_folder().string());
  flags.push_back(std::string("--plugin-path=") + CCM_STALLING_PATH);
  return flags;
}

bool says(const support::Process& manager, const std::string& text) {
  return manager.log().find(text) != std::string::npos;
}

class StallTest : public testing::Test {
 protected:
  void lead(const std::vector<std::string>& flags) {
    manager_ = cluster_.start("manager", with_stalling(flags));
    ASSERT_TRUE(eventually(patience(), [this] { return says(*manager_, "\"Leading\""); }))
        << manager_->log();
    holder_ = cluster_.holder();
  }
  // Blocks the loop, and returns when the host has told so.
  void stall(std::chrono::milliseconds time) {
    cluster_.add_node(cluster_.api(), "stall-" + std::to_string(time.count()));
    ASSERT_TRUE(eventually(patience(), [this] {
      return says(*manager_, "A plugin blocks the host's loop");
    })) << manager_->log();
  }
  void expect_still_leading() {
    cluster_.add_machine(cluster_.api(), "after");
    EXPECT_TRUE(eventually(60s, [this] {
      return Cluster::fault_of(cluster_.nodes().at("after")).empty();
    })) << manager_->log();
    EXPECT_TRUE(manager_->running());
    const nlohmann::json lease = cluster_.lease();
    EXPECT_EQ(lease.at("holderIdentity"), holder_);
    EXPECT_EQ(lease.value("leaseTransitions", 0), 0);
    EXPECT_FALSE(says(*manager_, "Leadership lost"));
  }

  Cluster cluster_;
  std::unique_ptr<support::Process> manager_;
  std::string holder_;
};

TEST_F(StallTest, AStallOf30SecondsDoesNotCostTheLease) {
  lead({});
  const auto begin = std::chrono::steady_clock::now();
  stall(30s);
  EXPECT_TRUE(
      says(*manager_, "plugin=\"test.stalling\" component=\"stalling\" operation=\"reconcile\""))
      << manager_->log();
  expect_still_leading();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 30s) << "the loop was not blocked";
}

TEST_F(StallTest, AStallBeyondTheLeaseDurationDoesNotCostTheLease) {
  lead(LeaseTimes().flags());
  stall(10s);
  expect_still_leading();
}

// 8 s = 4 lease durations; then the renewals stop, and 1.5 s later the Lease is lost. The loop
// cannot run anything, so the end comes from the election's thread.
TEST_F(StallTest, AStallForEverEndsTheProcess) {
  lead(LeaseTimes::quick().flags());
  auto standby = cluster_.start("standby", LeaseTimes::quick().flags());
  stall(600s);
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 1);
  EXPECT_TRUE(says(*manager_, "Leadership lost"));
  EXPECT_TRUE(
      says(*manager_, "blocked by plugin test.stalling, component stalling, operation reconcile"))
      << manager_->log();
  EXPECT_TRUE(eventually(patience(), [this] {
    const std::string now = cluster_.holder();
    return !now.empty() && now != holder_;
  }));
}

}  // namespace
}  // namespace ccm::fault
