#include "digitalocean/answer.hpp"

#include "digitalocean/droplet.hpp"
#include "digitalocean/firewall/firewall.hpp"
#include "digitalocean/load_balancers/certificates.hpp"
#include "digitalocean/load_balancers/existing.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kNow = seconds(1'700'000'000);

HttpResponse response(uint32_t code, std::string body, std::vector<HttpHeader> headers = {}) {
  return {code, std::move(headers), std::move(body)};
}

TEST(AnswerTest, DO_48_EveryTwoHundredIsASuccess) {
  for (const uint32_t code : {200U, 201U, 202U, 204U, 299U}) {
    EXPECT_TRUE(status_of("Op", response(code, ""), kNow).ok()) << code;
  }
  EXPECT_FALSE(status_of("Op", response(302, ""), kNow).ok());
}

TEST(AnswerTest, DO_49_TheMessageHoldsTheRequestId) {
  const auto status = status_of(
      "CreateLoadBalancer",
      response(422, R"({"id":"unprocessable_entity","message":"bad port","request_id":"r-1"})"),
      kNow);
  EXPECT_EQ(status.message(),
            "CreateLoadBalancer: DigitalOcean answered 422 (request \"r-1\") bad port");
  EXPECT_EQ(status.error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(status.code(), Code::invalid_argument);
}

TEST(AnswerTest, DO_49_TheRequestIdMayBeAHeaderAndTheBodyNoJson) {
  const auto status =
      status_of("Op", response(502, "<html>\nbad gateway</html>", {{"x-request-id", "r-2"}}), kNow);
  EXPECT_EQ(status.message(),
            "Op: DigitalOcean answered 502 (request \"r-2\") <html> bad gateway</html>");
  EXPECT_EQ(status.error_class(), ErrorClass::unavailable);
}

TEST(AnswerTest, DO_324_TheOtherErrorBodyOfTags) {
  const auto status = status_of(
      "CreateTag", response(400, R"({"error":"bad tag","messages":null,"root_causes":[]})"), kNow);
  EXPECT_NE(status.message().find("bad tag"), std::string::npos);
}

TEST(AnswerTest, DO_390_ALimitOfTheAccountIsAQuota) {
  const std::pair<uint32_t, const char*> table[] = {
      {403, R"({"id":"forbidden","message":"You have reached the limit of load balancers"})"},
      {403, R"({"id":"forbidden","message":"Load balancer limit reached for your account"})"},
      {422, R"({"id":"unprocessable_entity",
                "message":"creating this load balancer will exceed your limit"})"}};
  for (const auto& [code, body] : table) {
    const Status status = status_of("CreateLoadBalancer", response(code, body), kNow);
    EXPECT_EQ(status.error_class(), ErrorClass::quota) << body;
    EXPECT_EQ(status.reason(), "CloudQuotaReached");
    EXPECT_NE(status.message().find("the account's limit of load balancers"), std::string::npos);
  }
  const Status firewall =
      status_of("CreateFirewall", response(table[0].first, table[0].second), kNow);
  EXPECT_NE(firewall.message().find("limit of firewalls"), std::string::npos);
}

TEST(AnswerTest, DO_325_390_OtherRefusalsAreNone) {
  const std::pair<uint32_t, const char*> table[] = {
      {403, R"({"message":"You are not authorized to perform this operation"})"},
      {422, R"({"message":"size_unit exceeds the limit of 100"})"},
      {429, R"({"message":"API Rate limit reached"})"}};
  for (const auto& [code, body] : table) {
    EXPECT_NE(status_of("Op", response(code, body), kNow).error_class(), ErrorClass::quota) << body;
  }
}

TEST(AnswerTest, DO_325_ClassesOfStatuses) {
  const std::pair<uint32_t, ErrorClass> table[] = {
      {401, ErrorClass::auth},         {403, ErrorClass::auth},
      {404, ErrorClass::not_found},    {408, ErrorClass::unavailable},
      {409, ErrorClass::conflict},     {412, ErrorClass::conflict},
      {422, ErrorClass::invalid_spec}, {400, ErrorClass::invalid_spec},
      {429, ErrorClass::throttled},    {500, ErrorClass::unavailable},
      {503, ErrorClass::unavailable},  {302, ErrorClass::unavailable}};
  for (const auto& [code, error_class] : table) {
    EXPECT_EQ(status_of("Op", response(code, "{}"), kNow).error_class(), error_class) << code;
  }
}

TEST(AnswerTest, ABusyLoadBalancerIsNoQuestionOfRights) {
  const auto status = status_of(
      "Op",
      response(
          403,
          R"({"id":"forbidden","message":"can't be updated while it processes previous actions"})"),
      kNow);
  EXPECT_EQ(status.error_class(), ErrorClass::unavailable);
}

TEST(AnswerTest, DO_322_RetryAfterIsOfTheMinute) {
  const auto status = status_of(
      "Op", response(429, "{}", {{"retry-after", "7"}, {"ratelimit-reset", "1700003600"}}), kNow);
  EXPECT_EQ(status.retry_after(), seconds(7));
}

TEST(AnswerTest, DO_321_TheHoursWindowOpensAtReset) {
  EXPECT_EQ(
      status_of("Op", response(429, "{}", {{"ratelimit-reset", "1700000090"}}), kNow).retry_after(),
      seconds(90));
  EXPECT_EQ(
      status_of("Op", response(429, "{}", {{"ratelimit-reset", "1600000000"}}), kNow).retry_after(),
      seconds(1));
  EXPECT_EQ(status_of("Op", response(429, "{}", {{"retry-after", "-3"}}), kNow).retry_after(),
            seconds(0));
}

// The window's end stands in every answer; only a refusal for its sake has to wait for it.
TEST(AnswerTest, DO_321_AServerErrorDoesNotWaitForTheWindow) {
  EXPECT_EQ(
      status_of("Op", response(503, "{}", {{"ratelimit-reset", "1700003600"}}), kNow).retry_after(),
      seconds(0));
  EXPECT_EQ(status_of("Op", response(503, "{}", {{"retry-after", "4"}}), kNow).retry_after(),
            seconds(4));
}

TEST(AnswerTest, LongTextsAreCut) {
  const auto status = status_of("Op", response(500, std::string(100'000, 'x')), kNow);
  EXPECT_LT(status.message().size(), 700U);
}

std::string repeat(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  if (text.size() == 1) return std::string(times, text.front());
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Answers that a parser would turn into much more memory than their bytes, by what is wrong.
std::map<std::string, std::string> hostile_bodies() {
  return {{"nests deeper than 64 levels", repeat("[", 10u << 20)},
          {"has more than 500000 values", "{\"droplets\":[" + repeat("[],", 600'000) + "0]}"},
          {"has a text of more than 1048576 bytes", "{\"x\":\"" + repeat("y", 2u << 20) + "\"}"},
          {"is larger than 16777216 bytes", "{\"x\":" + repeat(" ", 17u << 20) + "1}"}};
}

TEST(HostileAnswersTest, Issue37_AreRefusedUnparsed) {
  for (const auto& [why, body] : hostile_bodies()) {
    for (const Status& status :
         {parse_droplets(body).status(), parse_droplet(body).status(),
          parse_firewalls(body).status(), parse_firewall(body).status(),
          parse_certificate(body).status(), parse_certificate_named(body, "x").status(),
          parse_load_balancers(body).status(), parse_load_balancer(body).status()}) {
      EXPECT_EQ(status.message(), "DigitalOcean's answer " + why);
      EXPECT_EQ(status.error_class(), ErrorClass::unavailable) << "retried later";
    }
  }
}

TEST(HostileAnswersTest, Issue37_ErrorsAreTextThen) {
  for (const auto& [why, body] : hostile_bodies()) {
    for (const uint32_t code : {400U, 403U, 404U, 422U, 500U}) {
      const Status status = status_of("ListDroplets", response(code, body), kNow);
      EXPECT_LE(status.message().size(), 1'000U) << code << why;
    }
  }
}

}  // namespace
}  // namespace ccm::digitalocean
