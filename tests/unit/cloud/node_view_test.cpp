#include "cloud/deletion/node_view.hpp"

#include "test_machines.hpp"

#include <gtest/gtest.h>

namespace ccm::cloud {
namespace {

NodeFacts node(const std::string& name, bool ready, std::string provider_id) {
  NodeFacts facts;
  facts.name = name;
  facts.uid = "uid-" + name;
  facts.ready = ready;
  facts.provider_id = std::move(provider_id);
  return facts;
}
NodeFacts node(const std::string& name, bool ready) { return node(name, ready, "cloud://" + name); }
Machine machine(const std::string& name, int32_t state = CCM_INSTANCE_RUNNING) {
  return {name, "cloud://" + name, state};
}

NodeView view(const std::vector<NodeFacts>& nodes, const std::vector<Machine>& machines,
              const std::unordered_set<std::string>& wanted = {},
              const std::vector<std::string>& spare_canaries = {}) {
  const auto snapshot = snapshot_of(machines);
  return view_of({nodes, snapshot.get(), wanted, spare_canaries});
}

TEST(NodeFactsTest, WhoIsToLeaveIsCordonedOrHasAnAutoscalersTaint) {
  const auto leaving = [](const std::string& spec) {
    return facts_of(*kube::Object::decode(R"({"metadata":{"name":"n"},"spec":)" + spec + "}"))
        .leaving;
  };
  EXPECT_TRUE(leaving(R"({"unschedulable":true})"));
  EXPECT_TRUE(leaving(R"({"taints":[{"key":"a"},{"key":"ToBeDeletedByClusterAutoscaler"}]})"));
  EXPECT_TRUE(leaving(R"({"taints":[{"key":"karpenter.sh/disrupted"},{"key":"b"}]})"));
  EXPECT_TRUE(leaving(R"({"taints":[{"key":"karpenter.sh/disruption","value":"disrupting"}]})"));
  for (const char* spec : {"{}", R"({"unschedulable":false})", R"({"unschedulable":"true "})",
                           R"({"taints":[{"key":"DeletionCandidateOfClusterAutoscaler"}]})",
                           R"({"taints":[{"key":"karpenter.sh/disruption","value":"candidate"}]})",
                           R"({"taints":[{"key":"node.kubernetes.io/unreachable"}]})"}) {
    EXPECT_FALSE(leaving(spec)) << spec;
  }
}

TEST(NodeView, ANodeThatIsToLeaveIsAnnouncedOnlyWhileItsInstanceIsMissing) {
  NodeFacts going = node("b", false);
  going.leaving = true;
  NodeFacts staying = node("c", true);
  staying.leaving = true;
  const auto seen = view({node("a", true), going, staying}, {machine("a"), machine("c")});
  EXPECT_EQ(seen.observation.announced, std::unordered_set<std::string>{"uid-b"});
  going.deleting = true;
  EXPECT_TRUE(view({node("a", true), going}, {machine("a")}).observation.absent.empty())
      << "it has a deletionTimestamp";
}

TEST(NodeView, AReadyNodesInstanceIsTheCanary) {
  const auto seen = view({node("a", true), node("b", false)}, {machine("a")});
  EXPECT_TRUE(seen.observation.sighted);
  EXPECT_EQ(seen.observation.known, 2u);
  EXPECT_EQ(seen.observation.absent, std::vector<std::string>{"uid-b"});
  ASSERT_TRUE(seen.canary);
  EXPECT_EQ(seen.canary->provider_id, "cloud://a");
}

TEST(NodeView, ReadyNodesOfWhichNoneIsListedMeanBlind) {
  // The instance of a Node that is not Ready is listed; those that must be there are not.
  const auto seen =
      view({node("a", true), node("b", false), node("c", false)}, {machine("c"), machine("x")});
  EXPECT_FALSE(seen.observation.sighted);
  EXPECT_FALSE(view({node("a", true), node("b", false)}, {}).observation.sighted);
}

TEST(NodeView, AReadyNodesInstanceThatIsTerminatedOrUnclearIsNoCanary) {
  for (const int32_t state : {CCM_INSTANCE_TERMINATED, CCM_INSTANCE_UNKNOWN, CCM_INSTANCE_ABSENT}) {
    const NodeView seen = view({node("a", true), node("b", false)}, {machine("a", state)});
    EXPECT_FALSE(seen.canary) << state;
    // The cloud's word about this very instance.
    EXPECT_EQ(seen.observation.sighted, state == CCM_INSTANCE_TERMINATED) << state;
  }
}

TEST(NodeView, WithoutAnyReadyNodeAnotherNodesInstanceWillDo) {
  EXPECT_TRUE(view({node("a", false), node("b", false)}, {machine("a", CCM_INSTANCE_SHUTDOWN)})
                  .observation.sighted);
}

TEST(NodeView, AnInstanceThatIsNoNodeProvesNothingUnlessItWasSeenBesideANode) {
  const std::vector<NodeFacts> alone{node("a", false)};
  EXPECT_FALSE(view(alone, {machine("x")}).observation.sighted) << "it may be another project";
  const auto before = snapshot_of({machine("a"), machine("x")});
  const auto spare_canaries = pick_spare_canaries(alone, *before);
  EXPECT_EQ(spare_canaries, std::vector<std::string>{"cloud://x"});
  const auto seen = view(alone, {machine("x")}, {}, spare_canaries);
  EXPECT_TRUE(seen.observation.sighted);
  EXPECT_EQ(seen.canary->provider_id, "cloud://x");
  EXPECT_FALSE(view(alone, {machine("y")}, {}, spare_canaries).observation.sighted);
  EXPECT_FALSE(
      view(alone, {machine("x", CCM_INSTANCE_TERMINATED)}, {}, spare_canaries).observation.sighted);
}

TEST(NodeView, WitnessesNeedANodeBesideThemAndASmallCluster) {
  EXPECT_TRUE(pick_spare_canaries({node("a", true)}, *snapshot_of({machine("x")})).empty());
  std::vector<NodeFacts> many;
  for (int i = 0; i < 40; ++i) many.push_back(node("n" + std::to_string(i), true));
  EXPECT_TRUE(pick_spare_canaries(many, *snapshot_of({machine("n0"), machine("x")})).empty());
  EXPECT_TRUE(pick_spare_canaries({node("a", true)}, *snapshot_of({machine("a")})).empty());
  Machine spelled = {"a", "cloud://z/a", CCM_INSTANCE_RUNNING, {}, {"cloud://a"}};
  EXPECT_TRUE(pick_spare_canaries({node("a", true)}, *snapshot_of({spelled})).empty());
}

TEST(NodeView, NodesWithoutAProviderIdSayNothingUnlessTheyAreMeant) {
  const std::vector<NodeFacts> nodes{node("a", true), node("new", false, "")};
  EXPECT_TRUE(view(nodes, {machine("a")}).observation.absent.empty());
  EXPECT_EQ(view(nodes, {machine("a")}, {"uid-new"}).observation.absent,
            std::vector<std::string>{"uid-new"});
}

TEST(NodeView, NodesThatAreBeingDeletedAreLeftOut) {
  auto going = node("b", false);
  going.deleting = true;
  const auto seen = view({node("a", true), going}, {machine("a")});
  EXPECT_TRUE(seen.observation.absent.empty());
  EXPECT_EQ(seen.observation.known, 1u);
}

TEST(NodeView, StandingByName) {
  const NodeFacts unnamed = node("a", false, "");
  EXPECT_EQ(standing_of(unnamed, *snapshot_of({machine("a")})), Standing::exists);
  EXPECT_EQ(standing_of(unnamed, *snapshot_of({})), Standing::absent);
  EXPECT_EQ(standing_of(unnamed, *snapshot_of({machine("a", CCM_INSTANCE_TERMINATED)})),
            Standing::terminated);
  EXPECT_EQ(standing_of(unnamed, *snapshot_of({{"a", "cloud://1", CCM_INSTANCE_TERMINATED},
                                               {"a", "cloud://2", CCM_INSTANCE_RUNNING}})),
            Standing::exists);
  EXPECT_EQ(standing_of(unnamed, *snapshot_of({{"a", "cloud://1"}, {"a", "cloud://2"}})),
            Standing::unclear);
}

TEST(NodeView, FactsOfANode) {
  const auto object = kube::Object::decode(
      R"({"metadata":{"name":"a","uid":"u","annotations":{"cloud-controller-manager/allow-deletion":"true"}},)"
      R"("spec":{"providerID":"cloud://a"},"status":{"conditions":[{"type":"MemoryPressure","status":"False"},)"
      R"({"type":"Ready","status":"Unknown"}]}})");
  const NodeFacts facts = facts_of(*object);
  EXPECT_EQ(facts.name, "a");
  EXPECT_EQ(facts.uid, "u");
  EXPECT_EQ(facts.provider_id, "cloud://a");
  EXPECT_TRUE(facts.released);
  EXPECT_FALSE(facts.ready);
  EXPECT_FALSE(facts.deleting);
  const auto ready = kube::Object::decode(
      R"({"metadata":{"name":"a"},"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
      *kube::FieldSet::of(node_fact_fields()), {});
  EXPECT_TRUE(facts_of(*ready).ready) << "with only the declared fields kept";
}

}  // namespace
}  // namespace ccm::cloud
