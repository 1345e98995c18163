// Settings of DigitalOcean's own manager, given to the real one.
#include "manager_fixture.hpp"

namespace ccm::digitalocean_api {
namespace {

using support::eventually;
using support::patience;

class ManagerSettingsTest : public ManagerTest {
 protected:
  void serve_with(const json& annotations) {
    const json port = {{"port", 80}, {"protocol", "TCP"}};
    const auto created =
        api_.create("/api/v1/namespaces/default/services",
                    {{"apiVersion", "v1"},
                     {"kind", "Service"},
                     {"metadata", {{"name", "web"}, {"annotations", annotations}}},
                     {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}});
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  // The messages of these Events, one on each line.
  std::string warnings() {
    std::string all;
    const json events = api_.get("/api/v1/namespaces/default/events").body;
    for (const json& event : events.at("items")) {
      if (event.at("reason") == "LoadBalancerConfigWarning") {
        all += event.at("message").get<std::string>() + "\n";
      }
    }
    return all;
  }
};

const std::string kLb = "service.beta.kubernetes.io/do-loadbalancer-";

// digitalocean-cloud-controller-manager#888
TEST_F(ManagerSettingsTest, DO_181_376_AnnotationsWithoutEffectAreTold) {
  two_nodes();
  serve_with({{kLb + "healthcheck-port", "80"},
              {kLb + "healthcheck-protocol", "http"},
              {kLb + "enable-proxy-protocol", "true"}});
  start("cloud-node-controller,service-lb-controller");
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  ASSERT_TRUE(eventually(patience(), [&] { return !warnings().empty(); }));
  const std::string reported = warnings();
  const std::string needs =
      " has no effect: it needs the annotation " + kLb + "override-health-check";
  for (const char* name : {"healthcheck-port", "healthcheck-protocol"}) {
    EXPECT_NE(reported.find("annotation " + kLb + name + needs), std::string::npos) << reported;
  }
  EXPECT_NE(reported.find("annotation " + kLb + "enable-proxy-protocol has no effect"),
            std::string::npos)
      << reported;
  EXPECT_EQ(reported.find('\n'), reported.size() - 1) << reported;
}

// The flag's environment variable says what holds without the annotation.
TEST_F(ManagerSettingsTest, DO_181_TheDefaultTypeDecidesWhatIsRead) {
  two_nodes();
  serve_with({{kLb + "enable-proxy-protocol", "true"}, {kLb + "healthcheck-path", "/x"}});
  start("cloud-node-controller,service-lb-controller", {{"DEFAULT_LB_TYPE", "REGIONAL"}});
  ASSERT_TRUE(eventually(patience(), [&] { return !warnings().empty(); }));
  EXPECT_EQ(warnings().find("enable-proxy-protocol"), std::string::npos) << warnings();
}

TEST_F(ManagerSettingsTest, DO_14_AMistypedDefaultTypeEndsTheStart) {
  start("*", {{"DEFAULT_LB_TYPE", "REGIONALL"}});
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 1);
  EXPECT_NE(manager_->log().find("DEFAULT_LB_TYPE"), std::string::npos) << manager_->log();
  EXPECT_NE(manager_->log().find("REGIONAL_NETWORK"), std::string::npos) << manager_->log();
}

TEST_F(ManagerSettingsTest, DO_18_DO_19_AddressesThatNothingListensOnAreWarnedAbout) {
  start("cloud-node-controller", {{"METRICS_ADDR", "127.0.0.1:9100"}, {"DEBUG_ADDR", ":12301"}});
  EXPECT_TRUE(eventually(patience(), [&] {
    const std::string log = manager_->log();
    return log.find("variable=\"METRICS_ADDR\"") != std::string::npos &&
           log.find("variable=\"DEBUG_ADDR\"") != std::string::npos;
  }));
}

}  // namespace
}  // namespace ccm::digitalocean_api
