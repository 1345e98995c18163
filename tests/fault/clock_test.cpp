// The wall clock of the manager's machine is stepped: nothing that counts is measured with it.
#include "cluster.hpp"
#include "support/eventually.hpp"

#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <fstream>

namespace ccm::fault {
namespace {

using namespace std::chrono_literals;
using support::eventually;
using support::patience;

class ClockTest : public testing::TestWithParam<int> {
 protected:
  void step(std::chrono::seconds offset) {
    const auto next = folder_.path() / "next";
    std::ofstream(next) << offset.count();
    std::filesystem::rename(next, file_);
  }
  bool initialised(const std::string& node) {
    return eventually(patience(),
                      [&] { return Cluster::fault_of(cluster_.nodes().at(node)).empty(); });
  }
  // The Lease's renewTime changes twice: the leader goes on.
  bool renews() {
    for (int i = 0; i < 2; ++i) {
      const auto before = cluster_.lease().at("renewTime");
      if (!eventually(patience(), [&] { return cluster_.lease().at("renewTime") != before; })) {
        return false;
      }
    }
    return true;
  }

  Cluster cluster_;
  support::TemporaryFolder folder_{"ccm-clock"};
  std::filesystem::path file_ = folder_.path() / "offset";
};

// TRAP-2: the Lease's age is measured by what was observed, on either side.
TEST_P(ClockTest, TRAP_2_AStepOfAnHourChangesNeitherTheLeaderNorTheNodes) {
  auto flags = LeaseTimes().flags();
  flags.push_back("--controllers=cloud-node-controller,cloud-node-lifecycle-controller");
  flags.push_back("--node-monitor-period=300ms");
  auto leader = cluster_.start("leader", flags,
                               {{"LD_PRELOAD", CCM_STEPPED_CLOCK},
                                {"STEPPED_CLOCK_FILE", file_.string()},
                                // The preloaded library comes before the sanitizer's.
                                {"ASAN_OPTIONS", "verify_asan_link_order=0"}});
  cluster_.add_machine(cluster_.api(), "before");
  ASSERT_TRUE(initialised("before")) << leader->log();
  const std::string holder = cluster_.holder();
  auto standby = cluster_.start("standby", flags);

  step(std::chrono::hours(GetParam()));
  ASSERT_TRUE(renews()) << leader->log();
  cluster_.add_machine(cluster_.api(), "after");
  EXPECT_TRUE(initialised("after")) << leader->log();

  step(0s);
  ASSERT_TRUE(renews()) << leader->log();
  cluster_.add_machine(cluster_.api(), "at-last");
  EXPECT_TRUE(initialised("at-last")) << leader->log();

  EXPECT_TRUE(leader->running()) << leader->log();
  EXPECT_TRUE(standby->running());
  EXPECT_EQ(cluster_.holder(), holder);
  EXPECT_EQ(cluster_.lease().value("leaseTransitions", 0), 0);
  EXPECT_EQ(cluster_.nodes().size(), 3U) << "a Node was deleted";
}

// capo#1547, kubeone#4172, occm#2062, linode-capi#141: it was deleted after ten minutes.
TEST_P(ClockTest, ISSUE_38_5_ANodeWhoseInstanceWasNeverSeenStaysHoweverOldItIs) {
  step(std::chrono::hours(GetParam()));
  auto flags = LeaseTimes().flags();
  flags.push_back("--controllers=cloud-node-controller,cloud-node-lifecycle-controller");
  flags.push_back("--node-monitor-period=300ms");
  flags.push_back("--v=2");
  auto manager = cluster_.start("manager", flags,
                                {{"LD_PRELOAD", CCM_STEPPED_CLOCK},
                                 {"STEPPED_CLOCK_FILE", file_.string()},
                                 {"ASAN_OPTIONS", "verify_asan_link_order=0"}});
  cluster_.add_machine(cluster_.api(), "known");
  ASSERT_TRUE(initialised("known")) << manager->log();
  cluster_.add_node(cluster_.api(), "cp-0.novalocal");
  const std::string left =
      GetParam() > 0 ? "no instance of its name was ever seen" : "Left a new node alone";
  EXPECT_TRUE(eventually(patience(), [&] {
    return manager->log().find(left) != std::string::npos;
  })) << manager->log();
  EXPECT_FALSE(Cluster::fault_of(cluster_.nodes().at("cp-0.novalocal")).empty());
}

// Without this the test above would pass even if nothing were stepped.
TEST_P(ClockTest, TheStepIsSeenByTheManager) {
  step(std::chrono::hours(GetParam()));
  auto manager = cluster_.start("manager", LeaseTimes().flags(),
                                {{"LD_PRELOAD", CCM_STEPPED_CLOCK},
                                 {"STEPPED_CLOCK_FILE", file_.string()},
                                 {"ASAN_OPTIONS", "verify_asan_link_order=0"}});
  ASSERT_TRUE(eventually(patience(), [&] { return !cluster_.holder().empty(); })) << manager->log();
  const std::time_t there = std::time(nullptr) + GetParam() * 3600L;
  std::array<char, 16> hour{};
  std::tm parts{};
  std::strftime(hour.data(), hour.size(), "T%H:", gmtime_r(&there, &parts));
  const std::string acquired = cluster_.lease().at("acquireTime");
  std::array<char, 16> previous{};
  const std::time_t just_before = there - 60;
  std::strftime(previous.data(), previous.size(), "T%H:", gmtime_r(&just_before, &parts));
  EXPECT_TRUE(acquired.find(hour.data()) != std::string::npos ||
              acquired.find(previous.data()) != std::string::npos)
      << acquired;
}

INSTANTIATE_TEST_SUITE_P(EitherWay, ClockTest, testing::Values(1, -1));

}  // namespace
}  // namespace ccm::fault
