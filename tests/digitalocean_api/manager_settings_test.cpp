// Settings of DigitalOcean's own manager, given to the real one.
#include "manager_fixture.hpp"

namespace ccm::digitalocean_api {
namespace {

using support::eventually;
using support::patience;

using ManagerSettingsTest = ManagerTest;

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
