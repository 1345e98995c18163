// The brake on creations: a provider that passed every case of `plugin check` made 61
// load balancers for 5 Services in 30 s.
#include "network_broker_fixture.hpp"
#include "plugin/brake_reasons.hpp"

#include <prometheus/text_serializer.h>

namespace ccm::cloud {
namespace {

class CreationBrakeTest : public NetworkBrokerTest {
 protected:
  CreationBrakeTest() {
    limits_.changes.service.burst = 0;
    start(&provider_);
  }
  static LoadBalancer balancer(const std::string& id,
                               LoadBalancerState state = LoadBalancerState::active) {
    LoadBalancer made;
    made.id = id;
    made.state = state;
    return made;
  }
  void answer_with(const LoadBalancer& made, const Status& status = {}) {
    const detail::LoadBalancerC raw(made);
    answer(0, status, raw.get());
  }
  // `ensure` that reaches the provider and ends with that id.
  void make(const std::string& id, LoadBalancerState state = LoadBalancerState::active) {
    plugin::Caught caught;
    ask(table().ensure, caught);
    ASSERT_EQ(open_.size(), 1u);
    ASSERT_EQ(open_[0].operation, "ensure");
    answer_with(balancer(id, state));
  }
  // `ensure` whose provider looks first and then makes that one.
  void look_and_make(const std::string& id) {
    plugin::Caught caught;
    ask(table().ensure, caught);
    ASSERT_EQ(open_.at(0).operation, "observe");
    answer_with(balancer("any"));
    ASSERT_EQ(open_.at(0).operation, "ensure");
    answer_with(balancer(id));
  }
  Status refused(const kube::ObjectPtr& object = nullptr) {
    plugin::Caught caught;
    ask(table().ensure, caught, "u-1", {}, object);
    EXPECT_TRUE(open_.empty()) << open_[0].operation;
    return caught.status.value_or(Status());
  }
  static kube::ObjectPtr allowing(const std::string& id) {
    return object(
        R"({"metadata":{"name":"web","annotations":{"cloud-controller-manager/allow-replacement":")" +
        id + "\"}}}");
  }
  std::string metrics() { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  ccm_cloud_loadbalancers provider_ = full_table();
};

TEST_F(CreationBrakeTest, Issue41_3_TheThirdLoadBalancerOfAServiceIsHeld) {
  make("lb-1", LoadBalancerState::pending);
  make("lb-2", LoadBalancerState::pending);  // the provider did not find what it had made
  look_and_make("lb-3");
  const Status held = refused();
  EXPECT_EQ(held.error_class(), ErrorClass::waiting);
  EXPECT_EQ(held.reason(), plugin::kReplacementHeld);
  EXPECT_TRUE(plugin::is_held(held));
  EXPECT_EQ(held.retry_after(), 10min);
  EXPECT_NE(held.message().find("replaced twice within 10m, last by lb-3"), std::string::npos)
      << held.message();
  EXPECT_NE(held.message().find("--overwrite cloud-controller-manager/allow-replacement=lb-3"),
            std::string::npos);
  EXPECT_NE(metrics().find("ccm_load_balancer_replacements_held 1"), std::string::npos);
  EXPECT_NE(metrics().find(R"(ccm_load_balancer_lifecycle_total{event="created",namespace=""} 1)"),
            std::string::npos)
      << metrics();
  EXPECT_NE(metrics().find(R"(ccm_load_balancer_lifecycle_total{event="replaced",namespace=""} 2)"),
            std::string::npos);
}

TEST_F(CreationBrakeTest, Issue41_3_AfterOneReplacementNoneIsMadeUnlessTheCloudHasIt) {
  make("lb-1");
  make("lb-2");
  plugin::Caught caught;
  ask(table().ensure, caught);
  ASSERT_EQ(open_.at(0).operation, "observe");
  answer_with(balancer("", LoadBalancerState::absent));
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->reason(), plugin::kReplacementHeld);
  EXPECT_NE(caught.status->message().find("by lb-2, which the cloud does not have"),
            std::string::npos)
      << caught.status->message();
  look_and_make("lb-2");  // an edit of a Service whose load balancer is there
  EXPECT_NE(metrics().find("ccm_load_balancer_replacements_held 0"), std::string::npos);
}

TEST_F(CreationBrakeTest, Issue41_3_ItIsOverWhenTheReplacementIsOld) {
  make("lb-1");
  make("lb-2");
  advance(10min);
  make("lb-3");
  look_and_make("lb-4");
  EXPECT_EQ(refused().retry_after(), 10min);
  advance(10min);
  make("lb-5");
}

TEST_F(CreationBrakeTest, WhatBecomesOldWhileTheProviderLooksIsNotHeld) {
  make("lb-1");
  make("lb-2");
  advance(10min - 10s);
  plugin::Caught caught;
  ask(table().ensure, caught);
  ASSERT_EQ(open_.at(0).operation, "observe");
  advance(11s);
  answer_with(balancer("", LoadBalancerState::absent));
  ASSERT_FALSE(open_.empty()) << caught.status.value_or(Status()).message();
  EXPECT_EQ(open_[0].operation, "ensure");
  answer_with(balancer("lb-3"));
  EXPECT_TRUE(caught.status->ok());
}

TEST_F(CreationBrakeTest, AServiceThatNobodyAsksForIsNotHeldForEver) {
  make("lb-1");
  make("lb-2");
  look_and_make("lb-3");
  ASSERT_EQ(refused().reason(), plugin::kReplacementHeld);
  advance(2h);
  plugin::Caught caught;
  ask(table().ensure, caught, "u-2");
  answer_with(balancer("lb-9"), Status(Code::unavailable, "the cloud failed half way"));
  EXPECT_NE(metrics().find("ccm_load_balancer_replacements_held 0"), std::string::npos);
}

TEST_F(CreationBrakeTest, Issue41_3_AnAnnotationPermitsOneMore) {
  make("lb-1");
  make("lb-2");
  look_and_make("lb-3");
  EXPECT_EQ(refused(allowing("lb-2")).reason(), plugin::kReplacementHeld);
  EXPECT_EQ(refused(allowing("true")).reason(), plugin::kReplacementHeld);
  plugin::Caught permitted;
  ask(table().ensure, permitted, "u-1", {}, allowing("lb-3"));
  ASSERT_EQ(open_.at(0).operation, "ensure");
  answer_with(balancer("lb-4"));
  EXPECT_EQ(refused(allowing("lb-3")).reason(), plugin::kReplacementHeld)
      << "one, and not for ever";
}

TEST_F(CreationBrakeTest, Issue41_3_WhatFailedOperationsMadeCountsToo) {
  for (const char* id : {"lb-1", "lb-2"}) {
    plugin::Caught caught;
    ask(table().ensure, caught);
    answer_with(balancer(id), Status(Code::unavailable, "the cloud failed half way"));
  }
  plugin::Caught caught;
  ask(table().ensure, caught);
  ASSERT_EQ(open_.at(0).operation, "observe");
  answer_with(balancer("", LoadBalancerState::absent));
  EXPECT_EQ(caught.status->reason(), plugin::kReplacementHeld);
}

TEST_F(CreationBrakeTest, Issue41_3_NodesAreFollowedAndDeletionsPass) {
  make("lb-1");
  make("lb-2");
  look_and_make("lb-3");
  ASSERT_EQ(refused().reason(), plugin::kReplacementHeld);
  plugin::Caught updated;
  ask(table().update_backends, updated);
  ASSERT_EQ(open_.at(0).operation, "update");
  answer_with(balancer("lb-3"));
  EXPECT_TRUE(updated.status->ok());
  EXPECT_TRUE(
      removed("u-1", object(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})")).ok());
  EXPECT_NE(metrics().find(R"(ccm_load_balancer_lifecycle_total{event="deleted",namespace=""} 1)"),
            std::string::npos);
  make("lb-4");  // the Service wants one again
}

TEST_F(CreationBrakeTest, Issue41_3_AUserWhoNamesAnotherOneReplacesNothing) {
  make("lb-1");
  for (const char* id : {"lb-2", "lb-3", "lb-4"}) {
    LoadBalancerService service = service_of("u-1", nullptr);
    service.adopt_id = id;
    const detail::LoadBalancerServiceC raw(service);
    auto request = sized<ccm_load_balancer_request>();
    request.service = raw.get();
    plugin::Caught caught;
    table().ensure(balancers_.get(), {}, &request, caught.completion());
    poll();
    ASSERT_EQ(open_.at(0).operation, "ensure");
    answer_with(balancer(id));
  }
  EXPECT_EQ(metrics().find(R"(event="replaced")"), std::string::npos);
}

}  // namespace
}  // namespace ccm::cloud
