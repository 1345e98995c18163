// A controller's changes of routes, in batches of the cloud's size.
#include "cloud/broker/route_changes.hpp"
#include "network_broker_fixture.hpp"

#include <numeric>
#include <optional>
#include <string>

namespace ccm::cloud {
namespace {

const std::string kBrake = "DeletionBrakeEngaged";

Route to(const std::string& destination) {
  Route route;
  route.destination_cidr = destination;
  return route;
}

std::vector<std::size_t> all(const std::vector<Route>& routes) {
  std::vector<std::size_t> indices(routes.size());
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

std::string text(const std::vector<RouteBatch>& batches) {
  std::string text;
  for (const RouteBatch& batch : batches) {
    if (!text.empty()) text += ' ';
    for (const std::size_t index : batch.removals) text += "-" + std::to_string(index);
    for (const std::size_t index : batch.additions) text += "+" + std::to_string(index);
  }
  return text;
}

TEST(RouteBatches, AreAsFewAsTheLimitAllows) {
  const std::vector<Route> gone{to("a"), to("b"), to("c")};
  const std::vector<Route> made{to("d"), to("e"), to("f")};
  EXPECT_EQ(text(batches_of(gone, all(gone), made, 0)), "-0-1-2+0+1+2");
  EXPECT_EQ(text(batches_of(gone, all(gone), made, 2)), "-0-1 -2+0 +1+2");
  EXPECT_EQ(text(batches_of(gone, {0, 2}, made, 4)), "-0-2+0+1 +2");
  EXPECT_EQ(batches_of({}, {}, std::vector<Route>(5'000), 100).size(), 50u);
  EXPECT_TRUE(batches_of({}, {}, {}, 3).empty());
}

TEST(RouteBatches, WhatTakesThePlaceOfARouteGoesWithIt) {
  const std::vector<Route> gone{to("a"), to("x"), to("b"), to("a")};
  const std::vector<Route> made{to("b"), to("a"), to("y")};
  EXPECT_EQ(text(batches_of(gone, all(gone), made, 3)), "-1-2+0 -0-3+1 +2");
  EXPECT_EQ(text(batches_of(gone, all(gone), made, 1)), "-1 -2+0 -0-3+1 +2");
}

class RouteBatchTest : public NetworkBrokerTest {
 protected:
  // A provider with that limit of changes in one call.
  void start_with(int64_t batch) {
    batch_ = batch;
    provider_.limits = [](void*, ccm_ctx, const ccm_limits_request*, ccm_completion done) {
      auto limits = sized<ccm_route_limits>();
      limits.routes = 100;
      limits.batch = batch_;
      plugin::complete(done, {}, &limits);
    };
    start(nullptr, &provider_);
  }
  ccm_cloud_routes provider_ = route_table();
  static inline int64_t batch_ = 0;
};

TEST_F(RouteBatchTest, ControllersMayAskForAnyNumberAtOnce) {
  start_with(4);
  std::optional<RouteLimits> limits;
  tasks_(routes_->limits(component_->background()),
         [&](const Result<RouteLimits>& result) { limits = *result; });
  poll();
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->routes, 100);
  EXPECT_EQ(limits->batch, 0);
  EXPECT_EQ(apply({}, routes(0, 6)), std::vector<std::string>(6));
  EXPECT_EQ(applied_, "+10.0.0.0/24+10.0.1.0/24+10.0.2.0/24+10.0.3.0/24 +10.0.4.0/24+10.0.5.0/24");
}

class RouteBatchSizeTest : public RouteBatchTest, public testing::WithParamInterface<int64_t> {};

TEST_P(RouteBatchSizeTest, AMassRemovalIsHeldWhole) {
  start_with(GetParam());
  advance(11min);
  list(routes(0, 40));
  std::vector<std::string> reasons(11, kBrake);
  reasons.emplace_back();
  EXPECT_EQ(apply(routes(0, 11), {route(77)}), reasons);
  EXPECT_EQ(applied_, "+10.0.77.0/24");
  EXPECT_EQ(route_brake_.report().held, 11u);
}

INSTANTIATE_TEST_SUITE_P(Batches, RouteBatchSizeTest, testing::Values(0, 1, 4, 100));

TEST_F(RouteBatchTest, AFewRemovalsPassInSeveralBatches) {
  start_with(4);
  advance(11min);
  list(routes(0, 40));
  EXPECT_EQ(apply(routes(0, 10)), std::vector<std::string>(10));
  EXPECT_EQ(applied_, "-r0-r1-r2-r3 -r4-r5-r6-r7 -r8-r9");
  EXPECT_EQ(route_brake_.report().deleted, 10u);
}

TEST_F(RouteBatchTest, WhatFollowsABatchThatFailedIsNotTried) {
  start_with(2);
  advance(11min);
  list(routes(0, 40));
  std::optional<Result<std::vector<Status>>> outcome;
  tasks_(routes_->apply({"c", routes(0, 6), {route(50)}}, component_->background()),
         [&](Result<std::vector<Status>> result) { outcome.emplace(std::move(result)); });
  poll();
  succeed_with_routes();
  ASSERT_FALSE(outcome);
  answer(0, Status(Code::unavailable, ErrorClass::throttled, "slow down").with_retry_after(7s));
  EXPECT_TRUE(open_.empty());
  ASSERT_TRUE(outcome && outcome->ok());
  for (std::size_t index = 0; index < 7; ++index) {
    EXPECT_EQ((**outcome)[index].ok(), index < 2) << index;
  }
  EXPECT_EQ((**outcome)[6].retry_after(), 7s);
  // Two are gone, of two it is not known; the last two were not tried.
  EXPECT_EQ(route_brake_.report().deleted, 4u);
}

TEST_F(RouteBatchTest, ABatchThatFailsBeforeAnythingWasDoneIsTheOperationsFailure) {
  start_with(2);
  std::optional<Status> status;
  tasks_(routes_->apply({"c", {}, routes(0, 3)}, component_->background()),
         [&](const Result<std::vector<Status>>& result) { status = result.status(); });
  poll();
  answer(0, Status(Code::unavailable, "cut"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code(), Code::unavailable);
}

class RouteReportTest : public RouteBatchTest {
 protected:
  void fail_apply(std::vector<Route> removals, std::vector<Route> additions, const Status& status) {
    tasks_(
        routes_->apply({"c", std::move(removals), std::move(additions)}, component_->background()),
        [](const Result<std::vector<Status>>&) {});
    poll();
    answer(0, status);
  }
  // The only one known of that route's Node.
  RouteReport report(int number) {
    const auto reports = routes_->routes_of("node-" + std::to_string(number));
    EXPECT_EQ(reports.size(), 1u);
    return reports.empty() ? RouteReport() : reports[0];
  }
  const Status cut_{Code::unavailable, ErrorClass::unavailable, "cut"};
};

TEST_F(RouteReportTest, ABatchThatFailsAsAWholeIsKnownOfEachOfItsRoutes) {
  start_with(2);
  fail_apply({}, routes(0, 3), cut_);
  advance(4s);
  fail_apply({}, routes(0, 3), cut_);
  for (int number = 0; number < 3; ++number) {
    const RouteReport failed = report(number);
    EXPECT_EQ(failed.destination, route(number).destination_cidr);
    EXPECT_FALSE(failed.present);
    EXPECT_EQ(failed.failure.message(), "cut");
    EXPECT_EQ(failed.attempts, 2u) << number;
    EXPECT_EQ(failed.since, 4s);
  }
  EXPECT_EQ(apply({}, routes(0, 3)), std::vector<std::string>(3));
  EXPECT_TRUE(routes_->routes_of("node-0").empty()) << "not listed yet";
  list(routes(0, 3));
  EXPECT_TRUE(report(0).present);
  EXPECT_TRUE(report(0).failure.ok());
}

TEST_F(RouteReportTest, TheListingTellsWhatWasMadeAlthoughTheAnswerWasLost) {
  start_with(0);
  advance(11min);
  list(routes(0, 2));
  fail_apply({route(0)}, {route(7)}, cut_);
  list(routes(0, 2));
  EXPECT_TRUE(report(0).present);
  EXPECT_EQ(report(0).failure.message(), "cut") << "it is there, and should not be";
  EXPECT_EQ(report(7).failure.message(), "cut");
  list({route(1), route(7)});
  EXPECT_TRUE(routes_->routes_of("node-0").empty());
  EXPECT_TRUE(report(7).present);
  EXPECT_TRUE(report(7).failure.ok());
}

}  // namespace
}  // namespace ccm::cloud
