#include "provider_fixture.hpp"

#include <ccm/routes.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::aws {
namespace {

class AwsRoutesTest : public AwsProviderTest {
 protected:
  AwsRoutesTest() {
    add_table("rtb-1");
    cloud.add_machine(1);
  }
  aws_api::Table& add_table(const std::string& id) {
    aws_api::Table& table = cloud.tables.emplace_back();
    table.id = id;
    table.tags["kubernetes.io/cluster/c1"] = "owned";
    table.routes.push_back({"10.0.0.0/16", {}, {}, "local"});
    return table;
  }
  std::vector<Route> listed() {
    const auto table = provider->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
    const auto routes = provider->finish(
        provider->start("list_routes", ccm::Routes::List{table, provider->ctx(), "kubernetes"}));
    EXPECT_TRUE(routes.ok()) << routes.status().message();
    return routes.ok() ? *routes : std::vector<Route>();
  }
  std::vector<Status> applied(std::vector<Route> removals, std::vector<Route> additions) {
    const auto table = provider->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
    const auto statuses = provider->finish(provider->start(
        "apply_routes", ccm::Routes::Apply{table, provider->ctx(), "kubernetes",
                                           std::move(removals), std::move(additions)}));
    EXPECT_TRUE(statuses.ok()) << statuses.status().message();
    return statuses.ok() ? *statuses : std::vector<Status>();
  }
  static Route to(int number, const std::string& destination) {
    Route route;
    route.destination_cidr = destination;
    route.target_node = "node-" + std::to_string(number);
    std::string digits = std::to_string(number);
    digits.insert(0, 17 - digits.size(), '0');
    route.target_provider_id = "aws:///us-east-1a/i-" + digits;
    return route;
  }
  static const Route* find(const std::vector<Route>& routes, const std::string& destination) {
    for (const Route& route : routes) {
      if (route.destination_cidr == destination) return &route;
    }
    return nullptr;
  }
};

TEST_F(AwsRoutesTest, AWS_17_118_TablesWithTheOldTagAlone) {
  cloud.tables.back().tags = {{"KubernetesCluster", "c1"}};
  add_table("rtb-2").tags = {{"KubernetesCluster", "other"}};
  start();
  for (const Status& status : applied({}, {to(1, "10.244.1.0/24")})) {
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(cloud.table("rtb-1")->routes.size(), 2U);
  EXPECT_EQ(cloud.table("rtb-2")->routes.size(), 1U) << "another cluster's";
}

TEST_F(AwsRoutesTest, AWS_121_123_126_148_ARouteOfEachFamily) {
  start();
  for (const Status& status : applied({}, {to(1, "10.244.1.0/24"), to(1, "fd00:244:0:1::/64")})) {
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_FALSE(cloud.machines[0].cards[0].source_dest_check);
  const auto routes = listed();
  ASSERT_EQ(routes.size(), 3u);
  for (const char* destination : {"10.244.1.0/24", "fd00:244:0:1::/64"}) {
    const Route* route = find(routes, destination);
    ASSERT_NE(route, nullptr) << destination;
    EXPECT_TRUE(route->owned);
    EXPECT_EQ(route->target_provider_id, "aws:///us-east-1a/i-00000000000000001");
  }
  EXPECT_FALSE(find(routes, "10.0.0.0/16")->owned);
  cloud.clear_journal();
  host.loop.advance(std::chrono::minutes(1));
  EXPECT_TRUE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  EXPECT_EQ(cloud.calls("CreateRoute") + cloud.calls("ModifyInstanceAttribute"), 0u)
      << "nothing is written that is so already";
}

TEST_F(AwsRoutesTest, AWS_153_AnInstanceWithSeveralCards) {
  cloud.machines[0].cards.push_back({"eni-second", 1, true, {"10.0.9.1"}, {}});
  start();
  EXPECT_TRUE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  EXPECT_EQ(cloud.tables[0].routes.back().card, "eni-00000000000000001");
  EXPECT_FALSE(cloud.machines[0].cards[0].source_dest_check);
  EXPECT_TRUE(cloud.machines[0].cards[1].source_dest_check);
}

TEST_F(AwsRoutesTest, AWS_119_120_122_124_134_WhoseRoutes) {
  cloud.add_machine(2).tags.clear();
  auto& routes = cloud.tables[0].routes;
  routes.push_back({"10.244.7.0/24", cloud.machines[1].id, "eni-x", {}});  // a stranger's instance
  routes.push_back({"10.244.8.0/24", {}, {}, "igw-1"});                    // a gateway
  routes.push_back({"10.244.9.0/24", {}, "eni-gone", {}, true});           // a machine that is gone
  routes.push_back({"192.168.0.0/24", {}, "eni-gone", {}, true});          // the same elsewhere
  routes.push_back({"192.168.1.0/24", cloud.machines[0].id, "eni-y", {}});  // outside of the ranges
  start();
  const auto all = listed();
  ASSERT_EQ(all.size(), 6u);
  for (const Route& route : all) {
    EXPECT_EQ(route.owned, route.destination_cidr == "10.244.9.0/24") << route.id;
  }
  const auto statuses = applied({*find(all, "10.244.9.0/24"), *find(all, "10.244.7.0/24")}, {});
  EXPECT_TRUE(statuses[0].ok());
  EXPECT_EQ(statuses[1].reason(), CCM_REASON_NOT_OWNED);
  EXPECT_EQ(cloud.tables[0].routes.size(), 5u);
  EXPECT_EQ(applied({}, {to(1, "10.244.8.0/24")}).front().reason(), "RouteConflict");
}

TEST_F(AwsRoutesTest, AWS_126_ARangeThatMovesIsNeverWithoutARoute) {
  cloud.add_machine(2);
  start();
  EXPECT_TRUE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  const auto all = listed();
  const auto statuses = applied({*find(all, "10.244.1.0/24")}, {to(2, "10.244.1.0/24")});
  EXPECT_TRUE(statuses[0].ok() && statuses[1].ok());
  EXPECT_EQ(cloud.calls("ReplaceRoute"), 1u);
  EXPECT_EQ(cloud.calls("DeleteRoute"), 0u);
  EXPECT_EQ(cloud.tables[0].routes.back().instance, cloud.machines[1].id);
}

TEST_F(AwsRoutesTest, AWS_118_ATableForEachZone) {
  add_table("rtb-2");
  start();
  EXPECT_TRUE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  EXPECT_EQ(cloud.tables[0].routes.size() + cloud.tables[1].routes.size(), 4u);
  cloud.tables[1].routes.pop_back();
  EXPECT_EQ(find(listed(), "10.244.1.0/24")->target_provider_id, "") << "one table lacks it";
  EXPECT_TRUE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  EXPECT_EQ(find(listed(), "10.244.1.0/24")->target_provider_id,
            "aws:///us-east-1a/i-00000000000000001");
}

TEST_F(AwsRoutesTest, AWS_15_ATableThatIsNamedIsTheOnlyOne) {
  aws_api::Table& named = add_table("rtb-named");
  named.tags.clear();
  host.config.set_cloud_config(
      "[Global]\nRegion = us-east-1\nVPC = vpc-1\nKubernetesClusterID = c1\n"
      "RouteTableID = rtb-named\n");
  start();
  EXPECT_TRUE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  EXPECT_EQ(cloud.table("rtb-1")->routes.size(), 1u);
  EXPECT_EQ(cloud.table("rtb-named")->routes.size(), 2u);
  EXPECT_NE(find(listed(), "10.244.1.0/24"), nullptr);
}

TEST_F(AwsRoutesTest, OneTableKeepsNoOtherFromItsRoute) {
  add_table("rtb-2");
  add_table("rtb-3");
  cloud.tables[0].routes.push_back({"10.244.1.0/24", {}, {}, "igw-1"});
  start();
  const Status outcome = applied({}, {to(1, "10.244.1.0/24")}).front();
  EXPECT_EQ(outcome.reason(), "RouteConflict") << outcome.message();
  EXPECT_NE(outcome.message().find("rtb-1"), std::string::npos);
  for (const char* id : {"rtb-2", "rtb-3"}) {
    EXPECT_EQ(cloud.table(id)->routes.back().instance, cloud.machines[0].id) << id;
  }
  // Away from those that let it go, whatever one of them says.
  host.loop.advance(std::chrono::minutes(1));
  const Route* route = nullptr;
  const auto all = listed();
  for (const Route& each : all) {
    if (each.owned && each.destination_cidr == "10.244.1.0/24") route = &each;
  }
  ASSERT_NE(route, nullptr);
  cloud.faults.push_back({"DeleteRoute", 1, 400, "IncorrectState", "not now"});
  EXPECT_EQ(applied({*route}, {}).front().reason(), "IncorrectState");
  EXPECT_EQ(cloud.calls("DeleteRoute"), 2U);
}

TEST_F(AwsRoutesTest, AnInstanceThatIsNotTheClustersIsLeftAlone) {
  cloud.add_machine(2).tags.clear();                               // a bastion, say
  cloud.add_machine(3).vpc = "vpc-of-another";                     // with the tag, elsewhere
  cloud.add_machine(4).tags = {{"KubernetesCluster", "c1"}};       // the old tag counts
  cloud.add_machine(5).tags = {{"KubernetesCluster", "another"}};  // another cluster's
  cloud.add_machine(6).tags = {{"kubernetes.io/cluster/c2", "owned"}};
  start();
  const auto statuses =
      applied({}, {to(2, "10.244.2.0/24"), to(3, "10.244.3.0/24"), to(4, "10.244.4.0/24"),
                   to(5, "10.244.5.0/24"), to(6, "10.244.6.0/24")});
  ASSERT_EQ(statuses.size(), 5U);
  for (const size_t i : {0, 1, 3, 4}) {
    EXPECT_EQ(statuses[i].reason(), "InstanceNotOfCluster") << i;
    EXPECT_EQ(statuses[i].error_class(), ErrorClass::waiting) << "until somebody tags it";
    EXPECT_TRUE(cloud.machines[i + 1].cards[0].source_dest_check) << i;
  }
  EXPECT_TRUE(statuses[2].ok()) << statuses[2].message();
  EXPECT_EQ(cloud.tables[0].routes.size(), 2U);
  EXPECT_EQ(cloud.calls("ModifyInstanceAttribute") + cloud.calls("CreateRoute"), 2U);
}

TEST_F(AwsRoutesTest, AWS_125_AFullTable) {
  cloud.most_routes = 1;
  start();
  EXPECT_EQ(applied({}, {to(1, "10.244.1.0/24")}).front().error_class(), ErrorClass::quota);
}

TEST_F(AwsRoutesTest, AWS_36_ABatchEndsWhenAwsThrottles) {
  for (int i = 2; i <= 40; ++i) cloud.add_machine(i);
  start();
  std::vector<Route> additions;
  for (int i = 1; i <= 40; ++i) additions.push_back(to(i, "10.244." + std::to_string(i) + ".0/24"));
  cloud.faults.push_back({"CreateRoute", 1'000});
  const auto table = provider->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  const auto statuses = provider->finish(provider->start(
      "apply_routes",
      ccm::Routes::Apply{table, provider->ctx(), "kubernetes", {}, std::move(additions)}));
  EXPECT_EQ(statuses.status().error_class(), ErrorClass::throttled);
  EXPECT_LE(cloud.calls("CreateRoute"), 12u) << "four at once, three tries of each";
}

TEST_F(AwsRoutesTest, ALostAnswerLeavesOneRoute) {
  start();
  cloud.faults.push_back({"CreateRoute", 1, 0, "", "", true});
  EXPECT_FALSE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  EXPECT_TRUE(applied({}, {to(1, "10.244.1.0/24")}).front().ok());
  EXPECT_EQ(cloud.tables[0].routes.size(), 2u);
}

}  // namespace
}  // namespace ccm::aws
