#include "node/labels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::node {
namespace {

Instance machine(const std::string& type, const std::string& zone, const std::string& region,
                 std::vector<Label> labels = {}) {
  Instance instance;
  instance.instance_type = type;
  instance.zone = zone;
  instance.region = region;
  instance.labels = std::move(labels);
  return instance;
}

TEST(Labels, NODE_15_16_17_TypeZoneAndRegionUnderBothNames) {
  const LabelPlan plan = plan_labels({}, machine("small", "eu-1", "eu"));
  EXPECT_EQ(plan.set, (Labels{{"beta.kubernetes.io/instance-type", "small"},
                              {"node.kubernetes.io/instance-type", "small"},
                              {"failure-domain.beta.kubernetes.io/zone", "eu-1"},
                              {"topology.kubernetes.io/zone", "eu-1"},
                              {"failure-domain.beta.kubernetes.io/region", "eu"},
                              {"topology.kubernetes.io/region", "eu"}}));
  EXPECT_TRUE(plan.rejected.empty());
}

TEST(Labels, NODE_15_16_17_TheCloudOverwritesAndEqualOnesAreNotWritten) {
  const Labels existing{{"beta.kubernetes.io/instance-type", "small"},
                        {"node.kubernetes.io/instance-type", "old"},
                        {"topology.kubernetes.io/zone", "other"}};
  const LabelPlan plan = plan_labels(existing, machine("small", "eu-1", ""));
  EXPECT_EQ(plan.set, (Labels{{"node.kubernetes.io/instance-type", "small"},
                              {"failure-domain.beta.kubernetes.io/zone", "eu-1"},
                              {"topology.kubernetes.io/zone", "eu-1"}}));
}

TEST(Labels, NODE_18_EmptyFactsChangeNothing) {
  const Labels existing{{"topology.kubernetes.io/zone", "kept"}};
  EXPECT_TRUE(plan_labels(existing, machine("", "", "")).set.empty());
}

TEST(Labels, NODE_19_AdditionalLabelsOnlyAdd) {
  const Labels existing{{"rack", "1"}, {"same", "x"}};
  const LabelPlan plan = plan_labels(
      existing, machine("", "", "", {{"rack", "2"}, {"same", "x"}, {"example.com/row", "7"}}));
  EXPECT_EQ(plan.set, (Labels{{"example.com/row", "7"}}));
  ASSERT_EQ(plan.rejected.size(), 1U);
  EXPECT_EQ(plan.rejected[0].key, "rack");
  EXPECT_FALSE(plan.rejected[0].invalid);
}

TEST(Labels, NODE_19_KeysOfKubernetesAreDropped) {
  for (const char* key : {"kubernetes.io/x", "k8s.io/x", "node.kubernetes.io/x", "a.b.k8s.io/x"}) {
    EXPECT_TRUE(is_kubernetes_key(key)) << key;
    const LabelPlan plan = plan_labels({}, machine("", "", "", {{key, "v"}}));
    EXPECT_TRUE(plan.set.empty()) << key;
    ASSERT_EQ(plan.rejected.size(), 1U) << key;
    EXPECT_FALSE(plan.rejected[0].invalid) << key;
  }
  for (const char* key :
       {"mykubernetes.io/x", "kubernetes.io", "k8s.iox/x", "example.com/k8s.io"}) {
    EXPECT_FALSE(is_kubernetes_key(key)) << key;
  }
}

TEST(Labels, TRAP_32_WhatTheServerWouldRefuseIsLeftOut) {
  const std::string long_value(64, 'a');
  const LabelPlan plan = plan_labels(
      {}, machine(long_value, "has space", "eu", {{"bad key", "v"}, {"k", "-v"}, {"ok", ""}}));
  EXPECT_EQ(plan.set, (Labels{{"failure-domain.beta.kubernetes.io/region", "eu"},
                              {"topology.kubernetes.io/region", "eu"},
                              {"ok", ""}}));
  ASSERT_EQ(plan.rejected.size(), 4U);
  for (const RejectedLabel& label : plan.rejected) EXPECT_TRUE(label.invalid) << label.key;
}

TEST(Labels, TRAP_35_NothingIsEverRemoved) {
  const Labels existing{{"node.kubernetes.io/instance-type", "old"}, {"from-cloud", "1"}};
  const LabelPlan plan = plan_labels(existing, machine("", "", ""));
  EXPECT_TRUE(plan.set.empty());
}

TEST(Labels, NODE_28_OnlyWhatTheNodeHasFollowsTheInstance) {
  const Labels existing{{"node.kubernetes.io/instance-type", "old"},
                        {"failure-domain.beta.kubernetes.io/zone", "a"},
                        {"topology.kubernetes.io/zone", "a"}};
  const Labels type{{"beta.kubernetes.io/instance-type", "new"},
                    {"node.kubernetes.io/instance-type", "new"}};
  for (const bool topology : {false, true}) {
    const auto changed =
        changed_labels(existing, machine("new", "a", "eu", {{"team", "red"}}), topology);
    EXPECT_EQ(changed.set, type);
    EXPECT_TRUE(changed.differing.empty());
    EXPECT_TRUE(changed_labels(existing, machine("", "has space", ""), topology).set.empty());
    EXPECT_TRUE(changed_labels(existing, machine("", "has space", ""), topology).differing.empty());
    EXPECT_TRUE(changed_labels({}, machine("new", "a", "eu"), topology).set.empty());
  }
}

TEST(Labels, NODE_28_ZoneAndRegionAreOverwrittenOnlyWhenAskedFor) {
  const Labels existing{{"failure-domain.beta.kubernetes.io/zone", "a"},
                        {"topology.kubernetes.io/zone", "a"},
                        {"topology.kubernetes.io/region", "eu"}};
  const auto changed = changed_labels(existing, machine("", "b", "us"), false);
  EXPECT_TRUE(changed.set.empty());
  EXPECT_EQ(changed.differing, (Labels{{"failure-domain.beta.kubernetes.io/zone", "b"},
                                       {"topology.kubernetes.io/zone", "b"},
                                       {"topology.kubernetes.io/region", "us"}}));
  const auto same = changed_labels(existing, machine("", "a", "eu"), false);
  EXPECT_TRUE(same.set.empty() && same.differing.empty()) << "a missing name contradicts nothing";
  const auto all = changed_labels(existing, machine("", "b", "us"), true);
  EXPECT_TRUE(all.differing.empty());
  EXPECT_EQ(all.set.size(), 4U);
}

struct RepairCase {
  Labels existing;
  Labels repaired;
};

TEST(Labels, NODE_40_41_42_TRAP_31_BetaNamesAreTheTruth) {
  const std::vector<RepairCase> cases{
      {{}, {}},
      {{{"topology.kubernetes.io/zone", "a"}}, {}},  // never copied back
      {{{"failure-domain.beta.kubernetes.io/zone", "a"}}, {{"topology.kubernetes.io/zone", "a"}}},
      {{{"failure-domain.beta.kubernetes.io/zone", "a"}, {"topology.kubernetes.io/zone", "b"}},
       {{"topology.kubernetes.io/zone", "a"}}},
      {{{"failure-domain.beta.kubernetes.io/zone", "a"}, {"topology.kubernetes.io/zone", "a"}}, {}},
      {{{"failure-domain.beta.kubernetes.io/region", "r"}},
       {{"topology.kubernetes.io/region", "r"}}},
      {{{"beta.kubernetes.io/instance-type", "t"}, {"node.kubernetes.io/instance-type", ""}},
       {{"node.kubernetes.io/instance-type", "t"}}},
  };
  for (const RepairCase& each : cases) {
    EXPECT_EQ(repaired_labels(each.existing), each.repaired)
        << ::testing::PrintToString(each.existing);
  }
}

}  // namespace
}  // namespace ccm::node
