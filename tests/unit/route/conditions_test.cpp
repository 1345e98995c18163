// The condition NetworkUnavailable.
#include "route/conditions.hpp"

#include "route_fixture.hpp"

namespace ccm::route {
namespace {

class ConditionTest : public RouteTest {};

TEST_F(ConditionTest, ROUTE_29_WithoutRangesAndRoutesItIsLeftAlone) {
  put(node("node-1"));
  start();
  EXPECT_EQ(patches(), 0U);
}

TEST_F(ConditionTest, ROUTE_30_WithoutRangesButWithARouteItIsUnavailable) {
  put(node("node-1"));
  list(listed("10.244.1.0/24", "node-1"));
  start();
  EXPECT_EQ(condition("node-1"), "True NoRouteCreated");
}

TEST_F(ConditionTest, ROUTE_31_34_35_TheWriteIsOneConditionForOneNode) {
  put(node("node-1", {"10.244.1.0/24"}));
  start();
  const auto calls = host.kube.calls("patch");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].subresource, "status");
  EXPECT_EQ(calls[0].patch_type, CCM_PATCH_STRATEGIC);
  EXPECT_EQ(calls[0].answer, PatchAnswer::metadata);
  const Json body = Json::parse(calls[0].body);
  EXPECT_EQ(body["metadata"], (Json{{"uid", "uid-of-node-1"}}));
  EXPECT_EQ(body["status"].size(), 1U);
  ASSERT_EQ(body["status"]["conditions"].size(), 1U);
  const Json entry = body["status"]["conditions"][0];
  EXPECT_EQ(entry["type"], "NetworkUnavailable");
  EXPECT_EQ(entry["status"], "False");
  EXPECT_EQ(entry["reason"], "RouteCreated");
  EXPECT_FALSE(entry["message"].get<std::string>().empty());
  EXPECT_EQ(entry["lastTransitionTime"], entry["lastHeartbeatTime"]);
  EXPECT_FALSE(body["metadata"].contains("resourceVersion"));
}

TEST_F(ConditionTest, TimesAreWrittenAsTheApiServerWritesThem) {
  const Json body = Json::parse(condition_patch("u", Condition(), milliseconds(1'700'000'000'999)));
  EXPECT_EQ(body["status"]["conditions"][0]["lastTransitionTime"], "2023-11-14T22:13:20Z");
}

TEST_F(ConditionTest, ROUTE_32_36_AFailedRouteIsToldAFailedRemovalIsNot) {
  put(node("node-1", {"10.244.1.0/24"}));
  put(node("node-2", {"10.244.2.0/24"}));
  list(listed("10.244.9.0/24", "node-2"));
  host.routes.refusals["10.244.1.0/24"] = unavailable();
  host.routes.refusals["10.244.9.0/24"] = unavailable();
  start();
  EXPECT_EQ(condition("node-1"), "True NoRouteCreated");
  EXPECT_EQ(condition("node-2"), "False RouteCreated");
}

TEST_F(ConditionTest, ROUTE_32_OneOfTwoRangesIsNotEnough) {
  put(node("node-1", {"10.244.1.0/24", "fd00:10:0:1::/64"}));
  host.routes.refusals["fd00:10:0:1::/64"] = unavailable();
  start();
  EXPECT_EQ(condition("node-1"), "True NoRouteCreated");
  EXPECT_NE(whole_condition("node-1")["message"].get<std::string>().find("fd00:10:0:1::/64"),
            std::string::npos);
}

TEST_F(ConditionTest, ROUTE_33_AForeignReasonIsOverwrittenOnceOnly) {
  put(node("node-1", {"10.244.1.0/24"}));
  set_condition("node-1", "False", "CiliumIsUp");
  start();
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
  set_condition("node-1", "False", "CiliumIsUp");
  audit();
  audit();
  EXPECT_EQ(condition("node-1"), "False CiliumIsUp");  // else the two would write for ever
  set_condition("node-1", "True", "SomebodyElse");
  audit();
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
}

TEST_F(ConditionTest, ACacheThatIsBehindCausesNoSecondWrite) {
  put(node("node-1", {"10.244.1.0/24"}));
  start();
  host.kube.clear_calls();
  Json other = node("node-1", {"10.244.1.0/24"});
  remove("node-1");
  put(other);
  host.kube.set_cache_follows(false);
  next_run();
  EXPECT_EQ(patches(), 1U);
  audit();
  audit();
  EXPECT_EQ(patches(), 1U);
  host.kube.set_cache_follows(true);
  host.kube.catch_up();
  audit();
  EXPECT_EQ(patches(), 1U);
}

TEST_F(ConditionTest, ROUTE_34_ConflictsAreTriedFiveTimes) {
  const Status conflict(Code::aborted, ErrorClass::conflict, "409");
  put(node("node-1", {"10.244.1.0/24"}));
  host.kube.fail_next("patch", "v1/nodes/status", conflict, 4);
  start();
  EXPECT_EQ(patches(), 5U);
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
}

TEST_F(ConditionTest, AFailedWriteIsRepeated) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.kube.fail_next("patch", "v1/nodes/status", unavailable(), 2);
  start();
  EXPECT_EQ(condition("node-1"), "");
  next_run();
  controller->advance(milliseconds(2'000));
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
  EXPECT_EQ(patches(), 3U);
}

TEST_F(ConditionTest, ANodeThatIsMadeAgainDoesNotGetTheOldOnesCondition) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.kube.before_next("patch", "v1/nodes/status", [this] {
    remove("node-1");
    Json again = node("node-1");
    again["metadata"]["uid"] = "another";
    put(again);
  });
  start();
  EXPECT_EQ(condition("node-1"), "");
}

TEST_F(ConditionTest, ROUTE_28_ManyWritesGoOutTogetherButNotAll) {
  std::size_t before_first_answer = 0;
  for (int i = 0; i < 200; ++i) {
    put(node("node-" + std::to_string(i), {"10.244." + std::to_string(i) + ".0/24"}));
  }
  host.kube.before_next("patch", "v1/nodes/status",
                        [&] { host.loop.post([&] { before_first_answer = patches(); }); });
  start();
  EXPECT_EQ(patches(), 200U);
  EXPECT_EQ(before_first_answer, 64U);
}

}  // namespace
}  // namespace ccm::route
