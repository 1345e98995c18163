#include "plugin/host_services/http_service.hpp"

#include "net/write_gate.hpp"
#include "test_runtime.hpp"

#include <algorithm>
#include <deque>

namespace ccm::plugin {
namespace {

class HttpServiceTest : public PluginHostTest {
 protected:
  void add_services(ComponentHost& host) override {
    HttpServiceOptions options;
    options.send = [this](net::Request request, std::function<void(Result<net::Response>)> done) {
      requests_.push_back(std::move(request));
      open_.push_back(std::move(done));
    };
    options.budgets = &budgets_;
    options.user_agent = "ccm/tester";
    options.gate = gate_;
    options.withheld = withheld_;
    options.observer = [this](const HttpCallRecord& call) {
      records_.push_back(std::string(call.operation) + " " + std::to_string(call.http_status));
    };
    host.add(std::make_unique<HttpService>(component_, std::move(options)));
  }

  void send(Caught& caught, const char* method, const char* credential = "", ccm_ctx ctx = {},
            uint32_t max_tries = 0, uint32_t flags = 0) {
    const ccm_host_http* http = nullptr;
    const ccm_interface service = plugin_.service(CCM_HOST_HTTP, &http);
    const ccm_key_value header{c_str("Authorization"), c_str(header_)};
    auto request = sized<ccm_http_request>();
    request.flags = flags;
    request.method = c_str(method);
    request.url = c_str(url_);
    request.headers = &header;
    request.header_count = 1;
    request.body = c_str("body");
    request.operation = c_str("ListX");
    request.credential = c_str(credential);
    request.timeout_ms = 4000;
    request.max_tries = max_tries;
    http->send(service.self, ctx, &request, caught.completion());
    poll();
  }
  void answer(Result<net::Response> response) {
    ASSERT_FALSE(open_.empty()) << "no request is out";
    auto done = std::move(open_.front());
    open_.pop_front();
    done(std::move(response));
    poll();
  }
  static net::Response response(unsigned status, std::vector<net::Header> headers = {}) {
    net::Response made;
    made.status = status;
    made.headers = std::move(headers);
    made.body = "answer";
    return made;
  }

  const std::shared_ptr<net::WriteGate> gate_ =
      std::make_shared<net::WriteGate>([] { return true; });
  std::string header_ = "Bearer token-4711";
  std::string url_ = "https://user:secret@api.example/v2/x?token=abc";
  WithheldWrites* withheld_ = nullptr;
  CallBudgets budgets_{timers_};
  std::deque<std::function<void(Result<net::Response>)>> open_;
  std::vector<net::Request> requests_;
  std::vector<std::string> records_;
};

TEST_F(HttpServiceTest, AnAnswerCrossesWithLowerCaseHeaders) {
  ASSERT_TRUE(create(true).ok());
  Caught caught;
  std::string seen;
  caught.on_result = [&](const void* result) {
    const auto& answer = *static_cast<const ccm_http_response*>(result);
    seen = std::to_string(answer.status_code) + std::string(view(answer.headers[0].key)) +
           std::string(view(answer.body));
  };
  send(caught, "POST");
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].body, "body");
  EXPECT_EQ(requests_[0].timeout, 4s);
  EXPECT_EQ(requests_[0].headers.at(1).value, "ccm/tester");
  answer(response(404, {{"X-Request-Id", "1"}}));
  EXPECT_TRUE(caught.status && caught.status->ok()) << "any answer is ok";
  EXPECT_EQ(seen, "404x-request-idanswer");
  EXPECT_EQ(records_, (std::vector<std::string>{"ListX 404"}));
}

TEST_F(HttpServiceTest, ReadsAreTriedThreeTimesWritesOnce) {
  ASSERT_TRUE(create(true).ok());
  Caught read;
  send(read, "GET");
  for (int failed = 0; failed < 2; ++failed) {
    answer(response(503));
    EXPECT_FALSE(read.status);
    advance(1s);
  }
  answer(response(503));
  EXPECT_TRUE(read.status && read.status->ok());
  EXPECT_EQ(requests_.size(), 3u);
  Caught write;
  send(write, "POST");
  answer(Status(Code::unavailable, ErrorClass::unavailable, "reset"));
  ASSERT_TRUE(write.status);
  EXPECT_EQ(write.status->code(), Code::unavailable);
  EXPECT_EQ(requests_.size(), 4u);
}

