// Tokens of service accounts: how they are asked for, renewed and replaced.
#include "kube/service_account_token.hpp"

#include "base/log.hpp"
#include "loop_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <mutex>

namespace ccm::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::ServerReply;
using test::ServerRequest;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAccounts = "/api/v1/namespaces/kube-system/serviceaccounts";
constexpr const char* kToken =
    "/api/v1/namespaces/kube-system/serviceaccounts/node-controller/token";

class TurnedClock final : public Clock {
 public:
  [[nodiscard]] BootClock::time_point now() const override { return now_; }
  [[nodiscard]] std::chrono::system_clock::time_point wall() const override { return {}; }
  void advance(BootClock::duration time) { now_ += time; }

 private:
  BootClock::time_point now_{std::chrono::hours(1)};
};

class ServiceAccountTokenTest : public KubeTest {
 protected:
  ServiceAccountTokenTest() {
    log::redirect([this](std::string_view text) { lines_.emplace_back(text); });
    timing_.pause = std::chrono::milliseconds(1);
  }
  ~ServiceAccountTokenTest() override { log::redirect({}); }

  static ServerReply granted(const std::string& token, int seconds = 3600) {
    return json_reply(R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":)"
                      R"({"expirationSeconds":)" +
                          std::to_string(seconds) + R"(},"status":{"token":")" + token +
                          R"(","expirationTimestamp":"1999-01-01T00:00:00Z"}})",
                      201);
  }
  void answer(std::vector<ServerReply> replies) {
    const std::lock_guard lock(mutex_);
    replies_.assign(replies.begin(), replies.end());
  }
  ServerReply next() {
    const std::lock_guard lock(mutex_);
    if (replies_.empty()) return status_reply(500, "InternalError", "the test expects no more");
    ServerReply reply = replies_.front();
    replies_.pop_front();
    return reply;
  }
  std::shared_ptr<ServiceAccountToken> source() {
    const ServiceAccount account{"kube-system", "node-controller"};
    return std::make_shared<ServiceAccountToken>(client_for(server_), account, clock_, timing_);
  }
  // The token of a source, or why there is none.
  std::string token_of(ServiceAccountToken& source) {
    const Result<std::string> token = run(source.token());
    return token.ok() ? *token : token.status().message();
  }
  std::vector<std::string> targets() {
    std::vector<std::string> all;
    for (const ServerRequest& request : server_.requests()) all.push_back(request.target);
    return all;
  }
  // Until renewals in the background have been answered.
  void await_requests(std::size_t count) {
    run_until([&] {
      if (server_.requests().size() >= count) return true;
      boost::asio::post(loop_, [] {});
      return false;
    });
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(50));
  }
  std::size_t lines_with(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        lines_.begin(), lines_.end(),
        [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  }

  std::mutex mutex_;
  std::deque<ServerReply> replies_;
  std::vector<std::string> lines_;
  test::TestHttpServer server_{[this](const ServerRequest&) { return next(); }};
  TurnedClock clock_;
  TokenTiming timing_;
};

TEST_F(ServiceAccountTokenTest, HOST_130_AsksForAnHourOnce) {
  answer({granted("one")});
  const auto tokens = source();
  EXPECT_FALSE(tokens->time_left());
  EXPECT_EQ(token_of(*tokens), "one");
  EXPECT_EQ(token_of(*tokens), "one");
  EXPECT_THAT(targets(), ElementsAre(kToken));
  const ServerRequest request = server_.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_THAT(request.body,
              AllOf(HasSubstr(R"("kind":"TokenRequest")"), HasSubstr(R"("expirationSeconds":3600)"),
                    Not(HasSubstr("audiences"))));
  EXPECT_EQ(tokens->time_left(), std::chrono::hours(1)) << "whatever the clocks say";
  EXPECT_EQ(tokens->account().user(), "system:serviceaccount:kube-system:node-controller");
}

TEST_F(ServiceAccountTokenTest, HOST_129_AMissingAccountIsMade) {
  answer({status_reply(404, "NotFound"), json_reply("{}", 201), granted("one")});
  const auto tokens = source();
  EXPECT_EQ(token_of(*tokens), "one");
  EXPECT_THAT(targets(), ElementsAre(kToken, kAccounts, kToken));
  EXPECT_THAT(server_.requests().at(1).body, HasSubstr(R"("name":"node-controller")"));
  EXPECT_EQ(lines_with("Created a service account"), 1U);
}

TEST_F(ServiceAccountTokenTest, HOST_129_AnAccountThatAnotherReplicaMadeIsUsed) {
  answer({status_reply(404, "NotFound"), status_reply(409, "AlreadyExists"), granted("one")});
  const auto tokens = source();
  EXPECT_EQ(token_of(*tokens), "one");
  EXPECT_EQ(lines_with("Created a service account"), 0U);
}

