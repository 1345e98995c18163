// Real plugin files under the real PluginHost: each misbehaves in one way, beside a controller that
// must not notice. Time is the test's, so that no deadline is waited for.
#include "faults_fixture.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

namespace ccm::plugin_host {
namespace {

using testing::HasSubstr;
using testing::Not;

// --- completions

TEST_F(Faults, ListNeverCompletes) {
  with_provider("listings/list_never_completes");
  const auto answer = find_after("node-1", 61s);
  EXPECT_EQ(answer.status.code(), Code::deadline_exceeded) << answer.status.message();
  healthy_works();
  EXPECT_EQ(stop().code(), Code::failed_precondition);
  EXPECT_THAT(log(), HasSubstr("Plugin did not complete its operations; it stays in memory"));
}

TEST_F(Faults, ListCompletesTwice) {
  with_provider("listings/list_completes_twice");
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
  EXPECT_EQ(host_->completion_faults().unknown, 1U);
  EXPECT_THAT(log(), HasSubstr("Plugin completed an operation twice"));
  healthy_works();
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, ListCompletesLate) {
  with_provider("listings/list_completes_late");
  EXPECT_EQ(find_after("node-1", 61s).status.code(), Code::deadline_exceeded);
  advance(5min);  // until then no second operation begins
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
  EXPECT_EQ(host_->completion_faults().late, 1U);
  healthy_works();
  EXPECT_TRUE(stop().ok());  // nothing is in flight any more
}

TEST_F(Faults, AnOperationThatEndsWithItsCtxHoldsNothingUp) {
  with_provider("listings/list_waits_for_cancel");
  std::optional<cloud::InstanceAnswer> answer;
  tasks_(host_->cloud().instances()->find(query("node-1")),
         [&](const cloud::InstanceAnswer& found) { answer = found; });
  poll();
  EXPECT_FALSE(answer.has_value());
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, CompletionFromAThreadOfThePluginsOwn) {
  with_provider("listings/list_completes_elsewhere");
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
  healthy_works();
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, CompletesAfterDestroy) {
  with_provider("listings/completes_after_destroy");
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
  EXPECT_TRUE(stop().ok());
  EXPECT_EQ(host_->completion_faults().unknown, 2U);  // within destroy, and from its thread
}

// --- exceptions and panics

TEST_F(Faults, ThrowsInAnOperation) {
  for (const char* name : {"throwing_providers/throws_in_list",
                           "blocking_listings/throws_on_worker", "listings/panics_in_list"}) {
    SCOPED_TRACE(name);
    start_over();
    with_provider(name);
    EXPECT_EQ(find("node-1").status.code(), Code::internal);
    EXPECT_THAT(log(), HasSubstr("Plugin threw an exception"));
    healthy_works();
    EXPECT_TRUE(stop().ok());
  }
}

TEST_F(Faults, ThrowsInCreate) {
  load_healthy();
  EXPECT_EQ(create_provider("throwing_providers/throws_in_create").code(), Code::internal);
  healthy_works();
}

TEST_F(Faults, ThrowsInDestroy) {
  with_provider("throwing_providers/throws_in_destroy");
  EXPECT_TRUE(stop().ok());
  EXPECT_THAT(log(), HasSubstr("Plugin threw an exception"));
}

TEST_F(Faults, ThrowsInSetup) {
  const Status setup = create_controller("throwing_controllers/throws_in_setup");
  EXPECT_EQ(setup.code(), Code::internal) << setup.message();
}

TEST_F(Faults, ThrowsInMap) {
  with_controller("throwing_controllers/throws_in_map");
  healthy_works();
  EXPECT_THAT(log(), HasSubstr("Plugin threw an exception"));
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, ThrowsInReconcile) {
  with_controller("throwing_controllers/throws_in_reconcile");
  healthy_works();
  EXPECT_THAT(log(), HasSubstr("Plugin threw an exception"));
  EXPECT_THAT(log(), HasSubstr("Reconcile failed, will retry"));
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, ThrowsThroughTheHost) {
  with_controller("throwing_controllers/throws_through_the_host");
  healthy_works();
  EXPECT_THAT(log(), HasSubstr("operation=\"object.each\""));
  EXPECT_THAT(log(), HasSubstr("Reconciled"));  // its map went on after the visit
  EXPECT_TRUE(stop().ok());
}

// --- tables

TEST_F(Faults, TablesWithoutFunctionsOfferNothing) {
  for (const char* name : {"instances/short_instances", "instances/null_instances"}) {
    SCOPED_TRACE(name);
    start_over();
    with_provider(name);
    EXPECT_EQ(host_->cloud().instances(), nullptr);
    healthy_works();
    EXPECT_TRUE(stop().ok());
  }
}

TEST_F(Faults, AControllerNeedsItsFunctions) {
  for (const char* name : {"requests/short_controller", "requests/null_reconcile"}) {
    SCOPED_TRACE(name);
    start_over();
    const Status setup = create_controller(name);
    EXPECT_EQ(setup.code(), Code::internal);
    EXPECT_THAT(setup.message(), HasSubstr("no setup or no reconcile"));
  }
}

TEST_F(Faults, ComponentsThatAreNone) {
  for (const char* name : {"lives/no_component", "lives/no_destroy"}) {
    SCOPED_TRACE(name);
    start_over();
    const Status created = create_provider(name);
    EXPECT_EQ(created.code(), Code::internal);
    EXPECT_THAT(created.message(), HasSubstr("no usable component"));
  }
}

// --- results

TEST_F(Faults, MalformedListingsAreFailuresNeverAbsence) {
  for (const char* name :
       {"listings/instance_too_short", "listings/null_element", "listings/null_list",
        "listings/no_result", "listings/null_addresses", "listings/null_labels",
        "listings/garbage_count", "listings/short_status", "listings/null_prefixes",
        "listings/garbage_prefix_count", "listings/garbage_machine_count"}) {
    SCOPED_TRACE(name);
    start_over();
    with_provider(name);
    for (const char* node : {"sound", "node-1", "gone"}) {
      EXPECT_EQ(find(node).status.code(), Code::internal) << node;
    }
    healthy_works();
    EXPECT_TRUE(stop().ok());
  }
}

TEST_F(Faults, AProviderIDThatTheManifestDoesNotDeclareRefusesTheListing) {
  with_provider("undeclared_provider_id");
  for (const char* node : {"sound", "node-1", "gone"}) {
    EXPECT_EQ(find(node).status.reason(), "UndeclaredProviderID") << node;
  }
}

TEST_F(Faults, AStructOfTheFutureIsReadAsFarAsItIsKnown) {
  with_provider("listings/instance_of_the_future");
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
}

TEST_F(Faults, ANullStringIsEmpty) {
  with_provider("listings/null_string");
  EXPECT_EQ(provider_id_of(find("node-1")), "faulty://1");
}

TEST_F(Faults, TextsThatAreNoUtf8AreRepaired) {
  with_provider("listings/garbage_texts");
  const auto answer = find("node-1");
  ASSERT_NE(answer.snapshot, nullptr);
  EXPECT_EQ(answer.state(), CCM_INSTANCE_RUNNING);
  cloud::InstanceExport out;
  out.add(answer.snapshot, answer.index);
  const ccm_instance& machine = *out.list().instances[0];
  ASSERT_EQ(machine.address_count, 2U);
  EXPECT_EQ(view(machine.addresses[0].address), "192.0.2.1");
  EXPECT_EQ(view(machine.addresses[1].type), "Internal\xEF\xBF\xBD");
  EXPECT_EQ(view(machine.addresses[1].address), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(view(machine.labels[0].value), "a\xEF\xBF\xBD");
}

TEST_F(Faults, OfAnInstanceWithoutReadableIdentityNothingIsConcluded) {
  with_provider("listings/garbage_name");
  const auto by_id = find("", "faulty://1");
  EXPECT_EQ(by_id.state(), CCM_INSTANCE_UNKNOWN);
  EXPECT_EQ(provider_id_of(find("sound")), "faulty://sound");  // the others are not held up
}

TEST_F(Faults, AnUnknownStateIsUnknown) {
  with_provider("listings/unknown_state");
  EXPECT_EQ(find("node-1").state(), CCM_INSTANCE_UNKNOWN);
}

TEST_F(Faults, AStatusThatMakesNoSenseIsAFailure) {
  with_provider("listings/garbage_status");
  const Status status = find("node-1").status;
  EXPECT_EQ(status.code(), Code::unknown);
  EXPECT_EQ(status.error_class(), ErrorClass::none);
  EXPECT_LE(status.retry_after(), plugin::kLongestDelay);
  EXPECT_EQ(status.reason(), "\xEF\xBF\xBD");
  EXPECT_TRUE(status.message().empty());
}

TEST_F(Faults, DescribeMustAnswerEachNode) {
  for (const char* name : {"instances/describe_too_few", "instances/describe_too_many"}) {
    SCOPED_TRACE(name);
    start_over();
    with_provider(name);
    const auto answer = find("node-1");
    EXPECT_FALSE(answer.status.ok());
    EXPECT_EQ(answer.snapshot, nullptr);
    EXPECT_NE(answer.status.code(), Code::not_found);
    EXPECT_TRUE(stop().ok());
  }
}

TEST_F(Faults, TheConfigurationStaysReadableUntilTheOperationEnds) {
  std::ofstream(config_path()) << "the first configuration";
  ASSERT_TRUE(host_->load_cloud_config().ok());
  with_provider("blocking_listings/reads_config_while_it_changes");
  std::optional<cloud::InstanceAnswer> answer;
  tasks_(host_->cloud().instances()->find(query("node-1")),
         [&](const cloud::InstanceAnswer& found) { answer = found; });
  // Within the 60 s that a listing has. The file is looked at every 10 s.
  for (std::size_t change = 1; change <= 5 && !answer; ++change) {
    poll_for(50ms);
    std::ofstream(config_path()) << "another configuration" << std::string(change, '.');
    advance(11s);
  }
  poll_until([&] { return answer.has_value(); });
  ASSERT_TRUE(answer.has_value());
  EXPECT_NE(answer->status.code(), Code::deadline_exceeded);
  EXPECT_TRUE(stop().ok());
}

// --- controllers

TEST_F(Faults, ReconcileNeverCompletes) {
  with_controller("requests/reconcile_never_completes");
  healthy_works();
  advance(31s);
  EXPECT_THAT(log(), HasSubstr("Reconcile failed, will retry"));
  healthy_works();
  EXPECT_EQ(stop().code(), Code::failed_precondition);
}

TEST_F(Faults, SetupNeverCompletes) {
  std::optional<Status> setup;
  begin_controller("requests/setup_never_completes", setup);
  poll_until([&] {
    advance(1s);
    return setup.has_value();
  });
  ASSERT_TRUE(setup.has_value());
  EXPECT_EQ(setup->code(), Code::deadline_exceeded);
}

TEST_F(Faults, AbsurdDelaysDoNotComeAtOnce) {
  with_controller("controllers/requeues_for_ever");
  healthy_works();
  advance(24h);
  EXPECT_EQ(count(log(), "Reconciled\" controller=\"controllers\""), 1U);
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, GarbageKeys) {
  with_controller("controllers/garbage_keys");
  healthy_works();
  // An empty key is ignored, "later" is not due, and the first back-off is a year.
  EXPECT_EQ(count(log(), "Reconcile failed, will retry"), 1U);
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, MalformedSetupsAreRefused) {
  for (const char* name : {"controllers/watch_without_fields", "controllers/period_of_nothing",
                           "host_calls/null_arguments"}) {
    SCOPED_TRACE(name);
    start_over();
    const Status setup = create_controller(name);
    EXPECT_EQ(setup.code(), Code::invalid_argument) << setup.message();
  }
}

TEST_F(Faults, WhatSetupWasGivenIsOfNoUseLater) {
  with_controller("host_calls/setup_too_late");
  healthy_works();
  EXPECT_THAT(log(), HasSubstr("Plugin called a host function from a wrong place"));
  EXPECT_THAT(log(), HasSubstr("function=\"setup.every\""));
  EXPECT_EQ(report_of("host-calls").wrong_thread_calls, 2U);
  EXPECT_TRUE(stop().ok());
}

TEST_F(Faults, AWrongThreadIsRefused) {
  with_controller("host_calls/wrong_thread");
  healthy_works();
  EXPECT_THAT(log(), HasSubstr("function=\"metrics.define\""));
  EXPECT_THAT(log(), HasSubstr("function=\"http.send_wait\""));
  EXPECT_EQ(report_of("host-calls").wrong_thread_calls, 2U);
  EXPECT_TRUE(stop().ok());
}

}  // namespace
}  // namespace ccm::plugin_host
