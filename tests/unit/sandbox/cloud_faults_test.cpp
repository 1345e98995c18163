#include "cloud_fixture.hpp"

namespace sandbox::cloud::testing {
namespace {

class CloudFaultsTest : public CloudFixture {
 protected:
  void SetUp() override { generate(5); }
};

TEST_F(CloudFaultsTest, ErrorsCarryStatusRetryAfterAndRequestId) {
  faults({{"list", "error"}, {"status", 503}, {"retry_after_s", 7}});
  CloudAnswer answer = list();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.code(), "unavailable");
  EXPECT_EQ(answer.header("Retry-After"), "7");
  EXPECT_EQ(answer.body.at("error").at("request_id"), answer.header("X-Request-Id"));
  EXPECT_EQ(send("GET", "/v1/machines/node-0").status, 200);
}

TEST_F(CloudFaultsTest, ListsMayBeEmptyHalfOrDoubled) {
  faults({{"list", "empty"}});
  EXPECT_EQ(list().body.at("machines").size(), 0u);
  faults({{"list", "half"}});
  EXPECT_EQ(list().body.at("machines").size(), 3u);
  EXPECT_EQ(list().body.at("meta").at("total"), 3);
  faults({{"list", "duplicate"}});
  EXPECT_EQ(list().body.at("machines").size(), 10u);
  faults({{"list", "gap"}});
  EXPECT_EQ(list().body.at("machines").size(), 4u);
  EXPECT_EQ(list().body.at("meta").at("total"), 5);
  faults(Json::object());
  EXPECT_EQ(list().body.at("machines").size(), 5u);
}

TEST_F(CloudFaultsTest, HangAndGarbage) {
  faults({{"list", "hang"}, {"get", "garbage"}});
  EXPECT_TRUE(list().reply.hang);
  CloudAnswer garbage = send("GET", "/v1/machines/node-0");
  EXPECT_EQ(garbage.status, 200);
  EXPECT_TRUE(garbage.body.is_discarded());
  faults({{"get", "not_found"}});
  EXPECT_EQ(send("GET", "/v1/machines/node-0").status, 404);
}

TEST_F(CloudFaultsTest, CountEndsTheFault) {
  faults({{"list", "error"}, {"latency_ms", 30}, {"count", 2}});
  EXPECT_EQ(list().status, 503);
  EXPECT_EQ(list().reply.delay, std::chrono::milliseconds(30));
  CloudAnswer healed = list();
  EXPECT_EQ(healed.status, 200);
  EXPECT_EQ(healed.reply.delay, std::chrono::milliseconds(0));
  EXPECT_EQ(send("GET", "/control/faults").body, Json::object());
}

TEST_F(CloudFaultsTest, QuotaIsShownAndEnforced) {
  faults({{"rate_limit", 3}});
  EXPECT_EQ(list().header("Ratelimit-Remaining"), "2");
  list();
  list();
  CloudAnswer over = list();
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.code(), "rate_limited");
  EXPECT_EQ(over.header("Ratelimit-Limit"), "3");
  EXPECT_NE(over.header("Retry-After"), "");
  faults(Json::object());
  EXPECT_EQ(list().status, 200);
}

TEST_F(CloudFaultsTest, WrongSetsAreRefusedAndChangeNothing) {
  faults({{"list", "empty"}});
  for (const char* text : {R"({"list":"sometimes"})", R"({"status":200})", R"({"count":-1})",
                           R"({"colour":1})", "[]"}) {
    EXPECT_EQ(faults(Json::parse(text)).status, 400) << text;
  }
  EXPECT_EQ(list().body.at("machines").size(), 0u);
}

TEST_F(CloudFaultsTest, CallsAreCounted) {
  send("DELETE", "/control/calls");
  list();
  send("GET", "/v1/machines/node-0");
  send("GET", "/v1/machines/nobody");
  Json calls = send("GET", "/control/calls").body;
  EXPECT_EQ(calls.at("total"), 3);
  EXPECT_EQ(calls.at("reads"), 3);
  EXPECT_EQ(calls.at("writes"), 0);
  EXPECT_EQ(calls.at("by_operation").at("GetMachine"), 2);
  EXPECT_EQ(calls.at("recent")[2].at("status"), 404);
  send("DELETE", "/control/calls");
  EXPECT_EQ(send("GET", "/control/calls").body.at("by_operation").at("ListMachines"), 0);
}

TEST(RateLimit, QuotaStartsAnewAfterAnHour) {
  RateLimit limit;
  limit.set_limit(2);
  auto now = RateLimit::Clock::now();
  EXPECT_TRUE(limit.take(now));
  EXPECT_TRUE(limit.take(now));
  EXPECT_FALSE(limit.take(now));
  EXPECT_EQ(limit.reset_after(now + std::chrono::minutes(59)), 60);
  EXPECT_TRUE(limit.take(now + std::chrono::hours(1)));
  EXPECT_EQ(limit.remaining(), 1);
}

}  // namespace
}  // namespace sandbox::cloud::testing
