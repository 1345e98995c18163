#include "cloud_fixture.hpp"

namespace sandbox::cloud::testing {
namespace {

class CloudNetwork : public CloudFixture {
 protected:
  void SetUp() override { settings(Json::object()); }

  void settings(const Json& set) { ASSERT_EQ(send("PUT", "/control/settings", set).status, 200); }
  CloudAnswer create(Json members = Json::object()) {
    Json balancer = {{"name", "web"},
                     {"owner", {{"cluster", "c"}, {"service_uid", "u-1"}}},
                     {"ports", Json::array({{{"protocol", "TCP"}, {"port", 80}}})},
                     {"backends", Json::array({"node-0"})}};
    balancer.update(members);
    return send("POST", "/v1/load_balancers", balancer);
  }
  Json all() { return send("GET", "/v1/load_balancers").body.at("load_balancers"); }
  Json by_operation() { return send("GET", "/control/calls").body.at("by_operation"); }
  Json routes() { return send("GET", "/v1/routes").body.at("routes"); }
  Json apply(const Json& remove, const Json& add) {
    return send("POST", "/v1/routes/batch", {{"remove", remove}, {"add", add}}).body.at("results");
  }
  static Json route(const std::string& cidr, const std::string& machine) {
    return {{"destination", cidr}, {"machine_id", machine}, {"owner", "c"}, {"node", machine}};
  }
};

TEST_F(CloudNetwork, ALoadBalancerIsPendingUntilItsTimeHasCome) {
  settings({{"active_ms", 3'600'000}});
  const CloudAnswer created = create();
  EXPECT_EQ(created.status, 202);
  EXPECT_EQ(created.body.at("status"), "pending");
  EXPECT_EQ(created.body.at("addresses"), Json::array());
  EXPECT_GT(created.body.at("ready_in_ms"), 3'000'000);
  EXPECT_EQ(send("POST", "/control/load_balancers/lb-1/activate").status, 200);
  const Json active = send("GET", "/v1/load_balancers/lb-1").body;
  EXPECT_EQ(active.at("status"), "active");
  EXPECT_EQ(active.at("addresses"), Json::array({{{"ip", "198.18.0.2"}}}));
  settings({{"active_ms", 0}});
  EXPECT_EQ(create().body.at("status"), "active");
}

TEST_F(CloudNetwork, APendingOneTellsWhenItIsReadyUnlessToldNotTo) {
  settings({{"active_ms", 3'600'000}});
  EXPECT_GT(create().body.at("ready_in_ms"), 3'500'000);
  settings({{"active_ms", 3'600'000}, {"says_when", 0}});
  EXPECT_FALSE(create().body.contains("ready_in_ms"));
}

TEST_F(CloudNetwork, AddressesFollowFamiliesHostnameAndScope) {
  settings({{"active_ms", 0}});
  EXPECT_EQ(create({{"ip_families", {"IPv6", "IPv4"}}}).body.at("addresses"),
            Json::array({{{"ip", "2001:db8::0:2"}}, {{"ip", "198.18.0.2"}}}));
  EXPECT_EQ(create({{"internal", true}}).body.at("addresses"),
            Json::array({{{"ip", "10.255.0.3"}}}));
  EXPECT_EQ(create({{"hostname", "lb.example"}}).body.at("addresses"),
            Json::array({{{"hostname", "lb.example"}}}));
  EXPECT_EQ(create({{"requested_ip", "192.0.2.7"}}).body.at("addresses"),
            Json::array({{{"ip", "192.0.2.7"}}}));
}

TEST_F(CloudNetwork, TheOwnerMarkFindsIt) {
  create();
  create({{"owner", {{"cluster", "c"}, {"service_uid", "u-2"}}}});
  const Json found =
      send("GET", "/v1/load_balancers?cluster=c&service_uid=u-2").body.at("load_balancers");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at("id"), "lb-2");
  EXPECT_EQ(send("GET", "/v1/load_balancers?cluster=d&service_uid=u-2").body.at("meta").at("total"),
            0);
}

TEST_F(CloudNetwork, UpdatesCountGenerationsAndMayMakeItPendingAgain) {
  settings({{"active_ms", 0}, {"update_ms", 3'600'000}});
  create();
  EXPECT_EQ(send("PUT", "/v1/load_balancers/lb-1/backends", {{"backends", {"node-0"}}})
                .body.at("generation"),
            1);
  const Json changed =
      send("PUT", "/v1/load_balancers/lb-1/backends", {{"backends", {"node-1"}}}).body;
  EXPECT_EQ(changed.at("generation"), 2);
  EXPECT_EQ(changed.at("status"), "pending");
  EXPECT_EQ(changed.at("addresses").size(), 1u);  // it keeps what it has
  EXPECT_EQ(send("PUT", "/v1/load_balancers/lb-1", {{"internal", true}}).body.at("backends"),
            Json::array({"node-1"}));
  EXPECT_EQ(send("PUT", "/v1/load_balancers/lb-9", Json::object()).status, 404);
}

TEST_F(CloudNetwork, DeletionMayTakeItsTime) {
  settings({{"active_ms", 0}, {"delete_ms", 3'600'000}});
  create();
  EXPECT_EQ(send("DELETE", "/v1/load_balancers/lb-1").status, 202);
  EXPECT_EQ(send("GET", "/v1/load_balancers/lb-1").body.at("status"), "deleting");
  settings({{"active_ms", 0}});
  create();
  EXPECT_EQ(send("DELETE", "/v1/load_balancers/lb-2").status, 202);
  EXPECT_EQ(send("DELETE", "/v1/load_balancers/lb-2").status, 404);
}

TEST_F(CloudNetwork, QuotasAreRefusedAsSuch) {
  settings({{"load_balancers", 1}, {"backends", 1}});
  EXPECT_EQ(create({{"backends", {"a", "b"}}}).code(), "quota");
  EXPECT_EQ(create().status, 202);
  EXPECT_EQ(create().code(), "quota");
  EXPECT_EQ(send("GET", "/v1/limits").body.at("load_balancers"), 1);
}

TEST_F(CloudNetwork, WhatCannotBeIsRefused) {
  for (const Json& wrong :
       {Json{{"ports", Json::array()}}, Json{{"ports", {{{"port", 1}}}}}, Json{{"colour", "red"}},
        Json{{"internal", "yes"}}, Json{{"ports", {{{"port", 1}, {"protocol", "SCTP"}}}}},
        Json{{"backends", {5}}}, Json{{"owner", "me"}}}) {
    EXPECT_EQ(create(wrong).status, 422) << wrong;
  }
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(send("PUT", "/control/settings", {{"active_ms", -1}}).status, 400);
  EXPECT_EQ(send("PUT", "/control/settings", {{"colour", 1}}).status, 400);
}

TEST_F(CloudNetwork, LostAnswersAndAnswersWithoutADeed) {
  faults({{"operations", {{"CreateLoadBalancer", "lost"}}}, {"count", 1}});
  EXPECT_EQ(create().status, 504);
  EXPECT_EQ(all().size(), 1u);
  faults({{"operations", {{"DeleteLoadBalancer", "nothing"}}}});
  EXPECT_EQ(send("DELETE", "/v1/load_balancers/lb-1").status, 202);
  EXPECT_EQ(all().size(), 1u);
  faults({{"operations", {{"UpdateBackends", "nothing"}}}});
  EXPECT_EQ(send("PUT", "/v1/load_balancers/lb-1/backends", {{"backends", Json::array()}})
                .body.at("backends")
                .size(),
            0u);
  EXPECT_EQ(all()[0].at("backends").size(), 1u);
  faults({{"operations", {{"CreateLoadBalancer", "nothing"}}}});
  EXPECT_EQ(create().status, 202);
  EXPECT_EQ(all().size(), 1u);
  faults({{"operations", {{"CreateLoadBalancer", "error"}}}, {"status", 429}});
  EXPECT_EQ(create().code(), "rate_limited");
  EXPECT_EQ(faults({{"operations", {{"PaintLoadBalancer", "error"}}}}).status, 400);
  EXPECT_EQ(faults({{"operations", {{"ListRoutes", "sometimes"}}}}).status, 400);
}

TEST_F(CloudNetwork, ChangedAndDeletedByHand) {
  settings({{"active_ms", 0}});
  create();
  EXPECT_EQ(send("PUT", "/control/load_balancers/lb-1", {{"backends", Json::array()}}).status, 200);
  EXPECT_EQ(all()[0].at("backends"), Json::array());
  EXPECT_EQ(all()[0].at("generation"), 2);
  send("PUT", "/control/load_balancers/other", {{"owner", {{"cluster", "x"}}}});
  EXPECT_EQ(all().size(), 2u);
  EXPECT_EQ(send("DELETE", "/control/load_balancers/lb-1").status, 200);
  EXPECT_EQ(send("GET", "/v1/load_balancers/lb-1").status, 404);
  EXPECT_EQ(send("DELETE", "/control/load_balancers/lb-1").status, 404);
  send("DELETE", "/control/load_balancers");
  EXPECT_TRUE(all().empty());
}

TEST_F(CloudNetwork, RoutesAreAppliedInBatches) {
  generate(3);
  EXPECT_EQ(apply(Json::array(), {route("10.0.0.0/24", "node-0"), route("10.0.1.0/24", "node-1"),
                                  route("10.0.2.0/24", "gone"), route("nothing", "node-1")}),
            Json::parse(R"([{"code":"ok"},{"code":"ok"},
                            {"code":"no_machine","message":"no machine gone"},
                            {"code":"invalid","message":"destination has to be a CIDR"}])"));
  EXPECT_EQ(routes().size(), 2u);
  const Json again =
      apply({"r-1", "r-1"}, {route("10.0.1.0/24", "node-1"), route("10.0.1.0/24", "node-2")});
  EXPECT_EQ(again[0].at("code"), "ok");
  EXPECT_EQ(again[1].at("code"), "not_found");
  EXPECT_EQ(again[2].at("code"), "ok");
  EXPECT_EQ(again[3].at("code"), "conflict");
  EXPECT_EQ(by_operation().at("ApplyRoutes"), 2);
}

TEST_F(CloudNetwork, RoutesHaveALimitAndBecomeBlackholes) {
  generate(2);
  settings({{"routes", 1}, {"batch", 2}});
  const Json results =
      apply(Json::array(), {route("10.0.0.0/24", "node-0"), route("10.0.1.0/24", "node-1")});
  EXPECT_EQ(results[1].at("code"), "quota");
  EXPECT_EQ(send("POST", "/v1/routes/batch", {{"remove", {"a", "b", "c"}}}).status, 422);
  EXPECT_FALSE(routes()[0].at("blackhole"));
  send("DELETE", "/control/machines/node-0");
  EXPECT_TRUE(routes()[0].at("blackhole"));
  send("PUT", "/control/routes/by-hand", {{"destination", "10.9.0.0/24"}});
  EXPECT_EQ(routes().size(), 2u);
  EXPECT_EQ(send("DELETE", "/control/routes/by-hand").status, 200);
  EXPECT_EQ(send("DELETE", "/control/routes/by-hand").status, 404);
  faults({{"operations", {{"ApplyRoutes", "nothing"}}}});
  EXPECT_EQ(apply({"r-1"}, Json::array())[0].at("code"), "ok");
  EXPECT_EQ(routes().size(), 1u);
}

}  // namespace
}  // namespace sandbox::cloud::testing
