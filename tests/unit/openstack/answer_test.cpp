#include "openstack/answer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::openstack {
namespace {

struct Limit {
  uint32_t code;
  const char* body;
};

// The texts of each service when the project, the network or the router has no more of something.
constexpr Limit kLimits[] = {
    {403, R"({"faultcode":"Client","faultstring":"Quota has been met for resources: loadbalancer",
              "debuginfo":null})"},
    {403, R"({"forbidden":{"code":403,
              "message":"Quota exceeded for instances: Requested 1, but already used 10 of 10"}})"},
    {409, R"({"NeutronError":{"type":"OverQuota","detail":"",
              "message":"Quota exceeded for resources: ['floatingip']."}})"},
    {409, R"({"NeutronError":{"type":"IpAddressGenerationFailure","detail":"",
              "message":"No more IP addresses available on network 7."}})"},
    {400, R"({"NeutronError":{"type":"ExternalIpAddressExhausted","detail":"",
              "message":"Unable to find any IP address on external network 7."}})"},
    {400, R"({"NeutronError":{"type":"AllowedAddressPairExhausted","detail":"",
              "message":"The number of allowed address pair exceeds the maximum 10."}})"},
    {400, R"({"NeutronError":{"type":"RoutesExhausted","detail":"",
              "message":"The number of routes exceeds the maximum quota of 30."}})"},
    {413, R"({"overLimit":{"code":413,"message":"Quota exceeded for cores: Requested 1"}})"},
};

TEST(OpenStackAnswerTest, OS_368_384_ALimitOfTheCloudIsAQuotaAndKeepsItsName) {
  for (const Limit& limit : kLimits) {
    const Status status = status_of("Create", {limit.code, {}, limit.body});
    EXPECT_EQ(status.error_class(), ErrorClass::quota) << status.message();
    EXPECT_EQ(status.reason(), "CloudQuotaReached");
    EXPECT_NE(status.message().find("Create: OpenStack answered"), std::string::npos);
    EXPECT_GT(status.message().size(), 45U) << status.message();
  }
}

TEST(OpenStackAnswerTest, OS_358_384_OthersOfTheSameCodeAreNone) {
  const std::pair<Limit, ErrorClass> others[] = {
      {{403, R"({"faultstring":"Policy does not allow this request to be performed."})"},
       ErrorClass::auth},
      {{409, R"({"faultstring":"Load Balancer 1 is immutable and cannot be updated."})"},
       ErrorClass::waiting},
      {{409, R"({"NeutronError":{"type":"IpAddressAlreadyAllocated","message":"used"}})"},
       ErrorClass::conflict},
      {{400, R"({"NeutronError":{"type":"BadRequest","message":"wrong"}})"},
       ErrorClass::invalid_spec},
      {{413, R"({"overLimit":{"code":413,"message":"This request was rate-limited.",
                 "retryAfter":"7"}})"},
       ErrorClass::throttled}};
  for (const auto& [answer, error_class] : others) {
    EXPECT_EQ(status_of("Op", {answer.code, {}, answer.body}).error_class(), error_class)
        << answer.body;
  }
}

}  // namespace
}  // namespace ccm::openstack
