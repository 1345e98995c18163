// Whether the cloud works, by how the provider's operations end.
#include "cloud/cloud_health.hpp"

#include "../runtime/manual_timers.hpp"

#include <gtest/gtest.h>

namespace ccm::cloud {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Status kRefused(Code::unauthenticated, ErrorClass::auth, "HTTP status 401");
const Status kForbidden(Code::permission_denied, ErrorClass::auth, "HTTP status 403");
const Status kDown(Code::unavailable, ErrorClass::unavailable, "connection refused");

std::optional<plugin::CloudAnswer> answer(unsigned http_status) {
  return plugin::CloudAnswer{"ListMachines", http_status, "", {}};
}

class CloudHealthTest : public testing::Test {
 protected:
  std::vector<CloudFault> faults() const {
    std::vector<CloudFault> all;
    for (const CloudTrouble& trouble : health_.troubles()) all.push_back(trouble.fault);
    return all;
  }
  bool says(const std::string& part) const {
    return health_.text().find(part) != std::string::npos;
  }

  runtime::ManualTimers timers_;
  CloudHealth health_{timers_};
};

TEST(CloudFaultTest, Issue42_1_ClassesOfFailures) {
  const auto of = [](Code code, ErrorClass kind, std::optional<unsigned> http) {
    return fault_of(Status(code, kind, "x"), http);
  };
  EXPECT_EQ(of(Code::unauthenticated, ErrorClass::auth, 401), CloudFault::credential_refused);
  EXPECT_EQ(of(Code::permission_denied, ErrorClass::auth, 403), CloudFault::credential_refused);
  EXPECT_EQ(of(Code::unavailable, ErrorClass::unavailable, 0), CloudFault::no_answer);
  EXPECT_EQ(of(Code::unavailable, ErrorClass::unavailable, {}), CloudFault::no_answer);
  EXPECT_EQ(of(Code::unavailable, ErrorClass::unavailable, 503), CloudFault::server_errors);
  EXPECT_EQ(of(Code::deadline_exceeded, ErrorClass::none, 200), CloudFault::no_answer);
  EXPECT_EQ(of(Code::deadline_exceeded, ErrorClass::none, 502), CloudFault::server_errors);
  EXPECT_EQ(of(Code::resource_exhausted, ErrorClass::throttled, 429), CloudFault::rate_limited);
  // The cloud has answered.
  EXPECT_FALSE(of(Code::resource_exhausted, ErrorClass::quota, 403));
  EXPECT_FALSE(of(Code::not_found, ErrorClass::not_found, 404));
  EXPECT_FALSE(of(Code::invalid_argument, ErrorClass::invalid_spec, 422));
}

TEST_F(CloudHealthTest, Issue42_1_ARefusedCredentialSinceTheFirstFailure) {
  EXPECT_EQ(health_.text(), "");
  health_.ended("instances.list", kRefused, answer(401));
  timers_.advance(minutes(3));
  health_.ended("instances.list", kRefused, answer(401));
  ASSERT_EQ(faults(), std::vector{CloudFault::credential_refused});
  const CloudTrouble trouble = health_.troubles().front();
  EXPECT_EQ(trouble.age, minutes(3));
  EXPECT_EQ(trouble.failures, 2u);
  EXPECT_EQ(trouble.message, "HTTP status 401");
  EXPECT_TRUE(says("the cloud refuses the credential since ")) << health_.text();
  EXPECT_TRUE(says(" UTC (401)")) << health_.text();
  health_.ended("instances.list", {}, answer(200));
  EXPECT_EQ(health_.text(), "");
}

TEST_F(CloudHealthTest, Issue42_1_AQuotaIsAnAnswer) {
  health_.ended("loadbalancers.ensure", kDown, answer(0));
  EXPECT_EQ(faults(), std::vector{CloudFault::no_answer});
  EXPECT_FALSE(says("(0)"));
  const Status quota(Code::resource_exhausted, ErrorClass::quota, "no more load balancers");
  health_.ended("loadbalancers.ensure", quota, answer(403));
  EXPECT_EQ(health_.text(), "");
}

// OpenStack's services fail one by one.
TEST_F(CloudHealthTest, Issue42_1_APartOfTheCloud) {
  health_.ended("loadbalancers.ensure", kDown, answer(503));
  EXPECT_TRUE(says("the cloud answers with errors since ")) << health_.text();
  timers_.advance(seconds(1));
  health_.ended("instances.list", {}, answer(200));
  EXPECT_TRUE(says("the cloud answers with errors for load balancers since ")) << health_.text();
  health_.ended("routes.list", kForbidden, answer(403));
  EXPECT_EQ(faults(), (std::vector{CloudFault::credential_refused, CloudFault::server_errors}));
}

TEST_F(CloudHealthTest, Issue42_1_WhatDoesNotAskTheCloudSaysNothing) {
  health_.ended("initialize", kRefused, answer(401));
  health_.ended("loadbalancers.name", {}, {});
  health_.ended("instances.list", Status(Code::cancelled, "the host stops"), {});
  EXPECT_EQ(faults(), std::vector{CloudFault::credential_refused});
  health_.ended("loadbalancers.limits", kDown, {});
  health_.ended("loadbalancers.limits", {}, {});
  EXPECT_EQ(faults(), std::vector{CloudFault::credential_refused});
  EXPECT_FALSE(says(" for "));
}

// The Service that met it is gone, so nobody asks again.
TEST_F(CloudHealthTest, Issue42_1_AnOldFailureIsForgottenWhenTheCloudAnswersOthers) {
  health_.ended("loadbalancers.ensure", kForbidden, answer(403));
  timers_.advance(minutes(16));
  EXPECT_EQ(faults().size(), 1u);
  health_.ended("instances.list", {}, answer(200));
  EXPECT_EQ(faults().size(), 0u);
}

// All gets done, if late.
TEST_F(CloudHealthTest, Issue42_1_ACloudThatIsSlow) {
  const auto call = [this](std::string_view operation, int length, const Status& status = {}) {
    health_.ended(operation, status,
                  plugin::CloudAnswer{"ListMachines", 200, "", {}, seconds(length)});
  };
  call("instances.list", 9);
  EXPECT_EQ(health_.text(), "") << "one may be an accident";
  timers_.advance(minutes(2));
  const Status missing(Code::not_found, ErrorClass::not_found, "no such load balancer");
  call("loadbalancers.observe", 8, missing);
  ASSERT_EQ(faults(), std::vector{CloudFault::slow});
  EXPECT_EQ(health_.troubles().front().what, "the cloud is slow (8s a call)");
  EXPECT_EQ(health_.troubles().front().age, minutes(2));
  EXPECT_EQ(health_.troubles().front().message, "");
  EXPECT_TRUE(says("the cloud is slow since ")) << health_.text();
  EXPECT_TRUE(says(" UTC (8s a call)")) << health_.text();
  EXPECT_TRUE(health_.healthy());
  health_.ended("routes.list", kForbidden, answer(403));
  EXPECT_EQ(faults(), (std::vector{CloudFault::credential_refused, CloudFault::slow}));
  EXPECT_FALSE(health_.healthy());
  health_.ended("routes.list", {}, answer(200));
  call("instances.list", 1);
  EXPECT_EQ(health_.text(), "");
}

TEST_F(CloudHealthTest, Issue42_1_TellsOfChanges) {
  int calls = 0;
  health_.on_change([&calls] { ++calls; });
  health_.ended("instances.list", {}, answer(200));
  EXPECT_EQ(calls, 0);
  health_.ended("instances.list", kDown, answer(0));
  health_.ended("instances.list", kDown, answer(0));
  health_.ended("instances.list", {}, answer(200));
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace ccm::cloud
