// Who is told of a cloud that fails, and how often.
#include "app/cloud_events.hpp"

#include "../runtime/manual_timers.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Status kRefused(Code::unauthenticated, ErrorClass::auth, "HTTP status 401");
const Status kDown(Code::unavailable, ErrorClass::unavailable, "connection refused");

class CloudEventsTest : public testing::Test {
 protected:
  CloudEventsTest() {
    health_.on_change([this] { news_.look(); });
  }
  void wait(int count) {
    waiting_.clear();
    for (int number = 0; number < count; ++number) {
      kube::ObjectReference node;
      node.kind = "Node";
      node.name = "node-" + std::to_string(number);
      waiting_.push_back(node);
    }
  }
  void fail(const Status& status, unsigned http_status) {
    health_.ended("instances.list", status,
                  plugin::CloudAnswer{"ListMachines", http_status, "", {}});
  }
  void recover() { health_.ended("instances.list", {}, plugin::CloudAnswer{"x", 200, "", {}}); }
  std::size_t reported(const std::string& kind, const std::string& reason) const {
    return static_cast<std::size_t>(
        std::count(events_.begin(), events_.end(), kind + " " + reason));
  }

  runtime::ManualTimers timers_;
  cloud::CloudHealth health_{timers_};
  bool leading_ = true;
  CloudEvents::Nodes waiting_;
  std::vector<std::string> events_;  // "KIND REASON"
  std::string message_;              // the last one
  CloudEvents news_{
      {timers_, health_, [this] { return leading_; },
       [] {
         kube::ObjectReference lease;
         lease.kind = "Lease";
         return lease;
       },
       [this](const std::function<void(CloudEvents::Nodes)>& done) { done(waiting_); },
       [this](const kube::ObjectReference& about, kube::EventType, const std::string& reason,
              std::string message) {
         events_.push_back(about.kind + " " + reason);
         message_ = std::move(message);
       }}};
};

TEST_F(CloudEventsTest, Issue42_1_OneEventOnTheLeaseAndOnTheFirstTenNodes) {
  wait(30);
  for (int call = 0; call < 20; ++call) {
    fail(kRefused, 401);
    timers_.advance(seconds(30));
  }
  EXPECT_EQ(reported("Lease", "CloudCredentialRefused"), 1u);
  EXPECT_EQ(reported("Node", "CloudCredentialRefused"), 10u);
  EXPECT_EQ(events_.size(), 11u);
  EXPECT_NE(message_.find("the cloud refuses the credential since "), std::string::npos)
      << message_;
  EXPECT_NE(message_.find("(401)"), std::string::npos) << message_;
  recover();
  EXPECT_EQ(events_.back(), "Lease CloudWorksAgain");
  EXPECT_EQ(message_, "the cloud works again, after 10m");
}

TEST_F(CloudEventsTest, Issue42_1_ANodeThatJoinsLaterIsToldToo) {
  fail(kRefused, 401);
  EXPECT_EQ(events_.size(), 1u);
  wait(1);
  timers_.advance(seconds(6));
  EXPECT_EQ(reported("Node", "CloudCredentialRefused"), 1u);
  timers_.advance(minutes(20));
  EXPECT_EQ(events_.size(), 2u);
}

TEST_F(CloudEventsTest, Issue42_1_OneFailureMayBeAnAccident) {
  fail(kDown, 0);
  recover();
  EXPECT_TRUE(events_.empty());
  fail(kDown, 0);
  fail(kDown, 0);
  EXPECT_EQ(events_, std::vector<std::string>{"Lease CloudDoesNotAnswer"});
}

TEST_F(CloudEventsTest, Issue42_1_ACloudThatFailsNowAndThenIsToldOfOnceInAWhile) {
  for (int outage = 0; outage < 5; ++outage) {
    fail(kDown, 0);
    fail(kDown, 0);
    recover();
    timers_.advance(minutes(1));
  }
  EXPECT_EQ(reported("Lease", "CloudDoesNotAnswer"), 1u);
  timers_.advance(minutes(10));
  fail(kDown, 0);
  fail(kDown, 0);
  EXPECT_EQ(reported("Lease", "CloudDoesNotAnswer"), 2u);
}

TEST_F(CloudEventsTest, Issue42_1_AStandbySaysNothing) {
  leading_ = false;
  fail(kRefused, 401);
  EXPECT_TRUE(events_.empty());
  leading_ = true;
  news_.look();
  EXPECT_EQ(events_, std::vector<std::string>{"Lease CloudCredentialRefused"});
}

}  // namespace
}  // namespace ccm::app
