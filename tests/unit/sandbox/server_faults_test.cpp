#include "api_fixture.hpp"

namespace sandbox::testing {
namespace {

class ServerFaults : public ApiFixture {};

TEST_F(ServerFaults, API_71_StatusWithRetryAfterForSoManyCalls) {
  Json rule = {
      {"status", 429}, {"retry_after_s", 2}, {"verb", "list"}, {"resource", "nodes"}, {"count", 2}};
  EXPECT_EQ(put("/sandbox/faults", Json::array({rule})).status, 200);
  Answer first = get(kNodes);
  EXPECT_EQ(first.status, 429);
  EXPECT_EQ(first.reason(), "TooManyRequests");
  EXPECT_EQ(first.body.at("details").at("retryAfterSeconds"), 2);
  EXPECT_EQ(first.reply.response.headers[0].first, "Retry-After");
  EXPECT_EQ(get("/api/v1/services").status, 200);
  EXPECT_EQ(get(kNodes).status, 429);
  EXPECT_EQ(get(kNodes).status, 200);
}

TEST_F(ServerFaults, StatusWithoutRetryAfter) {
  put("/sandbox/faults", {{"status", 503}});
  Answer answer = get(kNodes);
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.reply.response.headers.empty());
  send("DELETE", "/sandbox/faults");
  EXPECT_EQ(get(kNodes).status, 200);
}

TEST_F(ServerFaults, API_26_WatchMayAnswer410AtOnce) {
  put("/sandbox/faults", {{"status", 410}, {"verb", "watch"}});
  Answer answer = get("/api/v1/nodes?watch=true");
  EXPECT_EQ(answer.status, 410);
  EXPECT_EQ(answer.reason(), "Expired");
}

TEST_F(ServerFaults, LatencyHoldsTheAnswerBack) {
  put("/sandbox/faults", {{"latency_ms", 70}, {"resource", "nodes"}});
  EXPECT_EQ(get(kNodes).reply.delay, std::chrono::milliseconds(70));
  EXPECT_EQ(get("/api/v1/services").reply.delay, std::chrono::milliseconds(0));
}

TEST_F(ServerFaults, WrongRulesAreRefusedAndChangeNothing) {
  for (const char* text :
       {R"([{"status":200}])", R"([{"colour":"red"}])", R"([5])", R"([{"latency_ms":"long"}])"}) {
    EXPECT_EQ(put("/sandbox/faults", Json::parse(text)).status, 400) << text;
  }
  EXPECT_EQ(get(kNodes).status, 200);
}

TEST_F(ServerFaults, RequestsAreCounted) {
  send("DELETE", "/sandbox/requests");
  get(kNodes);
  make_node("a");
  get("/api/v1/nodes/missing");
  Json counts = get("/sandbox/requests").body;
  EXPECT_EQ(counts.at("total"), 3);
  EXPECT_EQ(counts.at("by_resource_and_verb").at("nodes").at("list"), 1);
  EXPECT_EQ(counts.at("by_resource_and_verb").at("nodes").at("create"), 1);
  EXPECT_EQ(counts.at("by_status").at("404"), 1);
}

}  // namespace
}  // namespace sandbox::testing
