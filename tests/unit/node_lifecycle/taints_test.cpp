#include "node-lifecycle/taints.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::node_lifecycle {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kShutdown = "node.cloudprovider.kubernetes.io/shutdown";
constexpr const char* kOutOfService = "node.kubernetes.io/out-of-service";

Taint taint(const std::string& key, const std::string& effect, const std::string& value = {}) {
  Json json = {{"key", key}, {"effect", effect}};
  if (!value.empty()) json["value"] = value;
  return {key, value, effect, json.dump()};
}

NodeState node(std::vector<Taint> taints) {
  NodeState state;
  state.name = "n1";
  state.resource_version = "7";
  state.taints = std::move(taints);
  return state;
}

// "key=value:effect" of each taint that the patch leaves.
std::vector<std::string> after(const NodeState& state, Wanted wanted, bool out_of_service = true) {
  const auto body = taint_patch(state, wanted, out_of_service);
  if (!body) return {"no write"};
  const Json patch = Json::parse(*body);
  EXPECT_EQ(patch["metadata"]["resourceVersion"], "7") << "LIFE-16";
  std::vector<std::string> texts;
  if (patch["spec"]["taints"].is_null()) return texts;
  for (const Json& one : patch["spec"]["taints"]) {
    texts.push_back(one["key"].get<std::string>() + "=" + one.value("value", "") + ":" +
                    one["effect"].get<std::string>());
  }
  return texts;
}

using Texts = std::vector<std::string>;
const Texts kNoWrite{"no write"};
const std::string kShutdownText = std::string(kShutdown) + "=:NoSchedule";
const std::string kOutText = std::string(kOutOfService) + "=nodeshutdown:NoExecute";

TEST(Taints, LIFE_12_TheShutdownTaintHasNoValue) {
  EXPECT_EQ(after(node({}), Wanted::shutdown), Texts{kShutdownText});
  const Json patch = Json::parse(*taint_patch(node({}), Wanted::shutdown, false));
  EXPECT_EQ(patch["spec"]["taints"][0].size(), 2u) << "neither value nor timeAdded";
}

TEST(Taints, LIFE_14_AnEqualTaintIsNotWritten) {
  EXPECT_EQ(after(node({taint(kShutdown, "NoSchedule")}), Wanted::shutdown), kNoWrite);
  EXPECT_EQ(after(node({taint(kShutdown, "NoSchedule", "old"), taint("b", "NoExecute", "x")}),
                  Wanted::shutdown),
            (Texts{kShutdownText, "b=x:NoExecute"}));
  EXPECT_EQ(after(node({taint(kShutdown, "NoExecute")}), Wanted::shutdown),
            (Texts{std::string(kShutdown) + "=:NoExecute", kShutdownText}))
      << "another effect is another taint";
}

TEST(Taints, LIFE_15_TheLastTaintLeavesNull) {
  EXPECT_EQ(after(node({taint(kShutdown, "NoSchedule")}), Wanted::none), Texts{});
  EXPECT_EQ(
      after(node({taint("a", "NoSchedule"), taint(kShutdown, "NoSchedule", "any")}), Wanted::none),
      Texts{"a=:NoSchedule"});
  EXPECT_EQ(after(node({}), Wanted::none), kNoWrite);
}

TEST(Taints, UnknownMembersOfOthersSurvive) {
  Taint timed = taint("a", "NoExecute");
  timed.json = R"({"key":"a","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"})";
  const auto body = taint_patch(node({timed}), Wanted::shutdown, false);
  EXPECT_NE(body->find("timeAdded"), std::string::npos);
}

TEST(Taints, OutOfServiceComesAndGoesWithShutdown) {
  EXPECT_EQ(after(node({}), Wanted::shutdown_and_out_of_service), (Texts{kShutdownText, kOutText}));
  const NodeState both =
      node({taint(kShutdown, "NoSchedule"), taint(kOutOfService, "NoExecute", "nodeshutdown")});
  EXPECT_EQ(after(both, Wanted::shutdown_and_out_of_service), kNoWrite);
  EXPECT_EQ(after(both, Wanted::shutdown), kNoWrite) << "a restart forgets how often it was seen";
  EXPECT_EQ(after(both, Wanted::none), Texts{});
}

TEST(Taints, SomebodyElsesOutOfServiceTaintStays) {
  const NodeState alone = node({taint(kOutOfService, "NoExecute", "nodeshutdown")});
  EXPECT_EQ(after(alone, Wanted::none), kNoWrite);
  const NodeState other =
      node({taint(kShutdown, "NoSchedule"), taint(kOutOfService, "NoExecute", "burnt")});
  EXPECT_EQ(after(other, Wanted::none), Texts{std::string(kOutOfService) + "=burnt:NoExecute"});
  EXPECT_EQ(after(other, Wanted::shutdown_and_out_of_service), kNoWrite);
}

TEST(Taints, WithoutTheFlagOutOfServiceIsNobodysBusiness) {
  const NodeState both =
      node({taint(kShutdown, "NoSchedule"), taint(kOutOfService, "NoExecute", "nodeshutdown")});
  EXPECT_EQ(after(both, Wanted::none, false), Texts{kOutText});
  EXPECT_EQ(after(node({}), Wanted::shutdown_and_out_of_service, false), Texts{kShutdownText});
}

}  // namespace
}  // namespace ccm::node_lifecycle
