// Limits of a request, however its bytes arrive: by records of 1 to 16,384 bytes.
#include "serving/request_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace ccm::serving {
namespace {

using State = RequestReader::State;
constexpr std::size_t kHeader = 64u << 10;
constexpr std::size_t kNeverEnds = 16u << 20;
const std::string kStart = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
const std::string kChunked = "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

struct Outcome {
  State state = State::more;
  unsigned refusal = 0;
  std::size_t given = 0;  // bytes
  std::shared_ptr<Request> request;
};

// The size of the records, and whether the first line is cut into such records too: Beast goes
// another way then.
class RequestLimits : public testing::TestWithParam<std::tuple<std::size_t, bool>> {
 protected:
  // `begin`, then `again` for as long as the reader takes it, in records of the parameter's size.
  static Outcome feed(const std::string& begin, const std::string& again) {
    const std::size_t record = std::get<0>(GetParam());
    RequestReader reader(kHeader);
    Outcome outcome;
    std::string received;
    std::string waiting = begin;
    while (outcome.state == State::more && outcome.given < kNeverEnds) {
      if (waiting.empty()) {
        while (waiting.size() < record && !again.empty()) waiting += again;
      }
      if (waiting.empty()) break;
      const bool whole = outcome.given == 0 && !std::get<1>(GetParam());
      const std::size_t size = whole ? waiting.size() : std::min(record, waiting.size());
      received.append(waiting, 0, size);
      waiting.erase(0, size);
      outcome.given += size;
      outcome.state = reader.take(&received);
      if (reader.taken() + received.size() > 2 * kHeader + record) {
        ADD_FAILURE() << reader.taken() + received.size() << " bytes are held";
        break;
      }
    }
    if (outcome.state == State::refused) outcome.refusal = reader.refusal();
    if (outcome.state == State::request) outcome.request = reader.request();
    return outcome;
  }
  static void expect_refused(const Outcome& outcome, unsigned status, std::size_t by) {
    EXPECT_EQ(outcome.state, State::refused);
    EXPECT_EQ(outcome.refusal, status);
    EXPECT_LE(outcome.given, by + std::get<0>(GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Records, RequestLimits,
                         testing::Combine(testing::Values(1, 2, 4, 16, 16384), testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "_all" : "_after_the_first");
                         });

TEST_P(RequestLimits, HOST_105_FieldsWithoutEndAre431) {
  expect_refused(feed(kStart + "a", ":\r\na"), 431, kHeader);
  expect_refused(feed(kStart, "x-field: value\r\n"), 431, kHeader);
  const std::string large = "x-large: " + std::string(2000, 'v') + "\r\n";
  expect_refused(feed(kStart, large), 431, kHeader + large.size());
}

TEST_P(RequestLimits, HOST_105_AValueOf70000BytesIs431) {
  const std::string large = "x-large: " + std::string(70'000, 'v') + "\r\n\r\n";
  expect_refused(feed(kStart, large), 431, kHeader + large.size());
  const Outcome good = feed(kStart + "x-large: " + std::string(60'000, 'v') + "\r\n\r\n", "");
  ASSERT_EQ(good.state, State::request);
  EXPECT_EQ(good.request->header("X-Large").size(), 60'000u);
}

TEST_P(RequestLimits, AsManyFieldsAsAllowedAndOneMore) {
  std::string head = kStart;
  for (std::size_t i = 1; i < RequestReader::kMaxFields; ++i) head += "x-remote-group: g\r\n";
  const Outcome good = feed(head + "\r\n", "");
  ASSERT_EQ(good.state, State::request);
  EXPECT_EQ(good.request->headers.size(), RequestReader::kMaxFields);
  expect_refused(feed(head + "x-remote-group: g\r\n\r\n", ""), 431, kHeader);
}

TEST_P(RequestLimits, AFoldedFieldWithoutEndIs431) {
  expect_refused(feed(kStart + "x-folded: a\r\n", " b\r\n"), 431, kHeader);
  expect_refused(feed(kStart + "x-folded:\r\n", " \r\n"), 431, kHeader);
}

TEST_P(RequestLimits, ALongTargetIs414) {
  expect_refused(feed("GET /", "a"), 431, kHeader);
  const std::string target = "/" + std::string(RequestReader::kMaxTarget, 't');
  expect_refused(feed("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n", ""), 414, kHeader);
}

TEST_P(RequestLimits, ALineWithoutEndIsRefused) {
  EXPECT_EQ(feed("", "G").state, State::refused);
  EXPECT_EQ(feed("", "\r\n").state, State::refused);
  EXPECT_EQ(feed(kStart, "a").state, State::refused);
}

TEST_P(RequestLimits, ALargeBodyIs413) {
  expect_refused(feed("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n", "b"), 413,
                 kHeader);
  expect_refused(feed(kChunked, "1\r\na\r\n"), 413, kHeader);
  expect_refused(feed(kChunked + "ffff\r\n", "b"), 413, kHeader);
}

TEST_P(RequestLimits, ChunkExtensionsWithoutEndAre413) {
  expect_refused(feed(kChunked + "1", ";a=b"), 413, kHeader);
  expect_refused(feed(kChunked, "1;a=bcdefghijkl\r\nx\r\n"), 413, kHeader);
}

TEST_P(RequestLimits, TrailersWithoutEndAre413) {
  expect_refused(feed(kChunked + "0\r\n", "a: b\r\n"), 413, kHeader);
}

// Its meaning decides where the next request begins.
TEST_P(RequestLimits, Issue37_12_ATransferEncodingThatIsNotChunkedIs400) {
  for (const char* encoding :
       {"xchunked", "chunkedx", "chunked, chunked", "gzip, chunked", "chunked, gzip", "identity",
        "", "\"chunked\"", "chunked;x=1", "gzip"}) {
    SCOPED_TRACE(encoding);
    const std::string begin =
        "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + std::string(encoding) + "\r\n";
    for (const char* length : {"", "Content-Length: 5\r\n"}) {
      const Outcome outcome = feed(begin + length + "\r\n0\r\n\r\n", "");
      EXPECT_EQ(outcome.state, State::refused);
      EXPECT_EQ(outcome.refusal, 400u);
    }
  }
  EXPECT_EQ(
      feed("POST /x HTTP/1.1\r\nHost: x\r\ntransfer-encoding: \tCHUNKED \r\n\r\n0\r\n\r\n", "")
          .state,
      State::request);
}

TEST_P(RequestLimits, ATrailerIsNoHeader) {
  const Outcome good = feed(
      kChunked + "3;a=b\r\nabc\r\n0\r\nX-Remote-User: root\r\nAuthorization: Bearer t\r\n\r\n", "");
  ASSERT_EQ(good.state, State::request);
  EXPECT_EQ(good.request->body, "abc");
  EXPECT_EQ(good.request->headers.size(), 2u);
  EXPECT_EQ(good.request->header("X-Remote-User"), "");
  EXPECT_EQ(good.request->header("Authorization"), "");
}

TEST_P(RequestLimits, WhatFollowsBelongsToTheNextRequest) {
  const std::string one = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
  const std::string two = "GET /b HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string received;
  std::vector<std::string> targets;
  auto reader = std::make_unique<RequestReader>(kHeader);
  const std::string all = one + two + one;
  const std::size_t record = std::get<0>(GetParam());
  for (std::size_t at = 0; at < all.size(); at += record) {
    received += all.substr(at, record);
    while (!received.empty()) {
      const State state = reader->take(&received);
      ASSERT_NE(state, State::refused);
      if (state == State::more) break;
      targets.push_back(reader->request()->target);
      reader = std::make_unique<RequestReader>(kHeader);
    }
  }
  EXPECT_EQ(targets, (std::vector<std::string>{"/a", "/b", "/a"}));
}

}  // namespace
}  // namespace ccm::serving