TEST_F(HttpServiceTest, MessagesHoldNoSecretOfTheUrl) {
  ASSERT_TRUE(create(true).ok());
  Caught caught;
  send(caught, "POST");
  answer(Status(Code::unavailable, "POST https://api.example/v2/x: reset"));
  EXPECT_EQ(caught.status->message(), "POST https://api.example/v2/x: reset") << "the URL once";
}

TEST_F(HttpServiceTest, ADryRunTellsNoPasswordOfTheUrl) {
  struct Plan final : WithheldWrites {
    void withhold(const WithheldWrite& write) override { target = write.target; }
    void answered(std::string_view, std::string_view, unsigned) override {}
    std::string target;
  } plan;
  withheld_ = &plan;
  ASSERT_TRUE(create(true).ok());
  for (const char* password : {"secret", "sec/ret"}) {
    url_ = "https://user:" + std::string(password) + "@api.example/v2/x";
    Caught caught;
    send(caught, "POST");
    EXPECT_EQ(plan.target, "https://api.example/v2/x");
    ASSERT_TRUE(caught.status);
    EXPECT_EQ(caught.status->message(),
              "dry run: POST https://api.example/v2/x was recorded and not sent");
  }
}

TEST_F(HttpServiceTest, AnErrorThatRepeatsTheCredentialDoesNotReachThePlugin) {
  ASSERT_TRUE(create(true).ok());
  Caught caught;
  std::string body;
  std::string header;
  caught.on_result = [&](const void* result) {
    const auto& answer = *static_cast<const ccm_http_response*>(result);
    body = view(answer.body);
    header = view(answer.headers[0].value);
  };
  send(caught, "POST");
  net::Response refused = response(401, {{"X-Echo", "Bearer token-4711"}});
  refused.body = "unknown token token-4711, not token-4711!";
  answer(refused);
  EXPECT_EQ(body, "unknown token [redacted], not [redacted]!");
  EXPECT_EQ(header, "Bearer [redacted]");
  send(caught, "POST");
  net::Response good = response(200, {{"X-Echo", "token-4711"}});
  good.body = "token-4711";
  answer(good);
  EXPECT_EQ(body, "token-4711") << "a log-in may answer with it";
}

// A provider may put what it has sent into a failure of its own, or repeat an answer of 200.
TEST_F(HttpServiceTest, Issue41_NoFailureOfThePluginRepeatsTheCredential) {
  ASSERT_TRUE(create(true).ok());
  header_ = "Bearer hush-4711";
  Caught caught;
  send(caught, "GET");
  call([](ccm_ctx, ccm_completion done) {
    complete(done, Status(Code::unknown, "refused: Bearer hush-4711"));
  });
  poll();
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->message(), "refused: Bearer [redacted]");
  answer(response(200));  // who waits for it keeps the component
}

