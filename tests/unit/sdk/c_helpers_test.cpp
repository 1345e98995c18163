// The helpers of ccm/c for texts do what those of C++ do.
#include <ccm/base64.hpp>
#include <ccm/c/base64.h>
#include <ccm/c/http.h>
#include <ccm/c/json_limits.h>
#include <ccm/c/node_ports.h>
#include <ccm/c/taints.h>
#include <ccm/c/time.h>
#include <ccm/c/utf8.h>
#include <ccm/duration.hpp>
#include <ccm/http_status.hpp>
#include <ccm/json_limits.hpp>
#include <ccm/node_ports.hpp>
#include <ccm/taints.hpp>
#include <ccm/utf8.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace ccm {
namespace {

using namespace std::string_literals;

// What `append` appends to a text.
template <typename Append>
std::string appended(Append append) {
  ccm_buffer buffer{};
  ccm_append(&buffer, "> ");
  append(&buffer);
  const std::string text(view(ccm_borrow(&buffer)));
  EXPECT_FALSE(buffer.failed);
  ccm_free(&buffer);
  EXPECT_TRUE(text.starts_with("> ")) << text;
  return text.substr(2);
}

// The number that `parse` reads; nothing when it refuses the text.
std::optional<int64_t> parsed(ccm_bool (*parse)(ccm_str, int64_t*), std::string_view text) {
  int64_t number = -1;
  if (!parse(c_str(text), &number)) return std::nullopt;
  return number;
}

template <typename Duration>
std::optional<int64_t> count_of(const std::optional<Duration>& time) {
  return time ? std::optional<int64_t>(time->count()) : std::nullopt;
}

TEST(CHelpers, Taints) {
  EXPECT_EQ(CCM_UNINITIALIZED_TAINT, kUninitializedTaint);
  EXPECT_EQ(CCM_NO_SCHEDULE_EFFECT, kNoScheduleEffect);
}

TEST(CHelpers, Base64) {
  for (const std::string& bytes : {""s, "a"s, "ab"s, "abc"s, "\0\xff\x80 x"s, "\xfb\xff\xbf"s}) {
    const std::string text = appended([&](ccm_buffer* to) { ccm_append_base64(to, c_str(bytes)); });
    EXPECT_EQ(text, base64_encode(bytes));
    EXPECT_EQ(base64_decode(text), bytes);
  }
  for (const char* text :
       {"", "YWI=", "YW\nI =", "a", "YWI", "YWI==", "Y=WI", "YW!I", "====", "YW-I", "="}) {
    ccm_bool good = 0;
    const std::string bytes =
        appended([&](ccm_buffer* to) { good = ccm_append_base64_decoded(to, ccm_text(text)); });
    const std::optional<std::string> wanted = base64_decode(text);
    EXPECT_EQ(good != 0, wanted.has_value()) << text;
    EXPECT_EQ(bytes, wanted.value_or("")) << text;
  }
}

TEST(CHelpers, Utf8) {
  for (const std::string& text :
       {""s, "plain"s, "a\0b"s, "\u00e9"s, "\u20ac"s, "\U0001F600"s, "\ud7ff\ue000"s, "\U0010FFFF"s,
        "a\xff"s, "\x80z"s, "\xc3"s, "\xe2\x82"s, "\xc0\xaf"s, "\xe0\x80\x80"s, "\xed\xa0\x80"s,
        "\xf4\x90\x80\x80"s, "\xf5"s, "a\r\n\t\x7f\u20acb"s}) {
    EXPECT_EQ(ccm_is_utf8(c_str(text)) != 0, is_utf8(text)) << text;
    EXPECT_EQ(appended([&](ccm_buffer* to) { ccm_append_utf8(to, c_str(text)); }), utf8_text(text));
    for (std::size_t limit = 0; limit <= text.size() + 1; ++limit) {
      EXPECT_EQ(view(ccm_utf8_front(c_str(text), limit)), utf8_front(text, limit)) << text;
      EXPECT_EQ(appended([&](ccm_buffer* to) { ccm_append_one_line(to, c_str(text), limit); }),
                one_line(text, limit));
    }
  }
}

TEST(CHelpers, Durations) {
  for (const char* text : {"0",
                           "0s",
                           "5m0s",
                           "1h",
                           "300ms",
                           "1.5s",
                           ".5s",
                           "1.s",
                           "+2s",
                           "-1m30s",
                           "1h1h",
                           "7us",
                           "7\u00b5s",
                           "7\u03bcs",
                           "3ns",
                           "0.1000000000000000000000000000001h",
                           "9223372036854775807ns",
                           "-9223372036854775808ns",
                           "",
                           "5",
                           "s",
                           ".",
                           ".s",
                           "1d",
                           "1 s",
                           "-",
                           "+",
                           "1h-5m",
                           "9223372036854775808ns",
                           "9999999999h",
                           "1s1",
                           "5M",
                           "1e3s"}) {
    EXPECT_EQ(parsed(&ccm_parse_duration, text), count_of(parse_duration(text))) << text;
  }
}

TEST(CHelpers, Times) {
  for (const char* text :
       {"1970-01-02T00:00:01Z", "2024-02-29T23:59:59Z", "1969-12-31T23:59:59Z", "", "2026-01-01",
        "0000-03-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-01-01 00:00:00Z", "2026-01-01T00:00:-1Z", "2026-01-01T00:00:0xZ"}) {
    EXPECT_EQ(parsed(&ccm_parse_timestamp, text), count_of(parse_timestamp(text))) << text;
  }
  for (const char* text : {"Sun, 09 Sep 2001 01:46:40 GMT", "", "2001-09-09T01:46:40Z",
                           "Sunday, 09-Sep-01 01:46:40 GMT", "Sun, 09 Sep 2001 01:46:40 UTC",
                           "Sun, 31 Feb 2001 01:46:40 GMT", "Sun, 09 Foo 2001 01:46:40 GMT",
                           "Sun, -9 Sep 2001 01:46:40 GMT", "Sun; 09 Sep 2001 01:46:40 GMT"}) {
    EXPECT_EQ(parsed(&ccm_parse_http_date, text), count_of(parse_http_date(text))) << text;
  }
  // Days of five centuries, each a bit later than the one before.
  for (int64_t day = -80'000; day < 120'000; day += 13) {
    const int64_t ms = day * 86'401'017;
    EXPECT_EQ(appended([&](ccm_buffer* to) { ccm_append_timestamp(to, ms); }),
              timestamp(std::chrono::milliseconds(ms)));
    EXPECT_EQ(appended([&](ccm_buffer* to) { ccm_append_http_date(to, ms); }),
              http_date(std::chrono::milliseconds(ms)));
  }
}

TEST(CHelpers, JsonLimits) {
  const auto agree = [](const std::string& text, const JsonLimits& limits) {
    const ccm_json_limits same{limits.bytes, limits.text_bytes, limits.values, limits.depth};
    EXPECT_EQ(ccm_check_json(c_str(text), &same) == nullptr, check_json(text, limits).ok()) << text;
  };
  const std::string text = R"({"a":[1,2,{"b":null},[]],"c":{},"d":"x,[\"","e":[[[]]], "f": 12345})";
  for (std::size_t limit = 0; limit <= text.size() + 1; ++limit) {
    agree(text, {.bytes = limit});
    agree(text, {.text_bytes = limit});
    agree(text, {.values = limit});
    agree(text, {.depth = limit});
    agree(text.substr(0, limit), {.text_bytes = 3});
  }
  EXPECT_EQ(ccm_check_json(c_str(text), nullptr), nullptr);
  EXPECT_STREQ(ccm_check_json(c_str(std::string(65, '[')), nullptr), "nests too deep");
  const ccm_json_limits usual = ccm_usual_json_limits();
  const JsonLimits wanted;
  EXPECT_EQ(usual.bytes, wanted.bytes);
  EXPECT_EQ(usual.text_bytes, wanted.text_bytes);
  EXPECT_EQ(usual.values, wanted.values);
  EXPECT_EQ(usual.depth, wanted.depth);
}

