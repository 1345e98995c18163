#include "app/dry_run/plan.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::app {
namespace {

using nlohmann::json;

TEST(Plan, ARetriedWriteIsOneChange) {
  Plan plan;
  for (const char* body : {R"({"a":1})", R"({"a":2})"}) {
    const auto origin = std::make_shared<plugin::Origin>("service-lb-controller", "default/web",
                                                         plugin::CallPriority::load_balancers);
    plan.withhold({"sandbox", origin, "POST", "http://cloud/load_balancers", body});
  }
  ASSERT_EQ(plan.changes().size(), 1U);
  EXPECT_EQ(plan.changes()[0], (Change{"service-lb-controller",
                                       "default/web",
                                       "POST http://cloud/load_balancers",
                                       {},
                                       R"({"a":2})"}));
  EXPECT_TRUE(plan.cloud_changes("service-lb-controller", "default/web"));
  EXPECT_FALSE(plan.cloud_changes("service-lb-controller", "default/api"));
}

TEST(Plan, WritesOfOneReconcileAreSeveralChanges) {
  Plan plan;
  const auto attempt = [] {
    return std::make_shared<plugin::Origin>("node-route-controller", "routes",
                                            plugin::CallPriority::routes);
  };
  for (const auto& origin : {attempt(), attempt()}) {
    plan.withhold({"cloud", origin, "POST", "http://cloud/routes", R"({"to":"a"})"});
    plan.withhold({"cloud", origin, "POST", "http://cloud/routes", R"({"to":"b"})"});
  }
  ASSERT_EQ(plan.changes().size(), 2U);
  EXPECT_EQ(plan.changes()[0].body, R"({"to":"a"})");
  EXPECT_EQ(plan.changes()[1].body, R"({"to":"b"})");
}

TEST(Plan, occm_1855_WhatAWriteTakesAwayStandsBesideIt) {
  Plan plan;
  const auto origin = std::make_shared<plugin::Origin>("service-lb-controller", "default/web",
                                                       plugin::CallPriority::load_balancers);
  plan.withhold(
      {"cloud", origin, "PUT", "http://cloud/members", "[]", "3 of 3 members go: a, b, c"});
  EXPECT_NE(plan_table(plan.changes(), {}).find("3 of 3 members go: a, b, c   []"),
            std::string::npos)
      << plan_table(plan.changes(), {});
  const json whole = json::parse(plan_json(plan.changes(), {}));
  EXPECT_EQ(whole.at("changes").at(0).at("before"), "3 of 3 members go: a, b, c");
}

TEST(Plan, ACallThatFailsLastIsKnown) {
  Plan plan;
  plan.answered("cloud", "ListMachines", 503);
  plan.answered("cloud", "GetMachine", 404);
  EXPECT_EQ(plan.failing_calls(),
            (std::map<Plan::Pair, unsigned>{{{"cloud", "ListMachines"}, 503}}));
  plan.answered("cloud", "ListMachines", 200);
  EXPECT_TRUE(plan.failing_calls().empty());
}

TEST(Plan, PatchesOfOneObjectAreOneChange) {
  Plan plan;
  plan.note({"c", "o", "patch v1/services/status", {{"/a", "", "1"}}, ""});
  plan.note({"c", "o", "patch v1/services/status", {{"/b", "", "2"}, {"/a", "", "3"}}, ""});
  plan.note({"c", "o", "patch v1/services", {{"/a", "", "4"}}, ""});
  ASSERT_EQ(plan.changes().size(), 2U);
  EXPECT_EQ(plan.changes()[0].fields, (std::vector<FieldChange>{{"/a", "", "3"}, {"/b", "", "2"}}));
}

TEST(Plan, WithoutAnOriginTheComponentIsNamed) {
  Plan plan;
  plan.withhold({"cloud", nullptr, {}, "routes.create", {}});
  EXPECT_EQ(plan.changes().at(0).controller, "cloud");
  EXPECT_EQ(plan.changes().at(0).action, "routes.create");
}

TEST(PlanText, ATableHasARowForEachValue) {
  EXPECT_EQ(plan_table({{"node",
                         "n-1",
                         "patch v1/nodes",
                         {{"/spec/providerID", "", R"("x://1")"}, {"/spec/taints", "[1]", ""}},
                         ""},
                        {"service", "default/web", "POST http://c/lbs", {}, R"({"n":1})"}},
                       {{"service", "default/b", "refused", "port 80 twice", false},
                        {"route", "", "not done", "its caches are not complete", true}}),
            "CONTROLLER   OBJECT        CHANGE                            BEFORE   AFTER\n"
            "node         n-1           patch v1/nodes /spec/providerID   -        x://1\n"
            "node         n-1           patch v1/nodes /spec/taints       [1]      -\n"
            "service      default/web   POST http://c/lbs                 -        {\"n\":1}\n"
            "\n"
            "Left as it is: service default/b is refused: port 80 twice\n"
            "Cannot tell: route is not done: its caches are not complete\n"
            "2 changes\n");
}

TEST(PlanText, WithoutChangesThereIsNoTable) { EXPECT_EQ(plan_table({}, {}), "0 changes\n"); }

TEST(PlanText, ALongValueIsShortenedInTheTableOnly) {
  const std::string body = "\"" + std::string(300, 'x') + "\"";
  const std::vector<Change> changes = {{"c", "o", "POST u", {}, body}};
  EXPECT_LT(plan_table(changes, {}).size(), 300U);
  EXPECT_EQ(json::parse(plan_json(changes, {}))["changes"][0]["body"], std::string(300, 'x'));
}

TEST(PlanText, ValuesAreValuesOfJson) {
  const json plan = json::parse(
      plan_json({{"node", "n-1", "patch v1/nodes", {{"/spec/taints", R"([{"key":"k"}])", ""}}, ""},
                 {"cloud", "", "DELETE u", {}, ""},
                 {"cloud", "", "POST u", {}, "no json"}},
                {{"route", "", "not done", "m", true}}));
  EXPECT_EQ(plan["changes"][0], json::parse(R"({"controller": "node", "object": "n-1",
      "action": "patch v1/nodes",
      "fields": [{"field": "/spec/taints", "before": [{"key": "k"}], "after": null}]})"));
  EXPECT_EQ(plan["changes"][1], json::parse(R"({"controller": "cloud", "action": "DELETE u"})"));
  EXPECT_EQ(plan["changes"][2]["body"], "no json");
  EXPECT_EQ(plan["open"][0], json::parse(R"({"controller": "route", "state": "not done",
      "message": "m", "undetermined": true})"));
}

}  // namespace
}  // namespace ccm::app
