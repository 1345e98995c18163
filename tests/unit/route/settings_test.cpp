#include "route/settings.hpp"

#include "route_fixture.hpp"

namespace ccm::route {
namespace {

class SettingsTest : public RouteTest {
 protected:
  void expect_error(const std::string& cluster_cidr, const std::string& part) {
    host.config.set_flag("cluster-cidr", cluster_cidr);
    const Status status = setup();
    EXPECT_EQ(status.code(), Code::invalid_argument) << cluster_cidr;
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("--configure-cloud-routes=false"), std::string::npos);
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
  }
};

TEST_F(SettingsTest, ROUTE_1_OffMeansSkipped) {
  host.config.set_flag("configure-cloud-routes", "false");
  host.config.set_flag("cluster-cidr", "nonsense");
  const Status status = setup();
  EXPECT_EQ(status.code(), Code::unimplemented);
  EXPECT_NE(status.message().find("--configure-cloud-routes"), std::string::npos);
}

TEST_F(SettingsTest, ROUTE_1_AProviderWithoutRoutesMeansSkippedEvenWithoutARange) {
  host.hide(CCM_CLOUD_ROUTES);
  host.config.set_flag("cluster-cidr", "");
  EXPECT_EQ(setup().code(), Code::unimplemented);
}

TEST_F(SettingsTest, ROUTE_2_TRAP_1_WithoutARangeThereIsOneClearLine) {
  expect_error("", "--cluster-cidr is empty");
  expect_error(" ", "--cluster-cidr is empty");
  expect_error("10.244.0.0", "\"10.244.0.0\" is no address range");
  expect_error("10.244.0.0/16, fd00::/48", "\" fd00::/48\" is no address range");
}

TEST_F(SettingsTest, ROUTE_3_MoreThanOneRangeIsOneOfEachFamily) {
  expect_error("10.244.0.0/16,10.245.0.0/16", "one is IPv4 and one is IPv6");
  expect_error("10.244.0.0/16,fd00::/48,fd01::/48", "one is IPv4 and one is IPv6");
  for (const char* text : {"10.244.0.0/16", " fd00::/48,010.244.0.0/16 ", "fd00::/48"}) {
    host.config.set_flag("cluster-cidr", text);
    EXPECT_TRUE(setup().ok()) << text;
  }
}

TEST_F(SettingsTest, HOST_33_ThePeriodIsThatOfTheFlag) {
  host.config.set_flag("route-reconciliation-period", "1m30s");
  start();
  host.routes.clear_calls();
  controller->advance(milliseconds(89'000));
  EXPECT_TRUE(host.routes.calls().empty());
  controller->advance(milliseconds(1'000));
  EXPECT_EQ(host.routes.calls("list").size(), 1U);
}

TEST_F(SettingsTest, HOST_139_ROUTE_7_TheGateEndsThePollingAndLeavesALongAudit) {
  host.config.set_flag("feature-gates",
                       "CloudControllerManagerWatchBasedRoutesReconciliation=true");
  host.config.set_flag("min-resync-period", "2h0m0s");
  start();
  host.routes.clear_calls();
  controller->advance(std::chrono::hours(2) - std::chrono::minutes(1));
  EXPECT_TRUE(host.routes.calls("list").empty());
  put(node("node-1", {"10.244.1.0/24"}));
  next_run();
  EXPECT_EQ(host.routes.calls("list").size(), 1U) << "an event is a run";
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-1"});
  controller->advance(std::chrono::hours(2) + std::chrono::seconds(10));
  EXPECT_EQ(host.routes.calls("list").size(), 2U) << "the audit";
}

TEST_F(SettingsTest, HOST_139_TheGateIsNamedOrOneOfAllAlpha) {
  const std::string gate = "CloudControllerManagerWatchBasedRoutesReconciliation";
  for (const auto& [text, polls] : {std::pair<std::string, bool>{"", true},
                                    {gate + "=false", true},
                                    {"AllAlpha=true", false},
                                    {"AllAlpha=true," + gate + "=false", true},
                                    {"AllBeta=true", true},
                                    {"AllAlpha=false," + gate + "=true", false}}) {
    host.config.set_flag("feature-gates", text);
    start();
    host.routes.clear_calls();
    controller->advance(milliseconds(30'000));
    EXPECT_EQ(!host.routes.calls("list").empty(), polls) << text;
  }
}

}  // namespace
}  // namespace ccm::route
