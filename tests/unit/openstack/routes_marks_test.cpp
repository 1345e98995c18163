#include "openstack/routes/marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack {
namespace {

constexpr std::size_t kLong = 255;
constexpr std::size_t kShort = 60;

std::set<ExtraRoute> some_routes(int first, int count) {
  std::set<ExtraRoute> routes;
  for (int i = first; i < first + count; ++i) {
    routes.insert({"10." + std::to_string(i / 250) + "." + std::to_string(i % 250) + ".0/24",
                   "192.0.2." + std::to_string(i % 250)});
  }
  return routes;
}

// A router's tags, as its clusters change them.
struct Tags {
  void record(const std::string& cluster, const std::set<ExtraRoute>& routes,
              std::size_t longest = kLong) {
    const auto change = RouteMarks(cluster, tags).record(routes, longest);
    for (const std::string& tag : change.add) {
      EXPECT_LE(tag.size(), longest);
      EXPECT_EQ(std::count(tags.begin(), tags.end(), tag), 0);
      tags.push_back(tag);
    }
    for (const std::string& tag : change.remove) EXPECT_EQ(std::erase(tags, tag), 1U);
    writes += change.add.size() + change.remove.size();
  }
  [[nodiscard]] std::size_t recorded(const std::string& cluster,
                                     const std::set<ExtraRoute>& routes) const {
    const RouteMarks marks(cluster, tags);
    return static_cast<std::size_t>(std::count_if(routes.begin(), routes.end(),
                                                  [&](const auto& one) { return marks.has(one); }));
  }
  std::vector<std::string> tags{"somebody's"};
  std::size_t writes = 0;
};

TEST(RouteMarks, ARecordNamesExactlyItsRoutes) {
  Tags router;
  const auto routes = some_routes(0, 10);
  router.record("c", routes);
  EXPECT_EQ(router.tags.size(), 2U);
  EXPECT_EQ(router.recorded("c", routes), 10U);
  EXPECT_EQ(router.recorded("c", some_routes(10, 1000)), 0U);
  EXPECT_EQ(router.recorded("other", routes), 0U);
  // A range through another next hop is another route.
  EXPECT_EQ(router.recorded("c", {{"10.0.0.0/24", "192.0.2.9"}}), 0U);
  router.record("c", routes);
  EXPECT_EQ(router.writes, 1U);
}

TEST(RouteMarks, TheFormOfAnAddressDoesNotMatter) {
  Tags router;
  router.record("c", {{"fd00:0:0::/64", "fd00:20:0:0::1"}});
  EXPECT_EQ(router.recorded("c", {{"fd00::/64", "fd00:20::1"}}), 1U);
}

TEST(RouteMarks, FiftyTagsAreEnoughForATableOfAThousand) {
  Tags router;
  std::set<ExtraRoute> routes;
  for (int i = 0; i < 1000; i += 100) {
    routes.merge(some_routes(i, 100));
    router.record("c", routes);
  }
  EXPECT_LE(router.tags.size(), 40U);
  EXPECT_EQ(router.recorded("c", routes), 1000U);
}

TEST(RouteMarks, RoutesThatComeAndGoOneByOneLeaveNoHeapOfTags) {
  Tags router;
  std::set<ExtraRoute> routes = some_routes(0, 100);
  router.record("c", routes);
  for (int i = 100; i < 1000; ++i) {
    routes.erase(routes.begin());
    routes.merge(some_routes(i, 1));
    router.record("c", routes);
    ASSERT_EQ(router.recorded("c", routes), routes.size());
    ASSERT_LE(router.tags.size(), 10U) << i;
  }
  EXPECT_LE(router.writes, 900U * 3);
}

TEST(RouteMarks, ShortTagsOfAnOlderNeutron) {
  Tags router;
  const auto routes = some_routes(0, 100);
  router.record("c", routes, kShort);
  EXPECT_EQ(router.tags.size(), 21U);
  EXPECT_EQ(router.recorded("c", routes), 100U);
}

TEST(RouteMarks, ClustersDoNotTouchEachOthersTags) {
  Tags router;
  router.record("a", some_routes(0, 5));
  router.record("b", some_routes(5, 5));
  router.record("a", some_routes(20, 1));
  router.record("b", some_routes(30, 1));
  EXPECT_EQ(router.recorded("a", some_routes(0, 40)), 1U);
  EXPECT_EQ(router.recorded("b", some_routes(0, 40)), 1U);
  EXPECT_EQ(router.tags.size(), 3U);
  EXPECT_EQ(router.tags[0], "somebody's");
}

TEST(RouteMarks, TagsThatAreCutAreNoRecord) {
  Tags router;
  router.record("c", some_routes(0, 2));
  router.tags.back().pop_back();
  EXPECT_EQ(router.recorded("c", some_routes(0, 2)), 1U);
}

}  // namespace
}  // namespace ccm::openstack
