// Reviews that fail, are slow, are many, or are remembered.
#include "access_fixture.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <mutex>
#include <vector>

namespace ccm::serving {
namespace {

using std::chrono::milliseconds;
using test::ServerReply;
using test::ServerRequest;
using test::TlsClient;
using test::TlsClientOptions;

TEST_F(AccessTest, API_120_AnswersAreKeptForTheirTime) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(status(client.ask(with_token("good"))), 200u);
    EXPECT_EQ(status(client.ask(with_token("bad"))), 401u);
  }
  EXPECT_EQ(asked(kTokenReviews), 2u) << "one for each token, good or bad";
  EXPECT_EQ(asked(kAccessReviews), 1u);
}

TEST_F(AccessTest, HOST_65_71_ALifetimeOfZeroKeepsNothing) {
  token_lifetime_ = {};
  lifetimes_ = {std::chrono::nanoseconds(0), std::chrono::seconds(10)};
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(status(client.ask(with_token("good"))), 200u);
  EXPECT_EQ(status(client.ask(with_token("good"))), 200u);
  EXPECT_EQ(asked(kTokenReviews), 2u);
  EXPECT_EQ(asked(kAccessReviews), 2u);
}

TEST_F(AccessTest, API_124_AReviewThatFailsOnceIsTriedAgain) {
  std::atomic<int> calls{0};
  on_token = [&](const ServerRequest&) {
    const int call = ++calls;
    if (call == 1) return json(R"({"kind":"Status","code":500,"reason":"InternalError"})", 500);
    if (call == 2) {
      ServerReply reply;
      reply.reset = true;
      return reply;
    }
    return owner("alice");
  };
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(status(client.ask(with_token("good"))), 200u);
  EXPECT_EQ(calls, 3);
}

TEST_F(AccessTest, API_124_ATokenReviewThatKeepsFailingIs401AndNotRemembered) {
  std::atomic<bool> broken{true};
  on_token = [&](const ServerRequest&) {
    return broken ? json(R"({"kind":"Status","code":500,"reason":"InternalError"})", 500)
                  : owner("alice");
  };
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(status(client.ask(with_token("good"))), 401u);
  EXPECT_EQ(asked(kTokenReviews), 5u);
  broken = false;
  EXPECT_EQ(status(client.ask(with_token("good"))), 200u);
}

TEST_F(AccessTest, API_124_AnAccessReviewThatFailsIs500) {
  on_access = [](const ServerRequest&) {
    return json(R"({"kind":"Status","code":403,"reason":"Forbidden","message":"no <b> role"})",
                403);
  };
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  const std::string answer = client.ask(with_token("good"));
  EXPECT_EQ(status(answer), 500u);
  EXPECT_EQ(body(answer), "Internal Server Error: \"/metrics\": the access review failed\n");
  EXPECT_EQ(asked(kAccessReviews), 1u) << "a refusal does not pass by itself";
}

TEST_F(AccessTest, NonsenseForAnAnswerOpensNothing) {
  for (const char* nonsense : {"", "[]", "{}", R"({"status":{"authenticated":"true"}})",
                               R"({"status":{"authenticated":true}})",
                               R"({"status":{"authenticated":true,"user":"alice"}})"}) {
    const auto owner = owner_in_review(nonsense);
    EXPECT_TRUE(!owner.ok() || *owner == nullptr) << nonsense;
  }
  for (const char* nonsense : {"", "[]", "{}", R"({"status":{"allowed":"true"}})",
                               R"({"status":{"allowed":true,"denied":true}})"}) {
    const auto found = verdict_in_review(nonsense);
    EXPECT_TRUE(!found.ok() || found->decision != Verdict::Decision::allowed) << nonsense;
  }
}

