#include "network_fixture.hpp"

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::Route;

class RoutesTest : public NetworkTest {
 protected:
  static Route route(const std::string& cidr, const std::string& node) {
    Route route;
    route.destination_cidr = cidr;
    route.target_node = node;
    route.target_provider_id = "sandbox://" + node;
    route.name_hint = node + "-" + cidr;
    return route;
  }
};

TEST_F(RoutesTest, OneBatchIsOneCall) {
  const auto outcome = apply({}, {route("10.0.0.0/24", "node-0"), route("10.0.1.0/24", "node-1")});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_TRUE((*outcome)[0].ok() && (*outcome)[1].ok());
  EXPECT_EQ(take_calls(), (Json{{"ApplyRoutes", 1}}));
  const auto listed = list_routes();
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_TRUE(listed->front().owned);
  EXPECT_EQ(listed->front().target_node, "node-0");
  EXPECT_EQ(listed->front().target_provider_id, "sandbox://node-0");
  const auto changed = apply({listed->front()}, {route("10.0.0.0/24", "node-2")});
  EXPECT_TRUE((*changed)[0].ok() && (*changed)[1].ok());
  EXPECT_EQ(list_routes()->back().target_node, "node-2");
}

TEST_F(RoutesTest, EachChangeHasItsOutcome) {
  settings({{"routes", 1}});
  Route unknown;
  unknown.id = "r-77";
  const auto outcome = apply(
      {unknown},
      {route("10.0.0.0/24", "node-0"), route("10.0.1.0/24", "node-1"), route("10.0.2.0/24", "x")});
  ASSERT_EQ(outcome->size(), 4u);
  EXPECT_TRUE((*outcome)[0].ok());
  EXPECT_TRUE((*outcome)[1].ok());
  EXPECT_EQ((*outcome)[2].error_class(), ErrorClass::quota);
  EXPECT_EQ((*outcome)[3].code(), Code::failed_precondition);
  EXPECT_EQ((*apply({}, {route("10.0.0.0/24", "node-2")}))[0].error_class(), ErrorClass::conflict);
}

TEST_F(RoutesTest, ForeignOnesAndBlackholesAreTold) {
  EXPECT_TRUE(apply({}, {route("10.0.0.0/24", "node-0")}).ok());
  control("PUT", "/routes/theirs", {{"destination", "10.9.0.0/16"}, {"owner", "other"}});
  control("DELETE", "/machines/node-0");
  const auto listed = list_routes();
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_TRUE((*listed)[0].owned);
  EXPECT_TRUE((*listed)[0].blackhole);
  EXPECT_FALSE((*listed)[1].owned);
}

TEST_F(RoutesTest, AListingIsReadToItsEndOrFails) {
  for (int i = 0; i < 250; ++i) {
    control("PUT", "/routes/r-" + std::to_string(i), {{"destination", "10.1.0.0/24"}});
  }
  EXPECT_EQ(list_routes()->size(), 250u);
  EXPECT_EQ(take_calls(), (Json{{"ListRoutes", 2}}));
  fault("ListRoutes", "garbage");
  EXPECT_EQ(list_routes().status().code(), Code::data_loss);
  EXPECT_FALSE(parse_route_page(R"({"routes":[],"meta":{}})", "c").ok());
}

TEST_F(RoutesTest, ARouteToANodeWithoutProviderIdFindsItsMachineByName) {
  Route wanted = route("10.0.0.0/24", "node-1");
  wanted.target_provider_id.clear();
  EXPECT_TRUE((*apply({}, {wanted}))[0].ok());
  EXPECT_EQ(routes()[0].at("machine_id"), "node-1");
}

TEST_F(RoutesTest, AFileHasNone) {
  host.config.change_cloud_config(R"({"machines_file": "machines.json"})");
  host.loop.run();
  EXPECT_EQ(list_routes().status().code(), Code::unimplemented);
  EXPECT_EQ(ensure(service(), {}).status().error_class(), ErrorClass::unsupported);
}

}  // namespace
}  // namespace sandbox
