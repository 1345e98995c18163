#include <ccm/http_status.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace ccm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kNow = seconds(1'000'000'000);  // Sun, 09 Sep 2001 01:46:40 GMT

struct Meaning {
  uint32_t status;
  Code code;
  ErrorClass error_class;
  std::string_view reason;
};

void expect(const Meaning& wanted, const Status& failure) {
  EXPECT_EQ(failure.code(), wanted.code) << wanted.status;
  EXPECT_EQ(name_of(failure.error_class()), name_of(wanted.error_class)) << wanted.status;
  EXPECT_EQ(failure.reason(), wanted.reason) << wanted.status;
}

TEST(HttpStatusTest, StatusesHaveACodeAClassAndAReason) {
  for (const Meaning& wanted : std::initializer_list<Meaning>{
           {302, Code::unknown, ErrorClass::none, "UnexpectedCloudAnswer"},
           {400, Code::failed_precondition, ErrorClass::invalid_spec, "CloudRefused"},
           {401, Code::unauthenticated, ErrorClass::auth, "CloudCredentialRefused"},
           {402, Code::resource_exhausted, ErrorClass::quota, "CloudQuotaReached"},
           {403, Code::permission_denied, ErrorClass::auth, "CloudPermissionDenied"},
           {404, Code::unknown, ErrorClass::none, "UnexpectedCloudAnswer"},
           {408, Code::unavailable, ErrorClass::unavailable, "CloudUnavailable"},
           {409, Code::aborted, ErrorClass::conflict, "CloudConflict"},
           {412, Code::aborted, ErrorClass::conflict, "CloudConflict"},
           {418, Code::unknown, ErrorClass::none, "UnexpectedCloudAnswer"},
           {422, Code::failed_precondition, ErrorClass::invalid_spec, "CloudRefused"},
           {429, Code::resource_exhausted, ErrorClass::throttled, "CloudThrottled"},
           {500, Code::unavailable, ErrorClass::unavailable, "CloudUnavailable"},
           {501, Code::unimplemented, ErrorClass::unsupported, "CloudUnsupported"},
           {503, Code::unavailable, ErrorClass::unavailable, "CloudUnavailable"}}) {
    const HttpResponse response{wanted.status, {{"retry-after", "7"}}, "text"};
    const Status failure = http_failure(response, "ListMachines");
    expect(wanted, failure);
    EXPECT_EQ(failure.message(), "ListMachines: HTTP " + std::to_string(wanted.status));
    EXPECT_EQ(failure.retry_after(), seconds(7)) << wanted.status;
  }
  EXPECT_TRUE(http_failure(HttpResponse{204, {}, ""}, "X").ok());
}

TEST(HttpStatusTest, WhatTheCloudItselfSaysCounts) {
  for (const Meaning& wanted : std::initializer_list<Meaning>{
           {302, Code::unknown, ErrorClass::unavailable, "UnexpectedCloudAnswer"},
           {400, Code::invalid_argument, ErrorClass::invalid_spec, "CloudRefused"},
           {401, Code::unauthenticated, ErrorClass::auth, "CloudCredentialRefused"},
           {404, Code::not_found, ErrorClass::not_found, "CloudNotFound"},
           {408, Code::unavailable, ErrorClass::unavailable, "CloudUnavailable"},
           {418, Code::invalid_argument, ErrorClass::invalid_spec, "CloudRefused"},
           {422, Code::invalid_argument, ErrorClass::invalid_spec, "CloudRefused"}}) {
    expect(wanted, http_failure(wanted.status, "X", HttpOrigin::cloud));
  }
}

TEST(HttpStatusTest, RetryAfterIsSecondsOrADate) {
  EXPECT_EQ(retry_after("0", kNow), seconds(0));
  EXPECT_EQ(retry_after("7", kNow), seconds(7));
  EXPECT_EQ(retry_after("Sun, 09 Sep 2001 01:47:40 GMT", kNow), seconds(60));
}

TEST(HttpStatusTest, AnAbsurdRetryAfterIsBounded) {
  for (const char* text :
       {"3601", "86400", "4294967296", "9223372036854775808", "99999999999999999999999999",
        "Sun, 09 Sep 2001 03:46:40 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
    EXPECT_EQ(retry_after(text, kNow), kLongestRetryAfter) << text;
  }
  for (const char* text : {"", " ", "-3", "-99999999999999999999", "+7", " 7", "7 ", "7s", "1.5",
                           "0x10", "1e3", "soon", "Sun, 09 Sep 2001 01:46:39 GMT",
                           "Thu, 01 Jan 1970 00:00:00 GMT", "Sun, 99 Sep 2001 01:47:40 GMT",
                           "Sunday, 09-Sep-01 01:47:40 GMT", "2001-09-09T01:47:40Z"}) {
    EXPECT_EQ(retry_after(text, kNow), seconds(0)) << text;
  }
  EXPECT_EQ(retry_after(HttpResponse{}, kNow), seconds(0));
}

TEST(HttpStatusTest, ATextIsOneBoundedLine) {
  EXPECT_EQ(one_line("a\r\n\tb\x7F"), "a   b ");
  EXPECT_EQ(one_line(std::string(10'000, 'x')).size(), 500U);
  EXPECT_EQ(one_line("x\xC3\xA4", 2), "x") << "not cut within a character";
  EXPECT_EQ(one_line("x\xC3\xA4", 3), "x\xC3\xA4");
}

}  // namespace
}  // namespace ccm