TEST(CHelpers, HttpFailures) {
  for (const uint32_t code :
       {302, 400, 401, 402, 403, 404, 408, 409, 412, 418, 422, 429, 500, 501}) {
    ccm_http_response response{};
    response.status_code = code;
    const ccm_status failure = ccm_http_failure(&response);
    const Status wanted = http_failure(HttpResponse{code, {}, ""}, "X");
    EXPECT_EQ(failure.code, static_cast<int32_t>(wanted.code())) << code;
    EXPECT_EQ(failure.error_class, static_cast<int32_t>(wanted.error_class())) << code;
    EXPECT_EQ(view(failure.reason), wanted.reason()) << code;
  }
}

TEST(CHelpers, RetryAfter) {
  const int64_t now = 1'000'000'000'000;  // Sun, 09 Sep 2001 01:46:40 GMT
  for (const char* text :
       {"", "0", "7", "3600", "3601", "4294967296", "99999999999999999999999", "-3", "soon", "1.5",
        "Sun, 09 Sep 2001 01:46:47 GMT", "Sun, 09 Sep 2001 01:46:40 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
    EXPECT_EQ(ccm_parse_retry_after(c_str(text), now),
              retry_after(text, std::chrono::milliseconds(now)).count())
        << text;
  }
}

TEST(CHelpers, NodePorts) {
  ccm_service_port http = sized<ccm_service_port>();
  http.protocol = ccm_text("TCP");
  http.port = 80;
  ccm_service_port dns = http;
  dns.protocol = ccm_text("UDP");
  dns.port = 53;
  const ccm_service_port* const ports[] = {&http, &dns};
  ccm_service raw = sized<ccm_service>();
  raw.ports = ports;
  raw.port_count = 2;
  Status ended;
  const ccm_completion done{[](void* owner, uint64_t, const ccm_status* status, const void*) {
                              *static_cast<Status*>(owner) = Status::from_c(status);
                            },
                            &ended, 0};
  for (const int32_t first : {0, 30'080}) {
    for (const int32_t second : {0, 30'053}) {
      http.node_port = first;
      dns.node_port = second;
      LoadBalancerService service;
      service.ports = {{"", "TCP", "", 80, first}, {"", "UDP", "", 53, second}};
      const Status wanted = need_node_ports(service);
      ended = Status();
      EXPECT_EQ(ccm_need_node_ports(&raw, done) != 0, wanted.ok());
      EXPECT_EQ(ended.message(), wanted.message());
      EXPECT_EQ(ended.reason(), wanted.reason());
      EXPECT_EQ(ended.error_class(), wanted.error_class());
    }
  }
}

}  // namespace
}  // namespace ccm
