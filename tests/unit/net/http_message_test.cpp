#include "net/http_client.hpp"
#include "net/http_exchange.hpp"
#include "net/url.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ccm::net {
namespace {

// A line break in a value would be a header of somebody else's making.
TEST(HttpMessage, HeaderValuesHaveNoControlCharactersAnywhere) {
  const Result<Url> url = parse_url("http://host/");
  ASSERT_TRUE(url.ok());
  for (int code = 0; code < 256; ++code) {
    const char byte = static_cast<char>(code);
    const bool allowed = code == '\t' || (code >= 0x20 && code != 0x7f);
    for (std::size_t position = 0; position < 17; ++position) {
      std::string value(17, 'a');
      value[position] = byte;
      Request request;
      request.headers.push_back({"X", value});
      EXPECT_EQ(request_head(request, *url, "agent", false, {}).ok(), allowed)
          << code << " at " << position;
    }
  }
}

TEST(HttpMessage, Issue37_12_ATransferEncodingThatIsNotChunkedIsGarbage) {
  const auto fed = [](const std::string& encoding) {
    ResponseParser parser(false, 1000);
    return parser
        .feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + encoding +
              "\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        .status();
  };
  for (const char* encoding : {"xchunked", "chunked, chunked", "gzip, chunked", "identity", ""}) {
    EXPECT_EQ(fed(encoding).code(), Code::unavailable) << encoding;
  }
  EXPECT_TRUE(fed("Chunked").ok());
}

// Pieces of one answer from a server, in records of 1 to 16,384 bytes.
class AnswerLimits : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t kMaxBody = 1000;
  static constexpr std::size_t kNeverEnds = 8u << 20;

  // `begin`, then `again` for as long as it is taken. Bytes that the parser leaves come again with
  // the next record, up to the limit that the exchange sets for it.
  static Status feed(const std::string& begin, const std::string& again) {
    ResponseParser parser(false, kMaxBody);
    std::string received;
    std::string waiting = begin;
    for (std::size_t given = 0; given < kNeverEnds && received.size() <= kMaxHeaderBytes;) {
      if (waiting.empty()) {
        while (waiting.size() < GetParam()) waiting += again;
      }
      // Beast looks at a first line that comes in pieces only when the whole header is there.
      const std::size_t size = given == 0 ? waiting.size() : std::min(GetParam(), waiting.size());
      received.append(waiting, 0, size);
      waiting.erase(0, size);
      given += size;
      const Result<std::size_t> used = parser.feed(received);
      if (!used.ok()) return used.status();
      received.erase(0, *used);
      EXPECT_LE(parser.response.headers.size(), kMaxHeaderFields);
      EXPECT_LE(parser.response.body.size(), kMaxBody);
      if (parser.is_done()) return {};
    }
    if (received.size() > kMaxHeaderBytes) return Status(Code::resource_exhausted, "left over");
    return Status(Code::deadline_exceeded, "it goes on without end");
  }
};
INSTANTIATE_TEST_SUITE_P(Records, AnswerLimits, testing::Values(1, 2, 4, 16, 16384),
                         testing::PrintToStringParamName());

TEST_P(AnswerLimits, WhatHasNoEndIsRefused) {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
  const std::pair<std::string, std::string> endless[] = {
      {start + "a", ":\r\na"},
      {start, "x-field: value\r\n"},
      {start, "x-large: " + std::string(5000, 'v') + "\r\n"},
      {start + "x-folded: a\r\n", " b\r\n"},
      {start + "x-folded:\r\n", " \r\n"},
      {start, "a"},
      {"H", "H"},
      {chunked + "1", ";a=b"},
      {chunked, "1;a=b\r\nx\r\n"},
      {chunked + "0\r\n", "a: b\r\n"},
      {start + "\r\n", "body"}};
  for (const auto& [begin, again] : endless) {
    const Status status = feed(begin, again);
    EXPECT_TRUE(status.code() == Code::resource_exhausted || status.code() == Code::unavailable)
        << begin << again << ": " << status.message();
  }
}

}  // namespace
}  // namespace ccm::net
