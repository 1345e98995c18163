#include "sandbox/answer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;

ccm::HttpResponse response(uint32_t code, std::string body,
                           std::vector<ccm::HttpHeader> headers = {}) {
  return {code, std::move(headers), std::move(body)};
}

TEST(Answer, SuccessIsOk) {
  EXPECT_TRUE(status_of("GetMachine", response(200, "{}")).ok());
  EXPECT_TRUE(status_of("GetMachine", response(204, "")).ok());
}

struct Case {
  uint32_t http;
  const char* body;
  Code code;
  ErrorClass error_class;
};

TEST(Answer, Classes) {
  const std::vector<Case> cases{
      {401, "{}", Code::unauthenticated, ErrorClass::auth},
      {403, "{}", Code::permission_denied, ErrorClass::auth},
      {403, R"({"error":{"code":"quota"}})", Code::resource_exhausted, ErrorClass::quota},
      {404, "{}", Code::not_found, ErrorClass::not_found},
      {429, "{}", Code::resource_exhausted, ErrorClass::throttled},
      {500, "<html>", Code::unavailable, ErrorClass::unavailable},
      {503, "", Code::unavailable, ErrorClass::unavailable},
      {400, "{}", Code::invalid_argument, ErrorClass::invalid_spec},
      {302, "", Code::unknown, ErrorClass::unavailable},
  };
  for (const Case& each : cases) {
    const ccm::Status status = status_of("ListMachines", response(each.http, each.body));
    EXPECT_EQ(status.code(), each.code) << each.http << each.body;
    EXPECT_EQ(status.error_class(), each.error_class) << each.http << each.body;
    EXPECT_FALSE(status.reason().empty()) << each.http;
  }
}

TEST(Answer, TheMessageHoldsOperationTextAndRequestId) {
  const auto from_body = status_of(
      "ListMachines",
      response(500, R"({"error":{"code":"internal","message":"disk full","request_id":"r-9"}})"));
  EXPECT_EQ(from_body.message(), "ListMachines: the cloud answered 500, disk full (request r-9)");
  const auto from_header =
      status_of("GetMachine", response(503, "no JSON", {{"x-request-id", "r-7"}}));
  EXPECT_EQ(from_header.message(), "GetMachine: the cloud answered 503 (request r-7)");
}

TEST(Answer, RetryAfter) {
  const auto delay = [](const std::string& header) {
    return status_of("ListMachines", response(429, "", {{"retry-after", header}})).retry_after();
  };
  EXPECT_EQ(delay("3"), std::chrono::seconds(3));
  for (const char* wrong : {"", "soon", "-1", "3.5"}) EXPECT_EQ(delay(wrong).count(), 0) << wrong;
  for (const char* absurd : {"99999999999999999999", "1000000"}) {
    EXPECT_EQ(delay(absurd), std::chrono::hours(1)) << absurd;
  }
}

TEST(Answer, ALongMessageIsCut) {
  const std::string body = R"({"error":{"message":")" + std::string(5'000, 'x') + R"("}})";
  EXPECT_LT(status_of("ListMachines", response(500, body)).message().size(), 300U);
}

}  // namespace
}  // namespace sandbox
