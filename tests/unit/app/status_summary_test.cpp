// What an operator reads first on /statusz.
#include "app/cloud_events.hpp"
#include "app/status/status_text.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

constexpr const char* kNow = "2026-01-01T01:00:00Z";

StatusJson held(const std::string& node, const char* since) {
  return {{"key", node},
          {"controller", "cloud-node-lifecycle-controller"},
          {"state", "held"},
          {"class", "waiting"},
          {"reason", "DeletionHeld"},
          {"waitsFor",
           "The Node is not deleted: 30 of 60 nodes are missing in the cloud. To let it go now: "
           "kubectl annotate node " +
               node + " cloud-controller-manager/allow-deletion=true"},
          {"unsettledSince", since}};
}

TEST(StatusSummary, Issue42_3_ThirtyHeldNodesAreOneBlockWithOneCommand) {
  StatusJson objects = StatusJson::array();
  std::string names;
  for (int number = 10; number < 40; ++number) {
    const std::string name = "node-" + std::to_string(number);
    objects.push_back(held(name, number == 20 ? "2026-01-01T00:30:00Z" : "2026-01-01T00:59:00Z"));
    names += " " + name;
  }
  const StatusJson groups = groups_json(objects, kNow);
  ASSERT_EQ(groups.size(), 1u) << groups.dump(2);
  const StatusJson& group = groups[0];
  EXPECT_EQ(group["count"], 30);
  EXPECT_EQ(group["for"], "30m");
  EXPECT_EQ(group["keys"].size(), 30u);
  EXPECT_EQ(group["waitsFor"], "The Node is not deleted: 30 of 60 nodes are missing in the cloud")
      << "the words that lead to a command go with it";
  EXPECT_EQ(group["release"],
            "kubectl annotate node" + names + " cloud-controller-manager/allow-deletion=true");
}

TEST(StatusSummary, Issue42_3_CausesAreToldApartAndThoseThatNeedActionComeFirst) {
  StatusJson objects = StatusJson::array();
  for (const char* name : {"web-a", "web-b", "web-c"}) {
    objects.push_back({{"key", std::string("default/") + name},
                       {"controller", "service-lb-controller"},
                       {"state", "waiting"},
                       {"waitsFor", std::string("the load balancer of ") + name}});
  }
  objects.push_back({{"key", "default/shop"},
                     {"controller", "service-lb-controller"},
                     {"state", "refused"},
                     {"class", "quota"},
                     {"waitsFor", "no more load balancers"}});
  const StatusJson groups = groups_json(objects, kNow);
  ASSERT_EQ(groups.size(), 2u) << groups.dump(2);
  EXPECT_EQ(groups[0]["state"], "refused");
  EXPECT_EQ(groups[1]["count"], 3);
  EXPECT_FALSE(groups[1].contains("release"));
}

// Each has another id to permit.
TEST(StatusSummary, Issue42_3_CommandsThatDifferFollowEachOther) {
  StatusJson objects = StatusJson::array();
  for (const char* name : {"a", "b"}) {
    objects.push_back({{"key", std::string("default/") + name},
                       {"controller", "service-lb-controller"},
                       {"state", "held"},
                       {"reason", "ReplacementHeld"},
                       {"waitsFor", std::string("it was replaced; another one is made in a while, "
                                                "or at once after: kubectl annotate service -n "
                                                "default ") +
                                        name + " --overwrite x=lb-" + name}});
  }
  const StatusJson group = groups_json(objects, kNow)[0];
  EXPECT_EQ(group["waitsFor"], "it was replaced; another one is made in a while");
  EXPECT_EQ(group["release"],
            "kubectl annotate service -n default a --overwrite x=lb-a && "
            "kubectl annotate service -n default b --overwrite x=lb-b");
}

TEST(StatusSummary, Issue42_1_ProblemsBeginWithTheCloud) {
  StatusJson status = {
      {"cloud",
       {{"healthy", false},
        {"troubles", {{{"text", "the cloud refuses the credential since 14:03 UTC (401)"}}}},
        {"doubtfulListing", "the list is short"},
        {"replacementsHeld", 2}}},
      {"permissions", {{"missing", {{"route", "get nodes"}}}}},
      {"components", {{{"name", "c"}, {"degraded", true}}}},
      {"brake", {{"nodes", {{"engaged", true}, {"held", 3}}}}},
      {"rejectedConfigurations", {{{"plugin", "p"}, {"file", "f"}, {"reason", "r"}}}},
      {"groups", {{{"state", "held"}, {"count", 3}}, {{"state", "waiting"}, {"count", 9}}}}};
  const StatusJson problems = problems_json(status);
  ASSERT_EQ(problems.size(), 8u) << problems.dump(2);
  EXPECT_EQ(problems[0], "the cloud refuses the credential since 14:03 UTC (401)");
  EXPECT_EQ(problems[1], "the list is short");
  EXPECT_EQ(problems[4], "the deletion brake on nodes holds 3");
  EXPECT_EQ(problems[5], "the creation brake keeps 2 Services from another load balancer");
  EXPECT_EQ(problems[7], "objects that are not settled: 3 held");
  EXPECT_TRUE(problems_json(StatusJson::object()).empty());
}

TEST(WaitingNodes, Issue42_1_ThoseWithTheTaintOfAKubelet) {
  const std::string page = R"({"metadata": {"continue": "next"}, "items": [
    {"metadata": {"name": "done", "uid": "u-0"}, "spec": {"taints": [{"key": "other"}]}},
    {"metadata": {"name": "waits", "uid": "u-1"}, "spec": {"taints":
      [{"key": "node.cloudprovider.kubernetes.io/uninitialized", "effect": "NoSchedule"}]}}]})";
  std::vector<kube::ObjectReference> nodes;
  EXPECT_EQ(add_waiting_nodes(page, 10, nodes), "next");
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].name, "waits");
  EXPECT_EQ(nodes[0].uid, "u-1");
  EXPECT_EQ(add_waiting_nodes(page, 1, nodes), "") << "there are enough";
  EXPECT_EQ(nodes.size(), 1u);
  EXPECT_EQ(add_waiting_nodes("<html>", 10, nodes), "");
}

}  // namespace
}  // namespace ccm::app
