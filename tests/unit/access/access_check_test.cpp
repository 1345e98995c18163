// Questions to an API server and what becomes of the answers.
#include "access/access_check.hpp"

#include "../../support/eventually.hpp"
#include "base/log.hpp"
#include "test_http_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mutex>
#include <set>

namespace ccm::access {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using test::ServerReply;
using test::ServerRequest;
using testing::ElementsAre;
using testing::HasSubstr;

const Permission kListNodes{"list", "", "nodes", ""};
const Permission kGetNodes{"get", "", "nodes", ""};
const Permission kPatchStatus{"patch", "", "services/status", ""};
const Permission kUpdateLease{"update", "coordination.k8s.io", "leases", "ccm", "kube-system"};

class AccessCheckTest : public testing::Test {
 protected:
  ~AccessCheckTest() override {
    if (check_) check_->stop();
    loop_.restart();
    loop_.poll();
    log::redirect({});
  }

  ServerReply answer(const ServerRequest& request) {
    const std::lock_guard lock(mutex_);
    ServerReply reply = reply_;
    const bool by_account = request.header("Authorization") == "Bearer of-the-account";
    if (by_account && account_status_ != 201) reply.status = account_status_;
    if (reply.status != 201) return reply;
    json review = json::parse(request.body);
    const json& asked = review["spec"]["resourceAttributes"];
    std::string text = asked.at("verb").get<std::string>() + " ";
    text += asked.at("resource").get<std::string>();
    if (asked.contains("subresource")) text += "/" + asked["subresource"].get<std::string>();
    if (by_account) text += " by the account";
    review["status"] = {{"allowed", !refused_.contains(text)}};
    reply.headers = {{"Content-Type", "application/json"}};
    reply.body = review.dump();
    return reply;
  }
  void refuse(std::set<std::string> texts) {
    const std::lock_guard lock(mutex_);
    refused_ = std::move(texts);
  }

  AccessCheck& check() {
    kube::ClientConfig config;
    config.server = server_.url("");
    config.source = "the test";
    AccessCheckOptions options;
    options.first_pause = milliseconds(5);
    options.longest_pause = milliseconds(20);
    options.idle_pause = milliseconds(20);
    options.call_timeout = milliseconds(300);
    const kube::Client own(loop_.get_executor(), config, kube::ClientOptions());
    config.token = "of-the-account";
    const kube::Client other(loop_.get_executor(), config, kube::ClientOptions());
    auto clients = [own, other](const std::string& account) {
      return account.empty() ? own : other;
    };
    AccessCallbacks callbacks;
    callbacks.changed = [this](const AccessSubject& subject, const Permissions& missing) {
      std::string text = subject.name + ": " + to_string(missing.needed);
      if (!missing.optional.empty()) text += " (" + to_string(missing.optional) + ")";
      reported_.push_back(std::move(text));
    };
    callbacks.answered = [this] { ++rounds_; };
    check_.emplace(clients, subjects_, options, std::move(callbacks));
    boost::asio::co_spawn(loop_, check_->run(), [this](const std::exception_ptr& fault) {
      if (fault) std::rethrow_exception(fault);
      ended_ = true;
    });
    return *check_;
  }
  template <typename Ready>
  bool run_until(Ready ready) {
    const auto limit = std::chrono::steady_clock::now() + support::patience();
    loop_.restart();
    while (!ready() && std::chrono::steady_clock::now() < limit)
      loop_.run_one_for(milliseconds(50));
    return ready();
  }

