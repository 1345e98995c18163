// A server whose pages are guarded, and the API server that it asks.
#pragma once

#include "server_fixture.hpp"
#include "serving/auth/access_control.hpp"
#include "serving/auth/trust.hpp"
#include "test_http_server.hpp"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace ccm::serving {

class AccessTest : public ServerTest {
 protected:
  static constexpr const char* kTokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";
  static constexpr const char* kAccessReviews =
      "/apis/authorization.k8s.io/v1/subjectaccessreviews";

  AccessTest() { others_use_loop_ = true; }
  ~AccessTest() override { stop(); }

  static test::ServerReply json(std::string body, unsigned status = 201) {
    test::ServerReply reply;
    reply.status = status;
    reply.headers = {{"Content-Type", "application/json"}};
    reply.body = std::move(body);
    return reply;
  }
  static test::ServerReply owner(const std::string& name) {
    return json(R"({"status":{"authenticated":true,"user":{"username":")" + name +
                R"(","uid":"u1","groups":["team"],"extra":{"key":["a","b"]}}}})");
  }
  static test::ServerReply verdict(bool allowed) {
    return json(std::string(R"({"status":{"allowed":)") + (allowed ? "true" : "false") + "}}");
  }

  // The API server's answers; by default "good" is alice's token, and she may do everything.
  std::function<test::ServerReply(const test::ServerRequest&)> on_token =
      [](const test::ServerRequest& request) {
        if (request.body.find("\"good\"") != std::string::npos) return owner("alice");
        return json(R"({"status":{"user":{},"error":"invalid bearer token"}})");
      };
  std::function<test::ServerReply(const test::ServerRequest&)> on_access =
      [](const test::ServerRequest& request) {
        return verdict(request.body.find("\"user\":\"alice\"") != std::string::npos);
      };

  std::shared_ptr<Site> site() override {
    kube::ClientConfig config;
    config.server = api_.url("");
    kube::ClientOptions options;
    options.qps = -1;
    const kube::Client client(loop_.get_executor(), config, options);
    std::shared_ptr<TokenReviewer> tokens;
    std::shared_ptr<AccessReviewer> access;
    if (delegated_) {
      tokens = std::make_shared<TokenReviewer>(ReviewClient(client, kTokenReviews, limits_),
                                               token_lifetime_, token_cache_metrics_);
      access = std::make_shared<AccessReviewer>(ReviewClient(client, kAccessReviews, limits_),
                                                lifetimes_);
    }
    metrics_ = std::make_unique<AuthMetrics>(registry_of_metrics_);
    auto result = std::make_shared<Site>(
        std::make_shared<AccessControl>(Authenticator(trust_, std::move(tokens), *metrics_),
                                        std::move(access), open_paths_, *metrics_));
    add_health_pages(result.get(), registry_);
    result->add("/metrics", [this](const Request& request) {
      const std::lock_guard lock(mutex_);
      seen_ = request;
      return Answer{200, "numbers"};
    });
    return result;
  }

  // The request as the page saw it.
  Request seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  static std::string ask_with(const std::string& headers, std::string_view target = "/metrics",
                              std::string_view method = "GET") {
    return std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n" + headers +
           "\r\n";
  }
  static std::string with_token(const std::string& token) {
    return ask_with("Authorization: Bearer " + token + "\r\n");
  }
  static unsigned status(const std::string& answer) {
    return answer.size() < 12 ? 0 : static_cast<unsigned>(std::atoi(answer.c_str() + 9));
  }
  [[nodiscard]] std::string metrics_text() const {
    return prometheus::TextSerializer().Serialize(registry_of_metrics_.Collect());
  }
  // How often the API server was asked for `path`.
  std::size_t asked(const std::string& path) const {
    std::size_t count = 0;
    for (const auto& request : api_.requests()) count += request.target == path ? 1 : 0;
    return count;
  }

  test::TestHttpServer api_{[this](const test::ServerRequest& request) {
    return request.target == kTokenReviews ? on_token(request) : on_access(request);
  }};
  bool delegated_ = true;
  ReviewLimits limits_{.budget = std::chrono::milliseconds(3'000),
                       .first_pause = std::chrono::milliseconds(10)};
  std::chrono::nanoseconds token_lifetime_{std::chrono::seconds(10)};
  AccessReviewer::Lifetimes lifetimes_;
  std::vector<std::string> open_paths_{"/healthz", "/readyz", "/livez"};
  std::shared_ptr<TrustSource> trust_ = std::make_shared<TrustSource>(TrustOptions{});
  prometheus::Registry registry_of_metrics_;
  std::unique_ptr<AuthMetrics> metrics_;
  TokenCacheMetrics token_cache_metrics_{registry_of_metrics_};
  std::mutex mutex_;
  Request seen_;
};

}  // namespace ccm::serving
