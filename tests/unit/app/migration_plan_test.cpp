// Leader migration and the controllers of a command line.
#include "app/migration_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ccm::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class MigrationPlanTest : public testing::Test {
 protected:
  ~MigrationPlanTest() override { std::filesystem::remove(file_); }
  void write(const std::string& controllers, const std::string& leader_name = "moving") {
    std::string pattern = (std::filesystem::temp_directory_path() / "ccm-plan-XXXXXX").string();
    const int descriptor = ::mkstemp(pattern.data());
    ASSERT_GE(descriptor, 0);
    ::close(descriptor);
    file_ = pattern;
    std::ofstream(file_) << "apiVersion: controllermanager.config.k8s.io/v1\n"
                            "kind: LeaderMigrationConfiguration\nleaderName: "
                         << leader_name << "\ncontrollerLeaders: [" << controllers << "]\n";
    migration_.config_file = file_;
  }
  Result<MigrationPlan> plan() { return plan_migration(migration_, election_, known_, enabled_); }

  std::string file_ = "/nowhere";
  LeaderMigrationOptions migration_{true, ""};
  LeaderElectionOptions election_;
  std::vector<KnownController> known_ = {{"cloud-node-controller", {"cloud-node"}},
                                         {"cloud-node-lifecycle-controller", {}},
                                         {"node-route-controller", {"route"}},
                                         {"service-lb-controller", {"service"}}};
  std::vector<std::string> enabled_ = {"cloud-node-controller", "cloud-node-lifecycle-controller",
                                       "node-route-controller", "service-lb-controller"};
};

TEST_F(MigrationPlanTest, HOST_121_WithoutTheFlagOrAnElectionNothingMoves) {
  migration_.enabled = false;
  EXPECT_FALSE(plan()->active());
  migration_.enabled = true;
  migration_.config_file = "/nowhere/at-all";
  election_.leader_elect = false;
  const auto none = plan();
  ASSERT_TRUE(none.ok()) << "the file is not even read";
  EXPECT_FALSE(none->active());
  EXPECT_EQ(enabled_.size(), 4U);
}

// The built-in configuration has former names of two of them.
TEST_F(MigrationPlanTest, HOST_113_TRAP_3_TheDefaultMeansTheControllersOfToday) {
  const auto moved = plan();
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(moved->lease, "cloud-provider-extraction-migration");
  EXPECT_THAT(moved->migrated,
              UnorderedElementsAre("cloud-node-lifecycle-controller", "node-route-controller",
                                   "service-lb-controller"));
  EXPECT_THAT(moved->elsewhere, IsEmpty());
  EXPECT_THAT(moved->unknown, IsEmpty());
}

TEST_F(MigrationPlanTest, HOST_124_AControllerOfAnotherComponentIsNotStarted) {
  write(
      "{name: service, component: kube-controller-manager}, {name: route, component: '*'}, "
      "{name: pv-binder, component: '*'}");
  const auto moved = plan();
  ASSERT_TRUE(moved.ok()) << moved.status().message();
  EXPECT_THAT(moved->migrated, ElementsAre("node-route-controller"));
  EXPECT_THAT(moved->elsewhere, ElementsAre("service-lb-controller"));
  EXPECT_THAT(moved->unknown, ElementsAre("pv-binder"));
  EXPECT_THAT(enabled_, ElementsAre("cloud-node-controller", "cloud-node-lifecycle-controller",
                                    "node-route-controller"));
}

TEST_F(MigrationPlanTest, OneLeaseCannotBeBoth) {
  write("", "cloud-controller-manager");
  EXPECT_THAT(plan().status().message(), HasSubstr("needs a Lease of its own"));
}

TEST_F(MigrationPlanTest, AFileThatCannotBeReadIsOneLine) {
  migration_.config_file = "/nowhere/at-all";
  const std::string message = plan().status().message();
  EXPECT_THAT(message, HasSubstr("/nowhere/at-all"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace ccm::app