// A cloud, or a proxy before it, that shows the request in a writing of its own.
TEST_F(HttpServiceTest, Issue37_12_NeitherInAnotherWriting) {
  ASSERT_TRUE(create(true).ok());
  const std::string token = "t0ken/+\"47%11";
  header_ = "Bearer " + token;
  Caught caught;
  std::string body;
  caught.on_result = [&](const void* result) {
    body = view(static_cast<const ccm_http_response*>(result)->body);
  };
  const auto shown = [&](const std::string& text) {
    send(caught, "POST");
    net::Response refused = response(400);
    refused.body = text;
    answer(refused);
    return body;
  };
  for (const char* form :
       {"dDBrZW4vKyI0NyUxMQ==",              // base64
        "dDBrZW4vKyI0NyUxMQ",                // without padding
        "dDBrZW4vKyI0NyUxMQ%3D%3D",          // and in a URL
        "dDBrZW4vKyI0NyUxMQ\\u003d\\u003d",  // or in JSON
        "t0ken%2F%2B%2247%2511", "t0ken%2f%2b%2247%2511", "%74%30%6B%65%6E/+%2247%2511",
        "t0ken/+\\\"47%11", "t0ken\\/+\\\"47%11", "t0ken/+\\u00224\\u0037%11", "t0ken/+&quot;47%11",
        "t0ken/+&#34;47%11", "t0ken/+&#x22;47%11", "74306b656e2f2b223437253131",
        "74306B656E2F2B223437253131"}) {
    const std::string text = shown("sent: " + std::string(form));
    EXPECT_TRUE(text.starts_with("sent: [redacted]")) << form << ": " << text;
    EXPECT_LE(text.size(), 32u) << text;
  }
  // As a part of something longer, at each place within a group of base64.
  for (const char* form :
       {"QmVhcmVyIHQwa2VuLysiNDclMTE=", "YXV0aDp0MGtlbi8rIjQ3JTExIQ==", "ZTp0MGtlbi8rIjQ3JTEx"}) {
    EXPECT_NE(shown(form).find("[redacted]"), std::string::npos) << form;
  }
  // The other alphabet.
  header_ = "Bearer ~~~?\?\?>>>";
  EXPECT_EQ(shown("fn5-Pz8_Pj4-"), "[redacted]");
  EXPECT_EQ(shown("fn5+Pz8/Pj4+"), "[redacted]");
  // The password of HTTP's basic authentication, and what is in the URL.
  header_ = "Basic bWU6cGFzc3dvcmQtMTI=";
  EXPECT_EQ(shown("no such user: me/password-12"), "no such user: me/[redacted]");
  url_ += "&api_key=k%2Fe%2Fy-4711";
  EXPECT_EQ(shown("unknown key k/e/y-4711"), "unknown key [redacted]");
  EXPECT_EQ(shown("50% of \\u12 &# &#x; %4"), "50% of \\u12 &# &#x; %4") << "others stay";
}

TEST_F(HttpServiceTest, AnErrorOfAnySizeIsReadInBoundedTime) {
  ASSERT_TRUE(create(true).ok());
  Caught caught;
  std::size_t size = 0;
  caught.on_result = [&](const void* result) {
    size = view(static_cast<const ccm_http_response*>(result)->body).size();
  };
  send(caught, "POST");
  net::Response refused = response(500);
  refused.body.assign(16u << 20, '%');
  answer(refused);
  EXPECT_EQ(size, 1u << 20);
}

TEST_F(HttpServiceTest, RetryAfterIsObeyedByAllUnderThatCredential) {
  ASSERT_TRUE(create(true).ok());
  Caught first, second, other;
  send(first, "GET", "account");
  answer(response(429, {{"Retry-After", "7"}}));
  send(second, "GET", "account");
  send(other, "GET", "another");
  EXPECT_EQ(requests_.size(), 2u) << "only the other credential's call goes out";
  for (int second = 0; second < 6; ++second) advance(1s);  // the loop runs at each look
  advance(999ms);
  EXPECT_EQ(requests_.size(), 2u);
  advance(1ms);
  EXPECT_EQ(requests_.size(), 4u);
  while (!open_.empty()) answer(response(200));
}

TEST_F(HttpServiceTest, AnExhaustedWindowHoldsCallsBack) {
  ASSERT_TRUE(create(true).ok());
  Caught first, second;
  send(first, "GET");
  answer(response(200, {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "30"}}));
  EXPECT_TRUE(first.status->ok());
  send(second, "GET");
  EXPECT_EQ(requests_.size(), 1u);
  advance(30s);
  EXPECT_EQ(requests_.size(), 2u);
  while (!open_.empty()) answer(response(200));
}

