// Tokens and reviews as clients see them, with an API server that answers well, badly or late.
#include "access_fixture.hpp"

#include <nlohmann/json.hpp>

#include <future>
#include <thread>
#include <vector>

namespace ccm::serving {
namespace {

using std::chrono::milliseconds;
using test::ServerRequest;
using test::TlsClient;

TEST_F(AccessTest, HOST_101_WithoutCredentialThePageIsForbiddenAsUpstreamSays) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  const std::string answer = client.ask(get("/metrics"));
  EXPECT_EQ(status_line(answer), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(body(answer),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"forbidden: User \"system:anonymous\" cannot get path \"/metrics\"",)"
            R"("reason":"Forbidden","details":{},"code":403})");
  EXPECT_EQ(asked(kTokenReviews), 0u);
  EXPECT_EQ(asked(kAccessReviews), 1u) << "a role may allow it to everybody";
}

TEST_F(AccessTest, HOST_70_OpenPathsNeedNoReview) {
  open_paths_.emplace_back("/metr*");
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
  EXPECT_EQ(body(client.ask(get("/readyz?verbose=1"))).substr(0, 7), "[+]ping");
  EXPECT_EQ(body(client.ask(get("/metrics"))), "numbers");
  EXPECT_TRUE(api_.requests().empty());
  EXPECT_EQ(status(client.ask(get("/healthz/ping"))), 403u) << "the path is exact (HOST-93)";
  EXPECT_EQ(status(client.ask(get("/none"))), 403u) << "what is there is nobody's business";
}

// Anybody may ask whether it is ready; why it is not is for those who may see /statusz.
TEST_F(AccessTest, HOST_94_ReasonsAreForThoseWhoMayGetTheStatus) {
  registry_->set("sick", [] { return Status(Code::unavailable, "secret reason"); });
  on_token = [](const test::ServerRequest& request) {
    return owner(request.body.find("\"good\"") != std::string::npos ? "alice" : "bob");
  };
  ASSERT_TRUE(start().ok());
  const auto readyz = [&](const std::string& headers, const char* target) {
    TlsClient client(port());
    return client.ask(ask_with(headers, target));
  };
  const std::string alice = "Authorization: Bearer good\r\n";
  EXPECT_NE(readyz(alice, "/readyz?verbose").find("secret reason"), std::string::npos);
  EXPECT_EQ(asked(kAccessReviews), 1U);
  for (const std::string& headers : {std::string(), std::string("Authorization: Bearer bob\r\n")}) {
    const std::string answer = readyz(headers, "/readyz?verbose");
    EXPECT_EQ(answer.find("secret reason"), std::string::npos) << answer;
    EXPECT_NE(answer.find("reason withheld"), std::string::npos) << answer;
  }
  EXPECT_EQ(asked(kAccessReviews), 2U) << "no question about anonymous callers";
  EXPECT_EQ(readyz(alice, "/readyz").find("secret reason"), std::string::npos);
}

TEST_F(AccessTest, API_119_ATokenOpensThePage) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(with_token("good"))), "numbers");
  const Request request = seen();
  EXPECT_EQ(request.user.name, "alice");
  EXPECT_EQ(request.user.uid, "u1");
  EXPECT_EQ(request.user.groups, (std::vector<std::string>{"team", "system:authenticated"}));
  EXPECT_EQ(request.header("Authorization"), "") << "API-127";
}

TEST_F(AccessTest, API_121_TheReviewNamesUserVerbAndPath) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  client.ask(ask_with("Authorization: bearer good\r\n", "/metrics?name=x", "HEAD") +
             get("/healthz"));
  ASSERT_EQ(asked(kAccessReviews), 1u);
  const auto review = nlohmann::json::parse(api_.requests().back().body);
  const auto& spec = review.at("spec");
  EXPECT_EQ(spec.at("user"), "alice");
  EXPECT_EQ(spec.at("uid"), "u1");
  EXPECT_EQ(spec.at("groups"), (std::vector<std::string>{"team", "system:authenticated"}));
  EXPECT_EQ(spec.at("extra").at("key"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(spec.at("nonResourceAttributes").at("path"), "/metrics");
  EXPECT_EQ(spec.at("nonResourceAttributes").at("verb"), "head");
}

TEST_F(AccessTest, HOST_101_ABadTokenIs401AndNoAnonymous) {
  open_paths_.emplace_back("/metrics");
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  const std::string answer = client.ask(with_token("stolen"));
  EXPECT_EQ(status_line(answer), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(body(answer), R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                          R"("message":"Unauthorized","reason":"Unauthorized","code":401})");
  EXPECT_EQ(answer.find("stolen"), std::string::npos);
}

TEST_F(AccessTest, HOST_102_WhoMayNotIs403WithTheReason) {
  on_access = [](const ServerRequest&) {
    return json(R"({"status":{"allowed":false,"reason":"no role says so"}})");
  };
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  const std::string answer = client.ask(with_token("good"));
  EXPECT_EQ(status(answer), 403u);
  EXPECT_NE(answer.find(R"(User \"alice\" cannot get path \"/metrics\": no role says so)"),
            std::string::npos)
      << answer;
}

TEST_F(AccessTest, HOST_102_MastersNeedNoReview) {
  on_token = [](const ServerRequest&) {
    return json(
        R"({"status":{"authenticated":true,"user":{"username":"root","groups":["system:masters"]}}})");
  };
  on_access = [](const ServerRequest&) { return json("{}", 500); };
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(with_token("any"))), "numbers");
  EXPECT_EQ(asked(kAccessReviews), 0u);
}