TEST_F(ServiceAccountTokenTest, HOST_130_RenewsAfterFourFifthsBesideTheRequests) {
  answer({granted("one"), granted("two")});
  const auto tokens = source();
  EXPECT_EQ(token_of(*tokens), "one");
  clock_.advance(minutes(48) - seconds(1));
  EXPECT_EQ(token_of(*tokens), "one");
  EXPECT_EQ(server_.requests().size(), 1U);
  clock_.advance(seconds(1));
  EXPECT_EQ(token_of(*tokens), "one") << "nobody waits for the renewal";
  await_requests(2);
  EXPECT_EQ(token_of(*tokens), "two");
  EXPECT_EQ(tokens->time_left(), std::chrono::hours(1));
}

TEST_F(ServiceAccountTokenTest, HOST_130_AShorterTokenIsRenewedEarlier) {
  answer({granted("one", 600), granted("two", 600)});
  const auto tokens = source();
  EXPECT_EQ(token_of(*tokens), "one");
  clock_.advance(minutes(8));
  EXPECT_EQ(token_of(*tokens), "one");
  await_requests(2);
  EXPECT_EQ(token_of(*tokens), "two");
}

TEST_F(ServiceAccountTokenTest, HOST_130_AFailedRenewalKeepsTheTokenUntilItExpires) {
  const ServerReply no = status_reply(403, "Forbidden", "not you");
  answer({granted("one"), no, no, no, granted("two")});
  const auto tokens = source();
  EXPECT_EQ(token_of(*tokens), "one");
  clock_.advance(minutes(50));
  EXPECT_EQ(token_of(*tokens), "one");
  await_requests(2);
  EXPECT_EQ(token_of(*tokens), "one");
  EXPECT_EQ(server_.requests().size(), 2U) << "not again at once";
  clock_.advance(seconds(2));
  EXPECT_EQ(token_of(*tokens), "one");
  await_requests(3);
  EXPECT_EQ(lines_with("Failed to renew the token of a service account"), 1U);
  clock_.advance(minutes(10));
  EXPECT_THAT(token_of(*tokens), HasSubstr("not you"));
  EXPECT_FALSE(tokens->time_left());
  EXPECT_EQ(server_.requests().size(), 4U);
  clock_.advance(minutes(1));
  EXPECT_EQ(token_of(*tokens), "two");
  EXPECT_EQ(lines_with("Got a new token of a service account"), 1U);
}

TEST_F(ServiceAccountTokenTest, HOST_130_ALostAnswerIsAskedForAgainAtOnce) {
  const ServerReply away = status_reply(503, "ServiceUnavailable");
  answer({away, away, away, granted("one")});
  EXPECT_EQ(token_of(*source()), "one");
  answer({away, away, away, away, granted("never")});
  const auto tokens = source();
  EXPECT_THAT(token_of(*tokens), HasSubstr("refused"));
  EXPECT_EQ(server_.requests().size(), 8U) << "four tries each";
}

TEST_F(ServiceAccountTokenTest, AnAnswerWithoutATokenIsAFailure) {
  answer({json_reply("{}", 201)});
  EXPECT_THAT(token_of(*source()), HasSubstr("has no token"));
}

// One request finds its token refused; it is sent again with a new one.
TEST_F(ServiceAccountTokenTest, HOST_130_ARefusedTokenIsReplaced) {
  answer({granted("one"), status_reply(401, "Unauthorized"), granted("two"), json_reply("{}")});
  ClientConfig config = config_for(server_).anonymous();
  const auto tokens = source();
  config.token_source = tokens;
  Client client(loop_.get_executor(), config, ClientOptions());
  EXPECT_TRUE(run(client.send(read_of(resources::nodes(), "", "n"))).ok());
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].header("Authorization"), "") << "the program's own credential";
  EXPECT_EQ(requests[1].header("Authorization"), "Bearer one");
  EXPECT_EQ(requests[2].target, kToken);
  EXPECT_EQ(requests[3].header("Authorization"), "Bearer two");
  tokens->rejected("one");
  EXPECT_EQ(token_of(*tokens), "two") << "that was another one";
}

TEST_F(ServiceAccountTokenTest, WithoutATokenNoRequestIsSent) {
  answer({status_reply(403, "Forbidden", "not you")});
  ClientConfig config = config_for(server_).anonymous();
  config.token_source = source();
  Client client(loop_.get_executor(), config, ClientOptions());
  const auto answered = run(client.send(read_of(resources::nodes(), "", "n")));
  EXPECT_EQ(answered.status().code(), Code::permission_denied);
  EXPECT_THAT(answered.status().message(), HasSubstr("serviceaccounts/token"));
  EXPECT_THAT(targets(), ElementsAre(kToken));
}

}  // namespace
}  // namespace ccm::kube