  std::mutex mutex_;
  ServerReply reply_ = [] {
    ServerReply reply;
    reply.status = 201;
    return reply;
  }();
  std::set<std::string> refused_;
  unsigned account_status_ = 201;  // of answers to the account
  std::vector<AccessSubject> subjects_ = {{"host", {{kUpdateLease}, {}}},
                                          {"node", {{kListNodes}, {}}},
                                          {"service", {{kListNodes, kPatchStatus}, {kGetNodes}}},
                                          {"free", {}}};
  test::TestHttpServer server_{[this](const ServerRequest& request) { return answer(request); }};
  boost::asio::io_context loop_{1};
  std::optional<AccessCheck> check_;
  std::vector<std::string> reported_;
  int rounds_ = 0;
  bool ended_ = false;
};

TEST_F(AccessCheckTest, API_122_WhenAllIsGrantedItAsksOnceAndEnds) {
  AccessCheck& access = check();
  EXPECT_FALSE(access.allows("node")) << "nobody has answered";
  EXPECT_TRUE(access.allows("free"));
  EXPECT_TRUE(access.allows("unknown"));
  EXPECT_EQ(access.text(), "being asked");
  ASSERT_TRUE(run_until([&] { return ended_; }));
  EXPECT_TRUE(access.allows("node") && access.allows("service") && access.allows("host"));
  EXPECT_EQ(access.text(), "all granted");
  EXPECT_TRUE(reported_.empty());
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 4U) << "a permission that two need is asked for once";
  for (const auto& request : requests) {
    EXPECT_EQ(request.target, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  }
}

TEST_F(AccessCheckTest, OnlyWhoLacksSomethingWaitsAndGoesOnWhenItIsThere) {
  refuse({"patch services/status"});
  AccessCheck& access = check();
  bool resumed = false;
  boost::asio::co_spawn(loop_, access.wait("service"),
                        [&](const std::exception_ptr&) { resumed = true; });
  ASSERT_TRUE(run_until([&] { return rounds_ >= 3; }));
  EXPECT_TRUE(access.allows("node"));
  EXPECT_FALSE(access.allows("service"));
  EXPECT_FALSE(resumed);
  EXPECT_EQ(access.needs("service"), "patch services/status");
  EXPECT_EQ(access.needs("node"), "");
  EXPECT_EQ(access.text(), "service lacks patch services/status");
  EXPECT_THAT(reported_, ElementsAre("service: patch services/status")) << "told once";
  EXPECT_LE(server_.requests().size(), 4U + 4U) << "only what is missing is asked for again";
  refuse({});
  ASSERT_TRUE(run_until([&] { return ended_ && resumed; }));
  EXPECT_TRUE(access.allows("service"));
  EXPECT_THAT(reported_, ElementsAre("service: patch services/status", "service: "));
}

// As with upstream's role for the route controller, which has no "get" (RBAC-26).
TEST_F(AccessCheckTest, RBAC_26_NobodyWaitsForWhatIsOptional) {
  refuse({"get nodes"});
  AccessCheck& access = check();
  bool resumed = false;
  boost::asio::co_spawn(loop_, access.wait("service"),
                        [&](const std::exception_ptr&) { resumed = true; });
  ASSERT_TRUE(run_until([&] { return rounds_ >= 3 && resumed; }));
  EXPECT_TRUE(access.allows("service"));
  EXPECT_EQ(access.needs("service"), "");
  EXPECT_EQ(access.text(), "service goes on without get nodes");
  EXPECT_THAT(reported_, ElementsAre("service:  (get nodes)")) << "told once";
  refuse({});
  ASSERT_TRUE(run_until([&] { return ended_; }));
  EXPECT_EQ(access.text(), "all granted");
  EXPECT_THAT(reported_, ElementsAre("service:  (get nodes)", "service: "));
}

TEST_F(AccessCheckTest, WhatIsNeededAndWhatIsOptionalAreToldApart) {
  refuse({"get nodes", "patch services/status"});
  AccessCheck& access = check();
  ASSERT_TRUE(run_until([&] { return rounds_ >= 2; }));
  EXPECT_FALSE(access.allows("service"));
  EXPECT_EQ(access.text(),
            "service lacks patch services/status; service goes on without get nodes");
}

TEST_F(AccessCheckTest, WhatTwoLackIsToldForEach) {
  refuse({"list nodes", "update leases"});
  AccessCheck& access = check();
  ASSERT_TRUE(run_until([&] { return rounds_ >= 1; }));
  EXPECT_THAT(reported_, ElementsAre("host: update leases.coordination.k8s.io \"ccm\" in namespace "
                                     "kube-system",
                                     "node: list nodes", "service: list nodes"));
  EXPECT_FALSE(access.allows("host"));
  EXPECT_FALSE(ended_);
}

// 403, 404, an answer that is no review, none at all: nobody waits, and one line says so.
TEST_F(AccessCheckTest, AnApiServerThatDoesNotSayHoldsUpNobody) {
  std::vector<ServerReply> faults(4);
  faults[0].status = 403;
  faults[1].status = 404;
  faults[2].status = 200;
  faults[2].headers = {{"Content-Type", "application/json"}};
  faults[2].body = R"({"kind":"Status"})";
  faults[3].delay = std::chrono::seconds(20);
  for (const ServerReply& fault : faults) {
    std::vector<std::string> lines;
    log::redirect([&](std::string_view line) { lines.emplace_back(line); });
    {
      const std::lock_guard lock(mutex_);
      reply_ = fault;
    }
    ended_ = false;
    AccessCheck& access = check();
    ASSERT_TRUE(run_until([&] { return ended_; })) << fault.status;
    EXPECT_TRUE(access.allows("node") && access.allows("service") && access.allows("host"));
    EXPECT_EQ(access.text(), "unknown: the API server does not say");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_THAT(lines[0], HasSubstr("The API server does not answer access reviews"));
    log::redirect({});
  }
  EXPECT_TRUE(reported_.empty());
}

// A plugin that is known to lack something goes on waiting while the server is away.
TEST_F(AccessCheckTest, AServerThatGoesAwayLaterChangesNothing) {
  refuse({"patch services/status"});
  AccessCheck& access = check();
  ASSERT_TRUE(run_until([&] { return rounds_ >= 1; }));
  {
    const std::lock_guard lock(mutex_);
    reply_.status = 503;
  }
  ASSERT_TRUE(run_until([&] { return rounds_ >= 4; }));
  EXPECT_FALSE(access.allows("service"));
  {
    const std::lock_guard lock(mutex_);
    reply_.status = 201;
    refused_ = {};
  }
  ASSERT_TRUE(run_until([&] { return ended_; }));
  EXPECT_TRUE(access.allows("service"));
}

// The program may, the account may not.
TEST_F(AccessCheckTest, HOST_129_AnAccountIsAskedAboutWithItsOwnToken) {
  Permission own = kPatchStatus;
  own.service_account = "service-controller";
  subjects_ = {{"node", {{kPatchStatus}, {}}}, {"service", {{own}, {}}}};
  refuse({"patch services/status by the account"});
  AccessCheck& access = check();
  ASSERT_TRUE(run_until([&] { return rounds_ >= 1; }));
  EXPECT_TRUE(access.allows("node"));
  EXPECT_FALSE(access.allows("service"));
  EXPECT_EQ(access.needs("service"),
            "patch services/status as system:serviceaccount:kube-system:service-controller");
  refuse({});
  ASSERT_TRUE(run_until([&] { return ended_; }));
  EXPECT_TRUE(access.allows("service"));
}

TEST_F(AccessCheckTest, HOST_130_AnAccountWithoutAGoodTokenMayNothing) {
  Permission own = kPatchStatus;
  own.service_account = "service-controller";
  subjects_ = {{"node", {{kPatchStatus}, {}}}, {"service", {{own}, {}}}};
  account_status_ = 401;
  AccessCheck& access = check();
  ASSERT_TRUE(run_until([&] { return rounds_ >= 1; }));
  EXPECT_TRUE(access.allows("node"));
  EXPECT_FALSE(access.allows("service"));
  {
    const std::lock_guard lock(mutex_);
    account_status_ = 503;
  }
  ASSERT_TRUE(run_until([&] { return rounds_ >= 3; }));
  EXPECT_FALSE(access.allows("service")) << "no answer changes nothing";
  {
    const std::lock_guard lock(mutex_);
    account_status_ = 201;
  }
  ASSERT_TRUE(run_until([&] { return ended_; }));
  EXPECT_TRUE(access.allows("service"));
}

TEST_F(AccessCheckTest, StopEndsItAndWhoeverWaits) {
  refuse({"patch services/status"});
  AccessCheck& access = check();
  bool resumed = false;
  boost::asio::co_spawn(loop_, access.wait("service"),
                        [&](const std::exception_ptr&) { resumed = true; });
  ASSERT_TRUE(run_until([&] { return rounds_ >= 1; }));
  access.stop();
  EXPECT_TRUE(run_until([&] { return ended_ && resumed; }));
}

TEST(AccessCheckEnd, NothingStaysOfARoundThatTheLoopDidNotFinish) {
  const auto held = std::make_shared<int>();
  {
    ServerReply slow;
    slow.delay = std::chrono::seconds(30);
    test::TestHttpServer server([&](const ServerRequest&) { return slow; });
    kube::ClientConfig config;
    config.server = server.url("");
    config.source = "the test";
    kube::ClientOptions options;
    options.observer = [held](const kube::CallRecord&) {};
    boost::asio::io_context loop;
    const kube::Client client(loop.get_executor(), config, options);
    AccessCheck check([client](const std::string&) { return client; },
                      {{"node", {{kListNodes}, {}}}}, AccessCheckOptions(), {});
    boost::asio::co_spawn(loop, check.run(), boost::asio::detached);
    while (server.requests().empty()) loop.run_one_for(milliseconds(10));
    check.stop();
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(AccessReview, API_122_AQuestionNamesGroupResourceAndSubresource) {
  EXPECT_EQ(json::parse(self_review(kPatchStatus))["spec"]["resourceAttributes"],
            json::parse(R"({"verb":"patch","group":"","resource":"services",
                            "subresource":"status"})"));
  EXPECT_EQ(json::parse(self_review(kUpdateLease))["spec"]["resourceAttributes"],
            json::parse(R"({"verb":"update","group":"coordination.k8s.io","resource":"leases",
                            "name":"ccm","namespace":"kube-system"})"));
}

TEST(AccessReview, AnswersThatAreNoneAreFaults) {
  EXPECT_TRUE(*allowed_in_review(R"({"status":{"allowed":true}})"));
  EXPECT_FALSE(*allowed_in_review(R"({"status":{"allowed":false,"denied":true}})"));
  for (const char* text : {"", "[]", "{}", R"({"status":1})", R"({"status":{"allowed":"yes"}})"}) {
    EXPECT_EQ(allowed_in_review(text).status().code(), Code::data_loss) << text;
  }
}

}  // namespace
}  // namespace ccm::access
