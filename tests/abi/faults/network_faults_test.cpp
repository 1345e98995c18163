// Providers of load balancers and routes that misbehave, under the real PluginHost, called by a
// controller in C through the broker. Time is the test's.
#include "faults_fixture.hpp"

#include <gmock/gmock.h>

#include <string>

namespace ccm::plugin_host {
namespace {

using testing::HasSubstr;

class NetworkFaults : public Faults {
 protected:
  void with(const std::string& provider) {
    const Status created = create_provider(provider);
    ASSERT_TRUE(created.ok()) << created.message();
    start_provider();
    with_controller("network_caller");
  }
  // The caller's key comes in; what was logged of its reconcile is counted from now on.
  void ask(const std::string& key) {
    seen_now();
    add_node(key);
    poll();
  }
  void seen_now() { seen_ = log().size(); }
  [[nodiscard]] std::string logged() { return log().substr(seen_); }
  void expect_done(const std::string& key) {
    poll_until([&] { return reconciled(key); });
    EXPECT_TRUE(reconciled(key)) << key;
  }
  void expect_failure(const std::string& key, const std::string& why) {
    const auto failed = [&] { return logged().find(why) != std::string::npos; };
    poll_until(failed);
    EXPECT_TRUE(failed()) << key << ": " << why;
    EXPECT_FALSE(reconciled(key)) << key;
  }
  void expect_orderly_end() {
    healthy_works();
    EXPECT_TRUE(stop().ok());
  }

