// Failures of requests: reasons, codes, advice.
#include "kube/client_status.hpp"

#include "client_fixture.hpp"
#include "kube/client.hpp"
#include "net/http_client.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerReply;
using testing::AllOf;
using testing::HasSubstr;

struct Failure {
  unsigned http;
  const char* reason;
  Code code;
  ErrorClass error_class;
};

TEST(ClientStatus, API_12_45_58_ReasonFirstThenHttpCode) {
  for (const Failure& f : {
           Failure{409, "Conflict", Code::aborted, ErrorClass::conflict},
           Failure{409, "AlreadyExists", Code::already_exists, ErrorClass::conflict},
           Failure{404, "NotFound", Code::not_found, ErrorClass::not_found},
           Failure{410, "Expired", Code::out_of_range, ErrorClass::none},
           Failure{410, "Gone", Code::out_of_range, ErrorClass::none},
           Failure{422, "Invalid", Code::invalid_argument, ErrorClass::invalid_spec},
           Failure{400, "BadRequest", Code::invalid_argument, ErrorClass::invalid_spec},
           Failure{413, "RequestEntityTooLarge", Code::invalid_argument, ErrorClass::invalid_spec},
           Failure{401, "Unauthorized", Code::unauthenticated, ErrorClass::auth},
           Failure{403, "Forbidden", Code::permission_denied, ErrorClass::auth},
           Failure{429, "TooManyRequests", Code::resource_exhausted, ErrorClass::throttled},
           Failure{500, "InternalError", Code::unavailable, ErrorClass::unavailable},
           Failure{503, "ServiceUnavailable", Code::unavailable, ErrorClass::unavailable},
           Failure{504, "Timeout", Code::deadline_exceeded, ErrorClass::unavailable},
           // The reason counts, not the code that a proxy made of it.
           Failure{502, "NotFound", Code::not_found, ErrorClass::not_found},
           Failure{599, "SomethingNew", Code::unavailable, ErrorClass::unavailable},
       }) {
    const ServerReply reply = status_reply(f.http, f.reason, "the message");
    const Status status = status_of_answer(f.http, reply.body, "");
    EXPECT_EQ(status.code(), f.code) << f.reason;
    EXPECT_EQ(status.error_class(), f.error_class) << f.reason;
    EXPECT_EQ(status.reason(), f.reason);
    EXPECT_EQ(status.message(), "the message");
  }
}

TEST(ClientStatus, API_12_AnswersWithoutAStatus) {
  for (const std::string& body :
       std::vector<std::string>{"", "<html>", "{}", "[]", R"({"kind":"Node"})"}) {
    EXPECT_EQ(status_of_answer(404, body, "").code(), Code::not_found);
    EXPECT_EQ(status_of_answer(410, body, "").code(), Code::out_of_range);
    EXPECT_EQ(status_of_answer(502, body, "").code(), Code::unavailable);
    EXPECT_EQ(status_of_answer(418, body, "").code(), Code::unknown);
    EXPECT_THAT(status_of_answer(502, body, "").message(), HasSubstr("HTTP 502"));
  }
}

TEST(ClientStatus, API_75_RetryAdvice) {
  using std::chrono::seconds;
  EXPECT_EQ(status_of_answer(429, "", "7").retry_after(), seconds(7));
  EXPECT_EQ(status_of_answer(429, "", "Wed, 21 Oct 2015 07:28:00 GMT").retry_after(), seconds(0));
  EXPECT_EQ(status_of_answer(429, "", "-1").retry_after(), seconds(0));
  for (const char* endless : {"61", "86400", "99999999999999999999999"}) {
    EXPECT_EQ(status_of_answer(429, "", endless).retry_after(), seconds(60)) << endless;
  }
  const ServerReply reply = status_reply(504, "Timeout", "m", R"({"retryAfterSeconds":3})");
  EXPECT_EQ(status_of_answer(504, reply.body, "").retry_after(), seconds(3));
}

TEST(ClientStatus, API_17_TooLargeVersionCountsAsExpired) {
  const ServerReply reply =
      status_reply(504, "Timeout", "m", R"({"causes":[{"reason":"ResourceVersionTooLarge"}]})");
  EXPECT_TRUE(is_expired(status_of_answer(504, reply.body, "")));
  EXPECT_FALSE(is_expired(status_of_answer(504, status_reply(504, "Timeout").body, "")));
  EXPECT_TRUE(is_expired(status_of_object(status_reply(410, "Expired").body)));
  EXPECT_EQ(status_of_object("nonsense").code(), Code::unavailable);
}

TEST_F(ClientTest, FailureSaysWhatWasAsked) {
  api_.expect({"/"}, status_reply(404, "NotFound", "nodes \\\"n1\\\" not found"));
  const auto body = run(client().send(read_of(nodes_, "", "n1")));
  EXPECT_EQ(body.status().message(), "get v1/nodes n1: nodes \"n1\" not found");
}

TEST_F(ClientTest, API_25_RefusedWatchIsAStatus) {
  api_.expect({"watch=true"}, status_reply(403, "Forbidden", "no watch for you"));
  const auto stream = run(client().open_watch(nodes_, "", WatchOptions()));
  EXPECT_EQ(stream.status().code(), Code::permission_denied);
  EXPECT_THAT(stream.status().message(),
              AllOf(HasSubstr("watch v1/nodes"), HasSubstr("no watch for you")));
}

}  // namespace
}  // namespace ccm::kube