TEST_F(AccessTest, HOST_101_WithoutDelegationTokensAreIgnored) {
  delegated_ = false;
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(status(client.ask(with_token("good"))), 403u);
  EXPECT_EQ(status(client.ask(ask_with("Authorization: Bearer bad\r\n", "/healthz"))), 200u);
}

TEST_F(AccessTest, MET_38_AttemptsAreCounted) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  client.ask(with_token("good"));
  client.ask(with_token("bad"));
  client.ask(get("/metrics"));
  const std::string text = metrics_text();
  for (const char* line :
       {"authentication_attempts{result=\"success\"} 2\n",
        "authentication_attempts{result=\"error\"} 1\n",
        "authorization_attempts_total{result=\"allowed\"} 1\n",
        "authorization_attempts_total{result=\"no-opinion\"} 1\n",
        "authenticated_user_requests{username=\"other\"} 2\n",
        "authorization_duration_seconds_bucket{result=\"allowed\",le=\"16.384\"} 1\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST_F(AccessTest, MET_47_TheTokenCacheIsCounted) {
  std::promise<void> asked_twice;
  const std::shared_future<void> go = asked_twice.get_future().share();
  on_token = [&](const ServerRequest& request) {
    if (request.body.find("\"slow\"") != std::string::npos) go.wait();
    if (request.body.find("\"broken\"") != std::string::npos) return json("{}", 403);
    return owner("alice");
  };
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  const auto has = [this](const std::string& line) {
    return metrics_text().find("authentication_token_cache_" + line + "\n") != std::string::npos;
  };
  for (const char* line : {"request_total{status=\"hit\"} 0", "request_total{status=\"miss\"} 0",
                           "active_fetch_count{status=\"blocked\"} 0"}) {
    EXPECT_TRUE(has(line)) << line << "\n" << metrics_text();
  }
  client.ask(with_token("good"));
  client.ask(with_token("good"));
  client.ask(with_token("broken"));
  std::thread first([this] { TlsClient(port()).ask(with_token("slow")); });
  std::thread second([this] { TlsClient(port()).ask(with_token("slow")); });
  const auto both_wait = [&] { return has("active_fetch_count{status=\"blocked\"} 2"); };
  for (int i = 0; i < 500 && !both_wait(); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(both_wait()) << metrics_text();
  EXPECT_TRUE(has("active_fetch_count{status=\"in_flight\"} 1")) << "one review serves both";
  asked_twice.set_value();
  first.join();
  second.join();
  for (const char* line :
       {"request_total{status=\"hit\"} 1", "request_total{status=\"miss\"} 4",
        "request_duration_seconds_count{status=\"hit\"} 1",
        "request_duration_seconds_count{status=\"miss\"} 4", "fetch_total{status=\"ok\"} 2",
        "fetch_total{status=\"error\"} 1", "active_fetch_count{status=\"in_flight\"} 0",
        "active_fetch_count{status=\"blocked\"} 0"}) {
    EXPECT_TRUE(has(line)) << line << "\n" << metrics_text();
  }
}

TEST(BearerToken, IsTheSecondWord) {
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bearer  abc"), "abc");
  EXPECT_EQ(bearer_token("BEARER abc def"), "abc");
  for (const char* none : {"", "Bearer", "Bearer ", "Basic abc", "abc", "  "}) {
    EXPECT_EQ(bearer_token(none), "") << none;
  }
}

}  // namespace
}  // namespace ccm::serving
