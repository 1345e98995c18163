// Plugins that misbehave at the ends of their life, with what is over, and in what they say of
// themselves.
#include "faults_fixture.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ccm::plugin_host {
namespace {

using testing::HasSubstr;

class LifeFaults : public Faults {};

TEST_F(LifeFaults, FunctionsForCreateAreRefusedLater) {
  with_controller("host_calls/create_functions_too_late");
  healthy_works();
  for (const char* function : {"metrics.define", "config.on_change", "leader.on_change"}) {
    EXPECT_THAT(log(), HasSubstr("function=\"" + std::string(function) + "\""));
  }
  EXPECT_EQ(report_of("host-calls").wrong_thread_calls, 3U);
  EXPECT_TRUE(stop().ok());
}

TEST_F(LifeFaults, R_44_ACtxThatIsOverIsRefused) {
  with_controller("host_calls/uses_ended_ctx");
  healthy_works();
  healthy_works();
  poll_until([&] { return count(log(), "ContextEnded") > 0; });
  EXPECT_THAT(log(), HasSubstr("reason=\"ContextEnded\""));
  EXPECT_THAT(log(), HasSubstr("the operation of this ctx has ended"));
  healthy_works();
  EXPECT_TRUE(stop().ok());
}

TEST_F(LifeFaults, R_52_WhatBeginsInDestroyIsRefused) {
  with_controller("host_calls/registers_in_destroy");
  healthy_works();
  EXPECT_TRUE(stop().ok());
  EXPECT_THAT(log(), HasSubstr("All seven were refused"));
  advance(1h);
}

// After the component, and after the whole host.
TEST_F(LifeFaults, R_53_AStrayThreadIsRefused) {
  for (const bool host_lives : {true, false}) {
    SCOPED_TRACE(host_lives);
    start_over();
    const std::filesystem::path folder =
        folder_.path() / (host_lives ? "with-host" : "without-host");
    std::filesystem::create_directory(folder);
    ::setenv("FAULTY_FOLDER", folder.c_str(), 1);
    with_controller("host_calls/calls_after_destroy");
    healthy_works();
    EXPECT_TRUE(stop().ok());
    if (!host_lives) start_over();
    std::ofstream(folder / "go") << "go";
    poll_until([&] { return std::filesystem::exists(folder / "outcome"); });
    std::ifstream in(folder / "outcome");
    std::string outcome;
    std::getline(in, outcome);
    EXPECT_EQ(outcome, "0 called, 7 dropped, 5 refused");
    advance(1h);
    ::unsetenv("FAULTY_FOLDER");
  }
}

TEST_F(LifeFaults, OpenThatIsCompletedTwiceCountsOnce) {
  with_provider("lives/open_completes_twice");
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
  EXPECT_EQ(host_->completion_faults().unknown, 1U);
  EXPECT_THAT(log(), HasSubstr("Plugin completed an operation twice"));
  EXPECT_TRUE(stop().ok());
}

TEST_F(LifeFaults, OpenWithoutAResultIsAFailure) {
  load_healthy();
  const Status created = create_provider("lives/open_gives_nothing");
  EXPECT_EQ(created.code(), Code::internal);
  EXPECT_THAT(created.message(), HasSubstr("open gave no result"));
  healthy_works();
}

TEST_F(LifeFaults, OpenThatIsNeverCompletedHasADeadline) {
  load_healthy();
  std::optional<Status> created;
  begin_provider("lives/open_never_completes", created);
  poll();
  EXPECT_FALSE(created);
  poll_until([&] {
    advance(1s);
    return created.has_value();
  });
  ASSERT_TRUE(created);
  EXPECT_EQ(created->code(), Code::deadline_exceeded);
  healthy_works();
}

TEST_F(LifeFaults, AbsurdLimitsOfInstancesLimitNothing) {
  with_provider("instances/list_limits_absurd");
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
  healthy_works();
  EXPECT_TRUE(stop().ok());
}

TEST_F(LifeFaults, LimitsThatAreMissingAreAskedForAgain) {
  const Status created = create_provider("balancers/balancer_limits_missing");
  ASSERT_TRUE(created.ok()) << created.message();
  load_healthy();
  std::optional<Status> started;
  begin_start(started);
  poll_until([&] {
    advance(1s);
    return count(log(), "Cloud provider did not tell its limits, will retry") >= 2;
  });
  EXPECT_THAT(log(), HasSubstr("malformed answer on limits"));
  EXPECT_FALSE(started);
  add_node("node-1");
  advance(1s);
  EXPECT_FALSE(patched("node-1")) << "controllers wait for the provider";
  EXPECT_TRUE(stop().ok());
  EXPECT_EQ(started.value_or(Status()).code(), Code::cancelled);
}

TEST_F(LifeFaults, R_72_AnUnreadablePrefixIsEveryInstance) {
  with_provider("listings/garbage_prefixes");
  EXPECT_EQ(provider_id_of(find("sound")), "faulty://sound");
  EXPECT_NE(find_after("gone", 5s, "faulty://gone").state(), CCM_INSTANCE_ABSENT);
  EXPECT_NE(find("gone").state(), CCM_INSTANCE_ABSENT);
  healthy_works();
  EXPECT_TRUE(stop().ok());
}

}  // namespace
}  // namespace ccm::plugin_host
