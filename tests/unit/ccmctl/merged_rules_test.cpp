// The rules of several subjects as those of one role.
#include "ccmctl/rights/merged_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ccm::ctl {
namespace {

using plugin_files::RbacRule;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

RbacRule rule(std::vector<std::string> resources, std::vector<std::string> verbs,
              std::vector<std::string> names = {}, std::string group = "") {
  return {{std::move(group)}, std::move(resources), std::move(verbs), std::move(names)};
}

TEST(MergedRules, RulesOfOneThingAreMergedAndSorted) {
  const auto merged = merge_rules({{"b", {rule({"services", "nodes"}, {"watch", "list"})}},
                                   {"a",
                                    {rule({"nodes"}, {"delete", "get"}),
                                     rule({"leases"}, {"create"}, {}, "coordination.k8s.io")}}});
  ASSERT_THAT(merged, SizeIs(3));
  EXPECT_THAT(merged[0].rule.resources, ElementsAre("nodes"));
  EXPECT_THAT(merged[0].rule.verbs, ElementsAre("get", "list", "watch", "delete"));
  EXPECT_THAT(merged[0].subjects, ElementsAre("b", "a"));
  EXPECT_THAT(merged[1].rule.resources, ElementsAre("services"));
  EXPECT_THAT(merged[1].rule.verbs, ElementsAre("list", "watch"));
  EXPECT_THAT(merged[1].subjects, ElementsAre("b"));
  EXPECT_THAT(merged[2].rule.api_groups, ElementsAre("coordination.k8s.io"));
}

// Two verbs on two resources are four permissions; one verb on each is two, and stays two.
TEST(MergedRules, NothingWiderThanAskedForIsGranted) {
  const std::vector<RbacRule> asked = {rule({"nodes"}, {"get"}), rule({"services"}, {"patch"}),
                                       rule({"configmaps"}, {"get"}, {"one", "two"})};
  std::vector<RbacRule> granted;
  for (const MergedRule& merged : merge_rules({{"a", asked}})) granted.push_back(merged.rule);
  EXPECT_EQ(access::permissions_of(granted), access::permissions_of(asked));
}

TEST(MergedRules, NamedObjectsStayNamed) {
  const auto merged = merge_rules(
      {{"a",
        {rule({"secrets"}, {"get"}, {"two"}), rule({"secrets"}, {"get", "watch"}, {"one"}),
         rule({"secrets"}, {"get"}, {"three"})}}});
  ASSERT_THAT(merged, SizeIs(2));
  EXPECT_THAT(merged[0].rule.resource_names, ElementsAre("three", "two"));
  EXPECT_THAT(merged[0].rule.verbs, ElementsAre("get"));
  EXPECT_THAT(merged[1].rule.resource_names, ElementsAre("one"));
}

TEST(MergedRules, WhatIsGrantedForAllIsNotRepeatedForNames) {
  const auto merged = merge_rules(
      {{"a", {rule({"secrets"}, {"get", "list"})}}, {"b", {rule({"secrets"}, {"get"}, {"one"})}}});
  ASSERT_THAT(merged, SizeIs(1));
  EXPECT_THAT(merged[0].rule.resource_names, IsEmpty());
  EXPECT_THAT(merged[0].subjects, ElementsAre("a", "b"));
}

TEST(MergedRules, AWildcardStandsAlone) {
  const auto merged = merge_rules({{"a", {rule({"nodes"}, {"get", "*"})}}});
  ASSERT_THAT(merged, SizeIs(1));
  EXPECT_THAT(merged[0].rule.verbs, ElementsAre("*"));
}

TEST(MergedRules, WhatOneSubjectNeedsIsNotOptional) {
  RbacRule liked = rule({"nodes"}, {"get", "list"});
  liked.optional = true;
  const auto merged = merge_rules({{"a", {liked}}, {"b", {rule({"nodes"}, {"get"})}}});
  ASSERT_THAT(merged, SizeIs(1));
  EXPECT_FALSE(merged[0].rule.optional);
  EXPECT_TRUE(merge_rules({{"a", {liked}}})[0].rule.optional);
}

}  // namespace
}  // namespace ccm::ctl
