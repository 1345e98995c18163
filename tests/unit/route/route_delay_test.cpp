// ccm_route_delay_seconds: once for each route that the cloud makes for a Node that waits for it.
#include "route_fixture.hpp"

namespace ccm::route {
namespace {

class RouteDelayTest : public RouteTest {
 protected:
  using Times = std::vector<double>;

  [[nodiscard]] Times times() const { return host.metrics.values("ccm_route_delay_seconds"); }
  // Nothing waits any more, so what is made now is a repair.
  void expect_repairs_do_not_count() {
    const Times before = times();
    host.routes.table_of_cloud.clear();
    audit();
    ASSERT_FALSE(table().empty());
    EXPECT_EQ(times(), before);
  }
};

TEST_F(RouteDelayTest, FromTheNodeUntilItsRoutes) {
  start();
  controller->advance(milliseconds(5'000));
  put(node("node-1", {"10.244.1.0/24", "fd00:10:0:1::/64"}));
  controller->advance(milliseconds(100));
  const auto metric = host.metrics.find("ccm_route_delay_seconds");
  ASSERT_TRUE(metric.has_value());
  EXPECT_EQ(metric->buckets, (Times{0.1, 0.25, 0.5, 1, 2, 4, 16, 64, 256, 1024}));
  EXPECT_EQ(times(), (Times{0.1, 0.1}));  // that long changes are gathered
  expect_repairs_do_not_count();
}

TEST_F(RouteDelayTest, FailedTriesAreAPartOfIt) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.routes.refusals["10.244.1.0/24"] = unavailable();
  start();
  EXPECT_TRUE(times().empty());
  host.routes.refusals.clear();
  audit();
  ASSERT_EQ(table().size(), 1U);
  ASSERT_EQ(times().size(), 1U);
  EXPECT_GE(times()[0], 1.1);
}

TEST_F(RouteDelayTest, ARouteThatIsFoundIsNone) {
  put(node("node-1", {"10.244.1.0/24"}));
  list(listed("10.244.1.0/24", "node-1"));
  start();
  EXPECT_TRUE(times().empty());
  expect_repairs_do_not_count();
}

TEST_F(RouteDelayTest, ItBeginsWithTheInstance) {
  Json object = node("node-1", {"10.244.1.0/24"});
  object["spec"].erase("providerID");
  put(object);
  host.routes.refusals["10.244.1.0/24"] = unavailable();
  start();
  controller->advance(std::chrono::minutes(10));
  host.routes.refusals.clear();
  put(node("node-1", {"10.244.1.0/24"}));
  next_run();
  ASSERT_EQ(table().size(), 1U);
  ASSERT_EQ(times().size(), 1U);
  EXPECT_LE(times()[0], 1.0);
}

TEST_F(RouteDelayTest, ANodeThatComesDuringARunKeepsItsTime) {
  start();
  audit();
  put(node("node-1", {"10.244.1.0/24"}));
  host.routes.before_next("apply", [this] { put(node("node-2", {"10.244.2.0/24"})); });
  next_run();
  next_run();
  ASSERT_EQ(table().size(), 2U);
  EXPECT_EQ(times().size(), 2U);
}

TEST_F(RouteDelayTest, ANodeOfTheSameNameBeginsAnew) {
  host.config.set_flag("route-reconciliation-period", "1h");
  host.routes.refusals["10.244.1.0/24"] = unavailable();
  put(node("node-1", {"10.244.1.0/24"}));
  start();
  remove("node-1");
  controller->advance(std::chrono::minutes(10));
  host.routes.refusals.clear();
  put(node("node-1", {"10.244.1.0/24"}));
  next_run();
  ASSERT_EQ(table().size(), 1U);
  ASSERT_EQ(times().size(), 1U);
  EXPECT_LE(times()[0], 1.0);
}

}  // namespace
}  // namespace ccm::route
