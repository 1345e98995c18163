#include "app/flags/controller_selection.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

using Strings = std::vector<std::string>;

const std::vector<KnownController> kKnown{
    {"cloud-node-controller", {"cloud-node"}, true},
    {"cloud-node-lifecycle-controller", {"cloud-node-lifecycle"}, true},
    {"node-route-controller", {"route"}, true},
    {"service-lb-controller", {"service"}, true},
    {"example-controller", {}, false}};

Strings enabled(const Strings& items) {
  const ControllerSelection selection = select_controllers(items, kKnown);
  EXPECT_TRUE(selection.errors.empty());
  return selection.enabled;
}

TEST(ControllerSelection, HOST_79_StarRunsAllThatAreOnByDefault) {
  EXPECT_EQ(enabled({"*"}), Strings({"cloud-node-controller", "cloud-node-lifecycle-controller",
                                     "node-route-controller", "service-lb-controller"}));
}

TEST(ControllerSelection, HOST_76_AliasesStandForNames) {
  EXPECT_EQ(enabled({"cloud-node", "service"}),
            Strings({"cloud-node-controller", "service-lb-controller"}));
  EXPECT_EQ(enabled({"*", "-route", "-service"}),
            Strings({"cloud-node-controller", "cloud-node-lifecycle-controller"}));
}

TEST(ControllerSelection, HOST_77_TheFirstItemThatNamesItDecides) {
  EXPECT_EQ(enabled({"route", "-route"}), Strings({"node-route-controller"}));
  EXPECT_EQ(enabled({"-route", "route"}), Strings());
  EXPECT_EQ(enabled({"-route", "node-route-controller"}), Strings());
  EXPECT_EQ(enabled({"-cloud-node", "*", "cloud-node"}),
            Strings({"cloud-node-lifecycle-controller", "node-route-controller",
                     "service-lb-controller"}));
}

TEST(ControllerSelection, HOST_77_NamedOnesRunEvenWhenOffByDefault) {
  EXPECT_EQ(enabled({"example-controller"}), Strings({"example-controller"}));
  EXPECT_EQ(enabled({"*", "example-controller"}).size(), 5U);
}

TEST(ControllerSelection, HOST_78_WithoutStarNothingRunsUnlessNamed) {
  EXPECT_EQ(enabled({"-route"}), Strings());
  EXPECT_EQ(enabled({}), Strings());
}

TEST(ControllerSelection, HOST_80_UnknownNamesAreQuotedWithoutTheirMinus) {
  const Strings items{"*", "-rout", "nonsense"};
  const ControllerSelection selection = select_controllers(items, kKnown);
  ASSERT_EQ(selection.errors.size(), 2U);
  EXPECT_EQ(selection.errors[0],
            "\"rout\" is not a known controller (did you mean route?); known are: "
            "cloud-node-controller, cloud-node-lifecycle-controller, node-route-controller, "
            "service-lb-controller, example-controller");
  EXPECT_EQ(selection.errors[1].find("\"nonsense\" is not a known controller; known are:"), 0U);
}

}  // namespace
}  // namespace ccm::app
