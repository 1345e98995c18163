#include "access/access_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ccm::access {
namespace {

using plugin_files::ComponentKind;
using plugin_files::Manifest;
using plugin_files::RbacRule;
using testing::SizeIs;

RbacRule rule(std::vector<std::string> resources, std::vector<std::string> verbs,
              std::vector<std::string> names = {}, std::string group = "") {
  return {{std::move(group)}, std::move(resources), std::move(verbs), std::move(names)};
}

std::string texts(const std::vector<RbacRule>& rules, std::string_view namespace_name = {}) {
  const Permissions permissions = permissions_of(rules, namespace_name);
  return "needs: " + to_string(permissions.needed) +
         "; optional: " + to_string(permissions.optional);
}

TEST(AccessRules, RBAC_3_4_22_TheHostAsksForEventsEverywhereAndItsOwnLease) {
  EXPECT_EQ(texts(host_rules(false)), "needs: ; optional: create, patch events");
  EXPECT_EQ(texts(host_rules(true)), "needs: list, watch nodes; optional: create, patch events");
  EXPECT_EQ(texts(lease_rules({"ccm"}), "kube-system"),
            "needs: create leases.coordination.k8s.io in namespace kube-system; "
            "get, update leases.coordination.k8s.io \"ccm\" in namespace kube-system; "
            "optional: watch leases.coordination.k8s.io \"ccm\" in namespace kube-system");
}

TEST(AccessRules, HOST_151_TheHostAsksForItsLeaseCandidate) {
  EXPECT_EQ(texts(lease_candidate_rules(), "kube-system"),
            "needs: create, get, update leasecandidates.coordination.k8s.io in namespace "
            "kube-system; optional: delete, watch leasecandidates.coordination.k8s.io in "
            "namespace kube-system");
}

TEST(AccessRules, RBAC_9_10_TheHostAsksForTokensOfTheAccounts) {
  EXPECT_EQ(texts(token_rules({"a-controller", "b-controller"}), "kube-system"),
            "needs: create serviceaccounts/token \"a-controller\" in namespace kube-system; "
            "create serviceaccounts/token \"b-controller\" in namespace kube-system; "
            "optional: create serviceaccounts in namespace kube-system");
}

// A provider's plugin that has controllers, too.
TEST(AccessRules, HOST_129_132_ControllersHaveAccountsAndTheProgramFillsTheCaches) {
  Manifest manifest;
  manifest.components = {{ComponentKind::provider, "cloud", {}, "cloud"},
                         {ComponentKind::controller, "tags", {}, "tag-controller"},
                         {ComponentKind::controller, "idle", {}, "idle-controller"}};
  manifest.rbac = {rule({"nodes"}, {"list", "watch", "patch"}), rule({"events"}, {"create"})};
  const auto controller = rules_by_account(manifest, {"tags"});
  ASSERT_THAT(controller, SizeIs(2));
  EXPECT_EQ(texts(controller.at("tag-controller")),
            "needs: create events; list, patch, watch nodes; optional: ");
  EXPECT_EQ(texts(controller.at("")), "needs: list, watch nodes; optional: ");
  const auto both = rules_by_account(manifest, {"cloud", "tags"});
  EXPECT_EQ(texts(both.at("")), texts(both.at("tag-controller")));
  EXPECT_EQ(to_string(Permission{"get", "", "nodes", "", "", "tag-controller"}),
            "get nodes as system:serviceaccount:kube-system:tag-controller");
}

TEST(AccessRules, HOST_132_ARightOfOneControllerCountsWithThatOneAlone) {
  Manifest manifest;
  manifest.components = {{ComponentKind::provider, "cloud", {}, "cloud"},
                         {ComponentKind::controller, "tags", {}, "tag-controller"}};
  manifest.rbac = {rule({"events"}, {"create"}), rule({"nodes"}, {"watch", "patch"})};
  manifest.rbac.back().controllers = {"tags"};
  EXPECT_EQ(texts(rules_of(manifest, {"cloud"})), "needs: create events; optional: ");
  EXPECT_EQ(texts(rules_of(manifest, {"cloud", "tags"})),
            "needs: create events; patch, watch nodes; optional: ");
  const auto accounts = rules_by_account(manifest, {"cloud", "tags"});
  EXPECT_EQ(texts(accounts.at("")), "needs: create events; watch nodes; optional: ");
  EXPECT_EQ(texts(accounts.at("tag-controller")),
            "needs: create events; patch, watch nodes; optional: ");
}

TEST(AccessRules, WhatOneRuleNeedsIsNotOptionalByAnother) {
  RbacRule liked = rule({"nodes"}, {"get", "list"});
  liked.optional = true;
  Permissions all = permissions_of({liked, rule({"nodes"}, {"list"})});
  EXPECT_EQ(to_string(all.needed), "list nodes");
  EXPECT_EQ(to_string(all.optional), "get nodes");
  add_permissions(all, permissions_of({rule({"nodes"}, {"get"})}));
  EXPECT_EQ(to_string(all.needed), "list, get nodes");
  EXPECT_TRUE(all.optional.empty());
}

TEST(AccessRules, RBAC_6_7_8_TheEndpointsRightsAreOptional) {
  EXPECT_EQ(texts(authentication_rules()),
            "needs: ; optional: create tokenreviews.authentication.k8s.io");
  EXPECT_EQ(texts(authorization_rules()),
            "needs: ; optional: create subjectaccessreviews.authorization.k8s.io");
  EXPECT_EQ(texts(cluster_trust_rules(), "kube-system"),
            "needs: ; optional: get, list, watch configmaps \"extension-apiserver-authentication\" "
            "in namespace kube-system");
}

TEST(AccessRules, TheHostComparesNodesWithInstancesOnlyOfACloudThatHasSome) {
  Manifest manifest;
  manifest.components.push_back({ComponentKind::provider, "cloud", {}, "", true, {}, {}});
  EXPECT_FALSE(offers_instances(manifest, "cloud"));
  manifest.components[0].interfaces = {"ccm.cloud.instances/1"};
  EXPECT_TRUE(offers_instances(manifest, "cloud"));
  EXPECT_FALSE(offers_instances(manifest, "other"));
}

}  // namespace
}  // namespace ccm::access
