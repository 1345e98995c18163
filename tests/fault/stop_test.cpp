// SIGTERM while something does not want to end: the process is gone within 10 s, well within the
// 30 s that Kubernetes gives a Pod, and the Lease goes back first unless something of ours may
// still be writing.
#include "cluster.hpp"
#include "support/eventually.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <thread>

namespace ccm::fault {
namespace {

using namespace std::chrono_literals;
using support::eventually;
using support::patience;
using Clock = std::chrono::steady_clock;

constexpr auto kLimit = 11s;  // 10 s, and a busy machine

class StopTest : public testing::Test {
 protected:
  // `plugin`: of this folder's; `controllers` beside it.
  void lead(const std::vector<std::string>& flags, const std::string& plugin_path) {
    std::vector<std::string> all = flags;
    all.push_back("--plugin-path=" + support::plugin_folder().string());
    all.push_back("--plugin-path=" + plugin_path);
    manager_ = cluster_.start("manager", all);
    await("\"Leading\"");
    holder_ = cluster_.holder();
  }
  void await(const std::string& text) {
    ASSERT_TRUE(eventually(patience(), [&] { return says(text); })) << text << "\n"
                                                                    << manager_->log();
  }
  bool says(const std::string& text) { return manager_->log().find(text) != std::string::npos; }
  // How long it takes from the signal until the Lease is free; nothing when it stays held.
  std::optional<Clock::duration> lease_free_after(Clock::time_point begin,
                                                  std::chrono::milliseconds limit) {
    const bool free = eventually(limit, [this] { return cluster_.holder().empty(); });
    if (!free) return std::nullopt;
    return Clock::now() - begin;
  }
  void expect_end(Clock::time_point begin, int code) {
    const auto ended = manager_->wait(30s);
    const auto took = Clock::now() - begin;
    ASSERT_TRUE(ended) << manager_->log();
    EXPECT_EQ(ended->signal, 0);
    EXPECT_EQ(ended->code, code) << manager_->log();
    EXPECT_LT(took, kLimit) << manager_->log();
    std::cout << "ended after " << std::chrono::duration<double>(took).count() << " s\n";
  }

  Cluster cluster_;
  std::unique_ptr<support::Process> manager_;
  std::string holder_;
};

// Nothing tells whether it writes by a connection of its own, so the successor waits for the Lease
// to expire; by then this process is gone.
TEST_F(StopTest, AReconcileThatBlocksItsThreadKeepsTheLeaseAndNotTheProcess) {
  lead({"--controllers=cloud-node-controller,reconcile-blocks", "-v=2"}, CCM_BLOCKING_PATH);
  cluster_.add_machine(cluster_.api(), "node-1");
  ASSERT_TRUE(eventually(patience(), [this] {
    const auto nodes = cluster_.nodes();
    return nodes.contains("node-1") && Cluster::fault_of(nodes.at("node-1")).empty();
  })) << manager_->log();
  const auto begin = Clock::now();
  manager_->send(SIGTERM);
  expect_end(begin, 0);
  EXPECT_TRUE(says("Kept the Lease")) << manager_->log();
  EXPECT_TRUE(says("reconcile-blocks: reconcile runs on a worker")) << manager_->log();
  EXPECT_EQ(cluster_.holder(), holder_);
}

// Reading changes nothing: the next one may lead at once.
TEST_F(StopTest, AListingThatBlocksItsThreadKeepsNothing) {
  lead({"--controllers=cloud-node-controller",
        std::string("--cloud-provider=") + CCM_BLOCKING_PATH + "/providers/list-blocks.so"},
       CCM_BLOCKING_PATH);
  cluster_.add_node(cluster_.api(), "node-1");
  std::this_thread::sleep_for(500ms);  // the listing has begun, and nothing tells it
  const auto begin = Clock::now();
  manager_->send(SIGTERM);
  const auto free = lease_free_after(begin, 20s);
  ASSERT_TRUE(free) << manager_->log();
  EXPECT_LT(*free, 8s) << manager_->log();
  expect_end(begin, 0);
}

TEST_F(StopTest, ALoopThatAPluginBlocksEndsWithTheLimit) {
  lead({"--controllers=cloud-node-controller,stalling"}, CCM_STALLING_PATH);
  cluster_.add_node(cluster_.api(), "stall-600000");
  await("A plugin blocks the host's loop");
  const auto begin = Clock::now();
  manager_->send(SIGTERM);
  expect_end(begin, 0);
  EXPECT_TRUE(says("Stopping took too long")) << manager_->log();
  EXPECT_TRUE(says("stalling: reconcile")) << manager_->log();
}

TEST_F(StopTest, ASecondSignalEndsItAtOnceWhateverBlocksTheLoop) {
  lead({"--controllers=cloud-node-controller,stalling"}, CCM_STALLING_PATH);
  cluster_.add_node(cluster_.api(), "stall-600000");
  await("A plugin blocks the host's loop");
  manager_->send(SIGTERM);
  std::this_thread::sleep_for(200ms);  // two that are pending at once are one
  const auto begin = Clock::now();
  manager_->send(SIGINT);
  expect_end(begin, 255);
  EXPECT_LT(Clock::now() - begin, 8s);
}

}  // namespace
}  // namespace ccm::fault