TEST_F(HttpServiceTest, AWaitBeyondTheDeadlineIsNotBegun) {
  ASSERT_TRUE(create(true).ok());
  const KnownContext ctx(runtime_.contexts, plugin_number(), component_->background()->child(5s));
  Caught first, second;
  send(first, "GET", "", ctx.get());
  answer(response(429, {{"retry-after", "60"}}));
  ASSERT_TRUE(first.status) << "the last answer is handed over instead";
  EXPECT_TRUE(first.status->ok());
  send(second, "GET", "", ctx.get());
  ASSERT_TRUE(second.status);
  EXPECT_EQ(second.status->error_class(), ErrorClass::throttled);
  EXPECT_EQ(second.status->retry_after(), 60s);
}

TEST_F(HttpServiceTest, TheCtxEndsTheCallAtOnce) {
  ASSERT_TRUE(create(true).ok());
  const auto context = component_->background()->child(std::nullopt);
  const KnownContext ctx(runtime_.contexts, plugin_number(), context);
  Caught caught;
  send(caught, "GET", "", ctx.get());
  context->cancel();
  poll();
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->code(), Code::cancelled);
  answer(response(503));
  advance(1min);
  EXPECT_EQ(caught.calls, 1);
  EXPECT_EQ(requests_.size(), 1u) << "no further try";
}

TEST_F(HttpServiceTest, ThePauseBeforeAnotherTryEndsWithTheCall) {
  ASSERT_TRUE(create(true).ok());
  const std::size_t timers = timers_.waiting();
  auto context = component_->background()->child(std::nullopt);
  Caught caught;
  {
    const KnownContext ctx(runtime_.contexts, plugin_number(), context);
    send(caught, "GET", "", ctx.get());
    answer(response(503, {{"Retry-After", "300"}}));
    EXPECT_EQ(timers_.waiting(), timers + 1);
  }
  poll();
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(timers_.waiting(), timers);
  const std::weak_ptr<Context> left = context;
  context.reset();
  EXPECT_TRUE(left.expired()) << "the exchange, which has ended, keeps its operation";
}

TEST_F(HttpServiceTest, TheLastTenthOfTheBudgetWaitsForWhatMatters) {
  ASSERT_TRUE(create(true).ok());
  const auto refresh = std::make_shared<Origin>("nodes", "n", CallPriority::refresh);
  const auto fresh = std::make_shared<Origin>("nodes", "n", CallPriority::node_init);
  const KnownContext low(runtime_.contexts, plugin_number(),
                         component_->background()->child(5s, {}, refresh));
  const KnownContext high(runtime_.contexts, plugin_number(),
                          component_->background()->child(5s, {}, fresh));
  Caught first, second, third;
  send(first, "GET", "", low.get());
  answer(response(
      200,
      {{"RateLimit-Limit", "100"}, {"RateLimit-Remaining", "10"}, {"RateLimit-Reset", "900"}}));
  send(second, "GET", "", low.get());
  ASSERT_TRUE(second.status) << "its deadline comes before the reset";
  EXPECT_EQ(second.status->error_class(), ErrorClass::throttled);
  EXPECT_EQ(second.status->reason(), kCallBudgetSpent);
  EXPECT_EQ(second.status->retry_after(), 60s) << "a window that slides may open earlier";
  send(third, "GET", "", high.get());
  EXPECT_EQ(requests_.size(), 2u);
  answer(response(200));
  EXPECT_TRUE(third.status->ok());
  EXPECT_EQ(budgets_.report().at(0).held, 1u);
  EXPECT_EQ(budgets_.report().at(0).spenders.at(0).controller, "nodes");
}

TEST_F(HttpServiceTest, ACallThatWaitsGoesOutWhenSomebodyMoreImportantWantsItsAnswer) {
  ASSERT_TRUE(create(true).ok());
  const auto origin = std::make_shared<Origin>("nodes", "", CallPriority::refresh);
  const KnownContext ctx(runtime_.contexts, plugin_number(),
                         component_->background()->child(60s, {}, origin));
  Caught first, second;
  send(first, "GET", "", ctx.get());
  answer(response(
      200, {{"RateLimit-Limit", "100"}, {"RateLimit-Remaining", "1"}, {"RateLimit-Reset", "30"}}));
  send(second, "GET", "", ctx.get());
  advance(5s);
  EXPECT_EQ(requests_.size(), 1u);
  origin->raise(CallPriority::node_init);
  advance(1s);
  EXPECT_EQ(requests_.size(), 2u);
  while (!open_.empty()) answer(response(200));
}

