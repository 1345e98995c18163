#include "aws/api/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::aws {
namespace {

HttpResponse refused(uint32_t status, const std::string& code, const std::string& text = "why") {
  return {status,
          {},
          "<ErrorResponse xmlns=\"x\"><Error><Type>Sender</Type><Code>" + code +
              "</Code><Message>" + text +
              "</Message></Error><RequestId>r-9</RequestId>"
              "</ErrorResponse>"};
}

TEST(AwsErrorTest, AWS_35_37_132_CodesAndClasses) {
  const struct {
    uint32_t http;
    const char* code;
    ErrorClass error_class;
  } kCases[] = {
      {503, "RequestLimitExceeded", ErrorClass::throttled},
      {400, "Throttling", ErrorClass::throttled},
      {400, "ThrottlingException", ErrorClass::throttled},
      {503, "Unavailable", ErrorClass::unavailable},
      {500, "InternalError", ErrorClass::unavailable},
      {400, "RequestTimeout", ErrorClass::unavailable},
      {400, "RequestTimeoutException", ErrorClass::unavailable},
      {403, "UnauthorizedOperation", ErrorClass::auth},
      {403, "AccessDenied", ErrorClass::auth},
      {401, "AuthFailure", ErrorClass::auth},
      {403, "SignatureDoesNotMatch", ErrorClass::auth},
      {403, "ExpiredToken", ErrorClass::auth},
      {400, "RouteLimitExceeded", ErrorClass::quota},
      {400, "RulesPerSecurityGroupLimitExceeded", ErrorClass::quota},
      {400, "TooManyTargetGroups", ErrorClass::quota},
      {400, "LoadBalancerNotFound", ErrorClass::not_found},
      {400, "InvalidGroup.NotFound", ErrorClass::not_found},
      {400, "InvalidInstanceID.NotFound", ErrorClass::not_found},
      {400, "DependencyViolation", ErrorClass::conflict},
      {400, "ResourceInUse", ErrorClass::conflict},
      {400, "InvalidParameterValue", ErrorClass::invalid_spec},
      {400, "DuplicateListener", ErrorClass::invalid_spec},
  };
  for (const auto& one : kCases) {
    const Status status = status_of("DoIt", refused(one.http, one.code));
    EXPECT_EQ(name_of(status.error_class()), name_of(one.error_class)) << one.code;
    EXPECT_TRUE(has_code(status, std::string_view(one.code)));
    EXPECT_EQ(status.message(), "DoIt: AWS answered " + std::to_string(one.http) + " " + one.code +
                                    ": why (request r-9)");
  }
}

TEST(AwsErrorTest, TheFormOfEc2) {
  const Status status =
      status_of("X", {400,
                      {},
                      "<Response><Errors><Error><Code>RouteAlreadyExists</Code><Message>m</Message>"
                      "</Error></Errors><RequestID>q</RequestID></Response>"});
  EXPECT_EQ(status.message(), "X: AWS answered 400 RouteAlreadyExists: m (request q)");
}

TEST(AwsErrorTest, WhatIsNotAwsIsUnavailable) {
  const Status page = status_of("X", {404, {}, "<html>\n<body>no such page"});
  EXPECT_EQ(page.error_class(), ErrorClass::unavailable) << "a proxy's 404 is no absence";
  EXPECT_EQ(page.message().find('\n'), std::string::npos);
  EXPECT_EQ(status_of("X", {302, {}, ""}).error_class(), ErrorClass::unavailable);
  const Status odd = status_of("X", refused(400, "<b/>", std::string(10'000, 'x')));
  EXPECT_LT(odd.message().size(), 700u);
  EXPECT_EQ(read_error(refused(400, "no word!").body).code, "");
}

}  // namespace
}  // namespace ccm::aws
