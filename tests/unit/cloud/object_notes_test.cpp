// Notes about objects for status pages: LoadBalancerNotes, WarningNotes.
#include "../runtime/manual_timers.hpp"
#include "cloud/broker/load_balancers_broker.hpp"
#include "plugin/warning_notes.hpp"

#include <gtest/gtest.h>

namespace ccm::cloud {
namespace {

using namespace std::chrono_literals;

class LoadBalancerNotesTest : public testing::Test {
 protected:
  static LoadBalancerService web(const std::string& uid = "u-1") {
    LoadBalancerService service;
    service.namespace_name = "default";
    service.name = "web";
    service.uid = uid;
    service.id = "recorded";
    return service;
  }
  static LoadBalancer active() {
    LoadBalancer balancer;
    balancer.state = LoadBalancerState::active;
    balancer.id = "lb-1";
    balancer.name = "a1";
    balancer.ingress = {{"192.0.2.1", "", "", {}}, {"", "lb.example", "", {}}};
    return balancer;
  }

  runtime::ManualTimers timers_;
  LoadBalancerNotes notes_{timers_};
};

TEST_F(LoadBalancerNotesTest, TheLastAnswerIsKeptAndAFailureChangesNothing) {
  EXPECT_FALSE(notes_.find("default/web"));
  notes_.answered(web(), active());
  timers_.advance(3s);
  notes_.answered(web(), Status(Code::unavailable, "503"));
  const auto report = notes_.find("default/web");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->id, "lb-1");
  EXPECT_EQ(report->name, "a1");
  EXPECT_EQ(report->state, LoadBalancerState::active);
  EXPECT_EQ(report->addresses, (std::vector<std::string>{"192.0.2.1", "lb.example"}));
  EXPECT_EQ(report->since, 3s);
}

TEST_F(LoadBalancerNotesTest, OneThatIsLeftAloneSaysWhyAndKeepsItsId) {
  const Status disowned(Code::implemented_elsewhere, "disowned by annotation");
  notes_.answered(web(), disowned);
  EXPECT_EQ(notes_.find("default/web")->id, "recorded");
  notes_.answered(web(), active());
  EXPECT_EQ(notes_.find("default/web")->left_alone, "");
  notes_.answered(web(), disowned);
  const auto report = notes_.find("default/web");
  EXPECT_EQ(report->left_alone, "disowned by annotation");
  EXPECT_EQ(report->id, "lb-1");
  EXPECT_EQ(report->addresses.size(), 2u);
}

TEST_F(LoadBalancerNotesTest, WhatIsGoneIsForgottenButNotThatOfTheNextServiceOfThatName) {
  notes_.answered(web(), active());
  notes_.forget(web("u-0"));
  EXPECT_TRUE(notes_.find("default/web"));
  notes_.answered(web("u-2"), Status(Code::implemented_elsewhere, "disowned"));
  EXPECT_TRUE(notes_.find("default/web")->addresses.empty()) << "of the Service before";
  notes_.forget(web("u-2"));
  EXPECT_FALSE(notes_.find("default/web"));
  notes_.answered(web(), active());
  notes_.answered(web(), LoadBalancer());
  EXPECT_FALSE(notes_.find("default/web")) << "the cloud has none";
}

class WarningNotesTest : public testing::Test {
 protected:
  static kube::ObjectReference service(const std::string& name, const std::string& uid = "u-1") {
    return {.api_version = "v1",
            .kind = "Service",
            .namespace_name = "default",
            .name = name,
            .uid = uid,
            .resource_version = ""};
  }

  runtime::ManualTimers timers_;
  plugin::WarningNotes notes_{timers_};
};

TEST_F(WarningNotesTest, OfEachReasonTheLastIsKeptTheNewestFirst) {
  notes_.note(service("web"), "Config", "one");
  notes_.note(service("web"), "Failed", "down");
  timers_.advance(2s);
  notes_.note(service("web"), "Config", "two");
  const auto found = notes_.find("default/web");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, "Service");
  EXPECT_EQ(found[0].message, "two");
  EXPECT_EQ(found[0].since, 0s);
  EXPECT_EQ(found[1].reason, "Failed");
  EXPECT_EQ(found[1].since, 2s);
  EXPECT_TRUE(notes_.find("web").empty());
  for (int number = 0; number < 9; ++number) {
    notes_.note(service("web"), "Reason" + std::to_string(number), "");
  }
  EXPECT_EQ(notes_.find("default/web").size(), plugin::WarningNotes::kMostReasons);
}

TEST_F(WarningNotesTest, AnotherObjectOfThatNameBeginsWithout) {
  notes_.note(service("web"), "Config", "one");
  notes_.note(service("web", "u-2"), "Failed", "down");
  ASSERT_EQ(notes_.find("default/web").size(), 1u);
  EXPECT_EQ(notes_.find("default/web").front().reason, "Failed");
}

TEST_F(WarningNotesTest, TheOldestObjectMakesRoom) {
  notes_.note(service("first"), "Config", "");
  notes_.note(service("second"), "Config", "");
  notes_.note(service("first"), "Config", "again");
  for (std::size_t number = 2; number <= plugin::WarningNotes::kMostObjects; ++number) {
    notes_.note(service("s" + std::to_string(number)), "Config", "");
  }
  EXPECT_TRUE(notes_.find("default/second").empty());
  EXPECT_EQ(notes_.find("default/first").size(), 1u);
}

}  // namespace
}  // namespace ccm::cloud
