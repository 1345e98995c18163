// SIGTERM and kill -9 at random moments, 200 times, while Nodes register: at the end each Node is
// initialised exactly right, by exactly the writes that one leader without a fault would have
// needed.
#include "cluster.hpp"
#include "observer.hpp"
#include "support/eventually.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

namespace ccm::fault {
namespace {

using std::chrono::milliseconds;
using support::eventually;
using support::patience;
using support::slowdown;

constexpr int kKills = 200;
constexpr int kWritesOfANode = 2;

// CCM_TEST_SEED repeats a run, as far as the processes' own timing allows.
unsigned seed_of_this_run() {
  const char* given = std::getenv("CCM_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                          : std::random_device{}();
}

// Two managers of one cluster, killed and started again in turns.
class Chaos {
 public:
  Chaos(unsigned seed, int kills) : random_(seed), kills_(kills) {}

  void run() {
    for (int i = 0; i < 2; ++i) start(i);
    for (int kill = 0; kill < kills_ && !testing::Test::HasFailure(); ++kill) {
      pause();
      add_nodes();
      strike(static_cast<int>(random_() % 2));
    }
    settle();
  }

 private:
  void start(int index) {
    LeaseTimes times;
    times.lease = milliseconds(1'000) * slowdown();
    times.deadline = milliseconds(800) * slowdown();
    times.retry = milliseconds(200) * slowdown();
    managers_[index] = cluster_.start("manager-" + std::to_string(index), times.flags());
  }

  // From the first instruction of a manager to long after it took the Lease.
  void pause() {
    static constexpr int kLongest[] = {20, 100, 400, 400, 1'600, 2'400};
    const int longest = kLongest[random_() % std::size(kLongest)];
    std::this_thread::sleep_for(milliseconds(random_() % static_cast<unsigned>(longest)) *
                                slowdown());
  }

  void add_nodes() {
    for (unsigned count = random_() % 4; count > 0; --count) {
      const std::string name = "node-" + std::to_string(nodes_.size());
      cluster_.add_machine(cluster_.api(), name);
      nodes_.insert(name);
    }
  }

  void strike(int index) {
    support::Process& victim = *managers_[index];
    const bool hard = random_() % 2 == 0;
    victim.send(hard ? SIGKILL : SIGTERM);
    const auto ended = victim.wait(patience());
    ASSERT_TRUE(ended) << "it does not end on SIGTERM";
    check_end(*ended, victim);
    start(index);
  }

  // An orderly end, a lost Lease, or the signal itself before there was a handler. No crash.
  static void check_end(const support::ExitStatus& ended, const support::Process& victim) {
    const bool by_signal = ended.signal == SIGKILL || ended.signal == SIGTERM;
    EXPECT_TRUE(by_signal || ended.code == 0 || ended.code == 1)
        << "signal " << ended.signal << ", code " << ended.code << "\n"
        << victim.log();
  }

  // A Lease this short may be lost at any time, and the process with it.
  void start_what_ended() {
    for (auto& manager : managers_) {
      const auto ended = manager->wait(milliseconds(0));
      if (!ended) continue;
      check_end(*ended, *manager);
      start(static_cast<int>(&manager - managers_));
    }
  }

  void settle() {
    std::string fault;
    const bool right = eventually(patience(), [&] {
      start_what_ended();
      const auto nodes = cluster_.nodes();
      fault = nodes.size() == nodes_.size() ? "" : "the number of Nodes is wrong";
      for (const auto& node : nodes) {
        if (fault.empty()) fault = Cluster::fault_of(node);
      }
      return fault.empty();
    });
    EXPECT_TRUE(right) << fault;
    // The watches see the last write a moment later than the reader.
    const auto once_each = [this] {
      for (const auto& [name, count] : observer_.writes()) {
        if (count < kWritesOfANode) return false;
      }
      return true;
    };
    EXPECT_TRUE(eventually(patience(), once_each));
    for (const auto& [name, count] : observer_.writes()) {
      EXPECT_EQ(count, kWritesOfANode) << name << " was written too often, or not often enough";
    }
    EXPECT_EQ(observer_.deleted(), 0);
    for (const std::string& overlap : observer_.overlaps()) ADD_FAILURE() << overlap;
    EXPECT_GE(observer_.changes_of_leader(), kills_ / 20) << "hardly anyone ever led";
    std::cerr << kills_ << " kills, " << nodes_.size() << " nodes, "
              << observer_.changes_of_leader() << " changes of leader\n";
  }

  std::mt19937 random_;
  const int kills_;
  Cluster cluster_;
  Observer observer_{cluster_};
  std::set<std::string> nodes_;
  std::unique_ptr<support::Process> managers_[2];
};

TEST(ChaosTest, TwoHundredKillsAtRandomLeaveNothingBehind) {
  const unsigned seed = seed_of_this_run();
  std::cerr << "CCM_TEST_SEED=" << seed << "\n";
  // On the sandbox, which is cheap, several clusters side by side.
  const int worlds = support::server_kind() == support::ServerKind::kSandbox ? 4 : 1;
  std::vector<std::thread> threads;
  for (int world = 0; world < worlds; ++world) {
    threads.emplace_back([=] {
      try {
        Chaos(seed + static_cast<unsigned>(world), kKills / worlds).run();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace ccm::fault