TEST_F(AccessTest, ASlowReviewIsBoundedAndHoldsUpNobodyElse) {
  limits_.budget = milliseconds(700);
  on_token = [](const ServerRequest&) {
    ServerReply reply = owner("alice");
    reply.delay = milliseconds(60'000);
    return reply;
  };
  ASSERT_TRUE(start().ok());
  TlsClient slow(port());
  slow.send(with_token("good"));
  ASSERT_TRUE(api_.wait_for_requests(1));
  TlsClient probe(port());
  EXPECT_EQ(body(probe.ask(get("/healthz"))), "ok");
  EXPECT_EQ(status(slow.read_answer()), 401u);
}

TEST_F(AccessTest, ASlowAccessReviewIsBoundedAndHoldsUpNobodyElse) {
  limits_.budget = milliseconds(700);
  std::atomic<bool> hangs{true};
  on_access = [&hangs](const ServerRequest&) {
    ServerReply reply = verdict(true);
    if (hangs) reply.delay = milliseconds(60'000);
    return reply;
  };
  ASSERT_TRUE(start().ok());
  TlsClient slow(port());
  slow.send(with_token("good"));
  ASSERT_TRUE(api_.wait_for_requests(2));
  TlsClient probe(port());
  EXPECT_EQ(body(probe.ask(get("/healthz"))), "ok");
  EXPECT_EQ(status(slow.read_answer()), 500u);
  EXPECT_EQ(asked(kTokenReviews), 1u);
  hangs = false;
  EXPECT_EQ(status(slow.ask(with_token("good"))), 200u) << "a failure was remembered";
}

TEST_F(AccessTest, ManyWithOneTokenAskOnce) {
  on_token = [](const ServerRequest&) {
    ServerReply reply = owner("alice");
    reply.delay = milliseconds(300);
    return reply;
  };
  ASSERT_TRUE(start().ok());
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<TlsClient>(port()));
  for (auto& client : clients) client->send(with_token("good"));
  for (auto& client : clients) EXPECT_EQ(status(client->read_answer()), 200u);
  EXPECT_EQ(asked(kTokenReviews), 1u);
  EXPECT_EQ(asked(kAccessReviews), 1u);
}

// A crowd from 127.0.0.1 whose reviews never end.
class CrowdTest : public AccessTest {
 protected:
  CrowdTest() {
    limits_.slots = {.all = 5, .strangers = 3, .each_stranger = 2, .each_known = 2};
    token_lifetime_ = {};
    on_token = [](const ServerRequest& request) {
      ServerReply reply = owner("alice");
      const bool good = request.body.find("\"good\"") != std::string::npos;
      if (!good) reply.delay = milliseconds(60'000);
      return reply;
    };
  }
  static TlsClientOptions from(const char* address) {
    TlsClientOptions options;
    options.from = address;
    return options;
  }
  void send_crowd(int size) {
    for (int i = 0; i < size; ++i) {
      crowd_.push_back(std::make_unique<TlsClient>(port()));
      crowd_.back()->send(with_token("made-up-" + std::to_string(i)));
    }
  }
  std::vector<std::unique_ptr<TlsClient>> crowd_;
};

TEST_F(CrowdTest, MadeUpTokensCannotPileUpReviews) {
  ASSERT_TRUE(start().ok());
  send_crowd(2);
  ASSERT_TRUE(api_.wait_for_requests(2));
  TlsClient late(port());
  const std::string answer = late.ask(with_token("good"));
  EXPECT_EQ(status_line(answer), "HTTP/1.1 429 Too Many Requests");
  EXPECT_NE(answer.find("\r\nRetry-After: 1\r\n"), std::string::npos);
}

TEST_F(CrowdTest, MadeUpTokensLeavePlacesToOtherMachines) {
  ASSERT_TRUE(start().ok());
  send_crowd(5);
  ASSERT_TRUE(api_.wait_for_requests(2));
  TlsClient prometheus(port(), from("127.0.0.2"));
  EXPECT_EQ(status(prometheus.ask(with_token("good"))), 200u);
}

TEST_F(CrowdTest, ATokenThatWasGoodHasAPlaceOfItsOwn) {
  ASSERT_TRUE(start().ok());
  TlsClient prometheus(port());
  EXPECT_EQ(status(prometheus.ask(with_token("good"))), 200u);
  const std::size_t before = api_.requests().size();
  send_crowd(5);
  ASSERT_TRUE(api_.wait_for_requests(before + 2));
  EXPECT_EQ(status(prometheus.ask(with_token("good"))), 200u);
  EXPECT_EQ(status(TlsClient(port()).ask(with_token("other"))), 429u);
}

TEST_F(CrowdTest, AnonymousQuestionsLeavePlacesToThoseWithAName) {
  on_access = [](const ServerRequest& request) {
    ServerReply reply = verdict(request.body.find("\"user\":\"alice\"") != std::string::npos);
    if (request.body.find("anonymous") != std::string::npos) reply.delay = milliseconds(60'000);
    return reply;
  };
  ASSERT_TRUE(start().ok());
  for (int i = 0; i < 5; ++i) {
    crowd_.push_back(std::make_unique<TlsClient>(port()));
    crowd_.back()->send(get("/guess-" + std::to_string(i)));
  }
  ASSERT_TRUE(api_.wait_for_requests(2));
  TlsClient prometheus(port());
  EXPECT_EQ(status(prometheus.ask(with_token("good"))), 200u);
}

TEST_F(CrowdTest, FailedReviewsAreToldOnceAndWithAShortPath) {
  std::mutex mutex;
  std::vector<std::string> lines;
  log::redirect([&](std::string_view line) {
    const std::lock_guard lock(mutex);
    if (line.find("review failed") != std::string_view::npos) lines.emplace_back(line);
  });
  on_access = [](const ServerRequest&) { return json("nonsense"); };
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  for (int i = 0; i < 20; ++i) {
    const std::string path = "/" + std::to_string(i) + std::string(8000, 'p');
    EXPECT_EQ(status(client.ask(get(path))), 500u);
  }
  log::redirect([](std::string_view) {});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].size(), 500u) << lines[0];
}

TEST(ReviewCache, ForgetsByTimeAndByUse) {
  auto now = std::chrono::steady_clock::now();
  ReviewCache<int> cache([&now] { return now; });
  cache.put("a", 1, std::chrono::seconds(10));
  EXPECT_EQ(cache.find("a"), 1);
  now += std::chrono::seconds(10);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  for (std::size_t i = 0; i < ReviewCache<int>::kLimit; ++i) {
    cache.put(std::to_string(i), 1, std::chrono::seconds(10));
  }
  EXPECT_EQ(cache.find("0"), 1);  // now used later than "1"
  cache.put("more", 1, std::chrono::seconds(10));
  EXPECT_EQ(cache.size(), ReviewCache<int>::kLimit);
  EXPECT_EQ(cache.find("0"), 1);
  EXPECT_EQ(cache.find("1"), std::nullopt);
}

TEST(ReviewCacheKey, ShowsNothingAndDiffersBetweenProcesses) {
  const ReviewCacheKey one;
  const ReviewCacheKey other;
  EXPECT_EQ(one("token"), one("token"));
  EXPECT_NE(one("token"), one("tokem"));
  EXPECT_NE(one("token"), other("token"));
  EXPECT_EQ(one("token").size(), 32u);
}

}  // namespace
}  // namespace ccm::serving
