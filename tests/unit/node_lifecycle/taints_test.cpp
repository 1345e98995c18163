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
std::vector<std::string> after(const NodeState& state, Wanted wanted) {
  const auto body = taint_patch(state, wanted);
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
  const Json patch = Json::parse(*taint_patch(node({}), Wanted::shutdown));
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
  const auto body = taint_patch(node({timed}), Wanted::shutdown);
  EXPECT_NE(body->find("timeAdded"), std::string::npos);
}

// Whether the patch leaves the mark.
bool marked(const NodeState& state, Wanted wanted) {
  const auto body = taint_patch(state, wanted);
  if (!body) return state.marked;
  const Json metadata = Json::parse(*body)["metadata"];
  if (!metadata.contains("annotations")) return state.marked;
  return metadata["annotations"][kOutOfServiceMark] == "true";
}

NodeState with_mark(NodeState state) {
  state.marked = true;
  return state;
}

// No flag is asked about: it may have been switched off since.
TEST(Taints, OutOfServiceComesAndGoesWithItsMark) {
  EXPECT_EQ(after(node({}), Wanted::shutdown_and_out_of_service), (Texts{kShutdownText, kOutText}));
  EXPECT_TRUE(marked(node({}), Wanted::shutdown_and_out_of_service));
  EXPECT_FALSE(marked(node({}), Wanted::shutdown));
  const NodeState both = with_mark(
      node({taint(kShutdown, "NoSchedule"), taint(kOutOfService, "NoExecute", "nodeshutdown")}));
  EXPECT_EQ(after(both, Wanted::shutdown_and_out_of_service), kNoWrite);
  EXPECT_EQ(after(both, Wanted::shutdown), kNoWrite) << "a restart forgets how often it was seen";
  EXPECT_EQ(after(both, Wanted::none), Texts{});
  EXPECT_FALSE(marked(both, Wanted::none));
  const NodeState alone = with_mark(node({taint(kOutOfService, "NoExecute", "nodeshutdown")}));
  EXPECT_EQ(after(alone, Wanted::none), Texts{}) << "another manager took the first one off";
  EXPECT_FALSE(marked(with_mark(node({})), Wanted::none)) << "a mark does not stay alone";
}

TEST(Taints, SomebodyElsesOutOfServiceTaintStays) {
  const NodeState alone = node({taint(kOutOfService, "NoExecute", "nodeshutdown")});
  EXPECT_EQ(after(alone, Wanted::none), kNoWrite);
  EXPECT_EQ(after(alone, Wanted::shutdown_and_out_of_service), (Texts{kOutText, kShutdownText}));
  EXPECT_FALSE(marked(alone, Wanted::shutdown_and_out_of_service)) << "it was there";
  const NodeState both =
      node({taint(kShutdown, "NoSchedule"), taint(kOutOfService, "NoExecute", "nodeshutdown")});
  EXPECT_EQ(after(both, Wanted::none), Texts{kOutText});
  const NodeState other =
      with_mark(node({taint(kShutdown, "NoSchedule"), taint(kOutOfService, "NoExecute", "burnt")}));
  EXPECT_EQ(after(other, Wanted::none), Texts{std::string(kOutOfService) + "=burnt:NoExecute"});
  EXPECT_EQ(after(other, Wanted::shutdown_and_out_of_service), kNoWrite);
}

}  // namespace
}  // namespace ccm::node_lifecycle