 private:
  bool reconciled(const std::string& key) {
    return logged().find("\"Reconciled\" controller=\"network-caller\" key=\"" + key + "\"") !=
           std::string::npos;
  }
  std::size_t seen_ = 0;
};

TEST_F(NetworkFaults, ABalancerThatIsNeverCompletedLosesItsTurn) {
  with("balancers/balancer_never_completes");
  ask("ensure-1");
  advance(61s);
  expect_failure("ensure-1", "Reconcile failed, will retry");
  EXPECT_THAT(logged(), HasSubstr("Plugin did not complete an operation in time"));
  seen_now();
  advance(1s);
  expect_failure(
      "ensure-1",
      "has not completed an earlier load balancer operation");  // told at once, so no worker waits
  healthy_works();
  ask("ensure-2");  // nobody else is held up
  expect_done("ensure-2");
  seen_now();
  advance(6min);
  expect_done("ensure-1");
  EXPECT_THAT(log(),
              HasSubstr("Provider has not completed an operation; others no longer wait for it"));
  EXPECT_EQ(stop().code(), Code::failed_precondition);
}

TEST_F(NetworkFaults, ABalancerThatIsCompletedLateIsIgnored) {
  with("balancers/balancer_completes_late");
  ask("ensure-1");
  advance(61s);
  seen_now();
  advance(6min);
  expect_done("ensure-1");
  EXPECT_EQ(host_->completion_faults().late, 1U);
  EXPECT_THAT(log(), HasSubstr("Provider completed an operation that others no longer waited for"));
  expect_orderly_end();
}

TEST_F(NetworkFaults, CompletionsThatAreTooManyAreCounted) {
  for (const std::string kind : {"balancers/balancer_completes", "routes/routes_complete"}) {
    const std::string key = kind[0] == 'b' ? "ensure-1" : "apply-1";
    for (const std::string when : {"_twice", "_after_destroy"}) {
      SCOPED_TRACE(kind + when);
      start_over();
      with(kind + when);
      ask(key);
      expect_done(key);
      expect_orderly_end();
      EXPECT_EQ(host_->completion_faults().unknown, 1U);
    }
  }
}

TEST_F(NetworkFaults, CompletionsFromAThreadOfThePluginsOwn) {
  with("balancers/balancer_completes_elsewhere");
  ask("ensure-1");
  expect_done("ensure-1");
  expect_orderly_end();
  start_over();
  with("routes/routes_complete_elsewhere");
  ask("apply-1");
  expect_done("apply-1");
  expect_orderly_end();
}

TEST_F(NetworkFaults, AClassFromTheFutureIsAnOrdinaryFailure) {
  with("balancers/balancer_unknown_class");
  ask("ensure-1");
  expect_failure("ensure-1", "Reconcile failed, will retry");
  EXPECT_LT(logged().size(), 100'000U);  // of 10 MB
  EXPECT_THAT(logged(), HasSubstr("OfTheFuture"));
  expect_orderly_end();
  start_over();
  with("routes/routes_unknown_class");
  ask("apply-1");
  expect_failure("apply-1", "of the future");
  expect_orderly_end();
}

TEST_F(NetworkFaults, BalancersThatCannotBeAreFailures) {
  with("balancers/balancer_absurd");
  ask("ensure-sound");
  expect_done("ensure-sound");
  for (const char* what : {"no-address", "hole", "no-list", "long-id", "long-hostname",
                           "long-annotation", "port-70000", "port--1", "count", "65-labels"}) {
    SCOPED_TRACE(what);
    const std::string key = std::string("ensure-") + what;
    ask(key);
    expect_failure(key, "malformed load balancer");
  }
  ask("ensure-64-labels");
  expect_done("ensure-64-labels");
  ask("ensure-long-difference");  // words for people are cut
  expect_done("ensure-long-difference");
  ask("ensure-state-17");  // counts as unknown
  expect_done("ensure-state-17");
  expect_orderly_end();
}

TEST_F(NetworkFaults, LanesThatCannotBeAreFailuresOfTheirServiceAlone) {
  with("balancers/balancer_lane_absurd");
  for (const char* what : {"long", "nothing"}) {
    const std::string key = std::string("ensure-") + what;
    ask(key);
    expect_failure(key, "malformed lane");
  }
  ask("ensure-fails");
  expect_failure("ensure-fails", "no lane");
  for (const char* key : {"ensure-bytes", "ensure-short", "ensure-twice"}) {
    ask(key);
    expect_done(key);
  }
  EXPECT_EQ(host_->completion_faults().unknown, 1U);
  ask("ensure-sound");
  expect_done("ensure-sound");
  ask("ensure-never");
  advance(61s);
  expect_failure("ensure-never", "Reconcile failed, will retry");
  ask("ensure-other");
  expect_done("ensure-other");
  healthy_works();
  EXPECT_EQ(stop().code(), Code::failed_precondition) << "its `lane` was never completed";
}

TEST_F(NetworkFaults, AbsurdLimitsLimitNothing) {
  with("balancers/balancer_limits_absurd");
  for (const char* key : {"ensure-1", "ensure-2"}) {
    ask(key);
    expect_done(key);
  }
  expect_orderly_end();
}

TEST_F(NetworkFaults, RoutesThatAreNeverCompletedLoseTheirTurn) {
  with("routes/routes_never_complete");
  ask("apply-1");
  advance(121s);
  expect_failure("apply-1", "Reconcile failed, will retry");
  ask("list-1");
  expect_done("list-1");  // reading is not held up
  advance(6min);
  ask("apply-2");
  expect_failure("apply-2", "before the routes have been listed again");
  ask("list-2");
  expect_done("list-2");
  seen_now();
  advance(5s);
  expect_done("apply-2");
  healthy_works();
  EXPECT_EQ(stop().code(), Code::failed_precondition);
}

TEST_F(NetworkFaults, RoutesThatAreCompletedLateAreListedOnceMore) {
  with("routes/routes_complete_late");
  ask("apply-1");
  advance(121s);
  advance(6min);
  ask("list-1");
  expect_done("list-1");
  ask("apply-2");
  expect_done("apply-2");
  EXPECT_EQ(host_->completion_faults().late, 1U);
  ask("apply-3");
  expect_failure("apply-3", "before the routes have been listed again");
  ask("list-2");
  expect_done("list-2");
  seen_now();
  advance(5s);
  expect_done("apply-3");
  expect_orderly_end();
}

TEST_F(NetworkFaults, ListingsThatCannotBeAreFailuresNeverAnEmptyTable) {
  with("routes/routes_absurd");
  for (const std::string count : {"1", "2", "3", "4", "5", "6"}) {
    ask("list-" + count);
    expect_failure("list-" + count, "malformed routes");
  }
  ask("apply-1");
  expect_failure("apply-1", "another number of routes");
  expect_orderly_end();
}

}  // namespace
}  // namespace ccm::plugin_host