TEST_F(HttpServiceTest, TheOriginKnowsTheCloudsLastAnswer) {
  ASSERT_TRUE(create(true).ok());
  const auto origin = std::make_shared<Origin>("services", "a/b", CallPriority::load_balancers);
  const KnownContext ctx(runtime_.contexts, plugin_number(),
                         component_->background()->child(60s, {}, origin));
  Caught caught;
  send(caught, "POST", "", ctx.get());
  answer(response(422, {{"X-Request-Id", "req-1"}}));
  ASSERT_TRUE(origin->answer());
  EXPECT_EQ(origin->answer()->operation, "ListX");
  EXPECT_EQ(origin->answer()->http_status, 422u);
  EXPECT_EQ(origin->answer()->request_id, "req-1");
  send(caught, "POST", "", ctx.get());
  answer(Status(Code::unavailable, "reset"));
  EXPECT_EQ(origin->answer()->http_status, 0u);
}

TEST_F(HttpServiceTest, ARequestEndsWithItsOperation) {
  ASSERT_TRUE(create(true).ok());
  const auto context = component_->background()->child(std::nullopt);
  const KnownContext ctx(runtime_.contexts, plugin_number(), context);
  Caught caught;
  send(caught, "POST", "", ctx.get());
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_FALSE(requests_[0].stop.stop_requested());
  context->cancel();
  poll();
  ASSERT_TRUE(caught.status);
  EXPECT_TRUE(requests_[0].stop.stop_requested());
  answer(Status(Code::cancelled, "cancelled"));
}

TEST(RetryAfter, BothForms) {
  const auto now = std::chrono::system_clock::from_time_t(784111777);  // 06 Nov 1994 08:49:37
  EXPECT_EQ(parse_retry_after("120", now), 120s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), 60s);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), 0s);
  EXPECT_FALSE(parse_retry_after("", now));
  EXPECT_FALSE(parse_retry_after("-1", now));
  EXPECT_FALSE(parse_retry_after("soon", now));
}

TEST(RetryAfter, Issue37_AnyRetryAfterIsAPauseOrNone) {
  const auto now = std::chrono::system_clock::from_time_t(784111777);
  constexpr auto kYear = 365 * 24h;
  for (const char* far : {"1000000000000", "9223372036854775807", "99999999999999999999999999",
                          "Fri, 31 Dec 9999 23:59:59 GMT", "Sun, 06 Nov 2094 08:49:37 GMT"}) {
    EXPECT_EQ(parse_retry_after(far, now), kYear) << far;
  }
  for (const char* garbage :
       {"-99999999999999999999999999", "1e9", "60s", "60, 60", "Sun, 06 Nov 1994 08:50:37 GMTx",
        "Sun, 06 Nov 1994", "+60", " 60", "\xff"}) {
    EXPECT_FALSE(parse_retry_after(garbage, now)) << garbage;
  }
}

TEST_F(HttpServiceTest, WhatChangesTheCloudPassesTheGate) {
  ASSERT_TRUE(create(true).ok());
  Caught caught;
  for (const char* method :
       {"GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "CUSTOM"}) {
    send(caught, method);
    ASSERT_FALSE(requests_.empty());
    const std::string name = method;
    const bool reads = name == "GET" || name == "HEAD" || name == "OPTIONS";
    EXPECT_EQ(requests_.back().gate, reads ? nullptr : gate_) << name;
    answer(response(200));
  }
  send(caught, "POST", "", {}, 0, CCM_HTTP_READ_ONLY);
  EXPECT_EQ(requests_.back().gate, nullptr) << "a log-in is no write";
  answer(response(200));
}

}  // namespace
}  // namespace ccm::plugin
