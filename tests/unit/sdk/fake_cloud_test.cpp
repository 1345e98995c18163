// Controllers that ask the fake host's cloud through the SDK.
#include <ccm/controller.hpp>
#include <ccm/plugin.hpp>
#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

namespace ccm::testing {
namespace {

using std::chrono::milliseconds;

// A host's view from a component that does what the test says.
class FakeCloudTest : public ::testing::Test {
 protected:
  FakeCloudTest() : view_(host_.abi()) {}

  // Runs one SDK operation to its end.
  template <typename Output, typename Operation>
  static Task<Status> keep(Operation operation, std::optional<Output>& out) {
    out.emplace(co_await operation());
    co_return Status();
  }
  template <typename Make>
  auto run(Make make) {
    using Output = typename decltype(make())::Output;
    std::optional<Output> out;
    view_.spawn(keep<Output>(make, out));
    host_.loop.run_until([&] { return out.has_value(); });
    return std::move(*out);
  }

  Result<LoadBalancer> ensure(const std::vector<std::string>& backends,
                              milliseconds timeout = milliseconds(1'000)) {
    const Ctx ctx = host_.contexts.make(timeout);
    return run([&] { return view_.load_balancers.ensure(ctx, service_, nodes(backends)); });
  }
  Result<LoadBalancer> observe(const std::vector<std::string>& backends) {
    return run([&] {
      return view_.load_balancers.observe(view_.background(), service_, nodes(backends));
    });
  }
  Status remove() {
    return run([&] { return view_.load_balancers.remove(view_.background(), service_); });
  }
  Result<std::vector<Status>> apply(std::vector<Route> removals, std::vector<Route> additions) {
    return run(
        [&] { return view_.routes.apply(view_.background(), "kubernetes", removals, additions); });
  }

  static std::vector<Backend> nodes(const std::vector<std::string>& names) {
    std::vector<Backend> backends;
    for (const std::string& name : names) backends.push_back({name, "test://" + name, {}, {}});
    return backends;
  }
  static LoadBalancerService service() {
    LoadBalancerService service;
    service.name = "web";
    service.namespace_name = "default";
    service.uid = "uid-1";
    service.default_name = "auid1";
    service.ports = {{"http", "TCP", "", 80, 30080}};
    return service;
  }
  static Route route(const std::string& cidr, const std::string& node) {
    Route route;
    route.destination_cidr = cidr;
    route.target_node = node;
    return route;
  }

  FakeHost host_;
  Host view_;
  LoadBalancerService service_ = service();
};

TEST_F(FakeCloudTest, EnsureMakesOneAndThenChangesOnlyWhatDiffers) {
  const auto created = ensure({"a", "b"});
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created->state, LoadBalancerState::active);
  EXPECT_EQ(created->difference, "created");
  ASSERT_EQ(created->ingress.size(), 1u);
  EXPECT_EQ(created->ingress[0].ip, "203.0.113.1");
  EXPECT_EQ(ensure({"b", "a"})->difference, "");
  EXPECT_EQ(observe({"a"})->difference, "backends");
  service_.ports[0].port = 81;
  EXPECT_EQ(ensure({"a"})->difference, "settings, backends");
  EXPECT_EQ(host_.load_balancers.writes(), 2);
  EXPECT_EQ(host_.load_balancers.calls("ensure").size(), 3u);
  EXPECT_EQ(host_.load_balancers.calls("observe").back().backends[0].provider_id, "test://a");
}

TEST_F(FakeCloudTest, PendingBecomesActiveWhenTheTestSays) {
  host_.load_balancers.created_state = LoadBalancerState::pending;
  host_.load_balancers.pending_retry = milliseconds(2'000);
  const auto created = ensure({});
  EXPECT_EQ(created->state, LoadBalancerState::pending);
  EXPECT_EQ(created->retry_after, milliseconds(2'000));
  EXPECT_TRUE(created->ingress.empty());
  host_.load_balancers.activate("uid-1");
  EXPECT_EQ(observe({})->state, LoadBalancerState::active);
  EXPECT_EQ(observe({})->ingress.size(), 1u);
}

TEST_F(FakeCloudTest, ScriptedFailuresAndLostAnswers) {
  host_.load_balancers.fail_next("ensure",
                                 Status(Code::resource_exhausted, ErrorClass::quota, "q"));
  EXPECT_EQ(ensure({}).status().error_class(), ErrorClass::quota);
  EXPECT_EQ(observe({})->state, LoadBalancerState::absent);
  host_.load_balancers.lose_answer("ensure", Status(Code::unavailable, "cut"));
  EXPECT_EQ(ensure({}).status().code(), Code::unavailable);
  EXPECT_EQ(observe({})->state, LoadBalancerState::active);
  LoadBalancer nothing_done;
  nothing_done.state = LoadBalancerState::active;
  host_.load_balancers.answer_next("ensure", nothing_done);
  EXPECT_TRUE(ensure({"a"})->id.empty());
  EXPECT_EQ(host_.load_balancers.writes(), 1);
}

TEST_F(FakeCloudTest, AHangingCallEndsWithItsCtx) {
  host_.load_balancers.hang_next("ensure");
  EXPECT_EQ(ensure({}, milliseconds(50)).status().code(), Code::deadline_exceeded);
  EXPECT_EQ(host_.load_balancers.writes(), 0);
}

TEST_F(FakeCloudTest, ACallMayHangForEver) {
  host_.load_balancers.hang_next("remove");
  std::optional<Status> out;
  view_.spawn(keep<Status>(
      [this] { return view_.load_balancers.remove(view_.background(), service_); }, out));
  host_.loop.run();
  host_.loop.advance(std::chrono::hours(1));
  EXPECT_FALSE(out.has_value());
  EXPECT_EQ(host_.load_balancers.most_at_once(), 1u);
}

TEST_F(FakeCloudTest, WhatBelongsToAnotherIsNotDeleted) {
  ASSERT_TRUE(ensure({}).ok());
  host_.load_balancers.balancers["uid-1"].shown.state = LoadBalancerState::foreign;
  EXPECT_EQ(ensure({"a"})->state, LoadBalancerState::foreign);
  EXPECT_EQ(remove().reason(), "NotOwned");
  host_.load_balancers.balancers["uid-1"].shown.state = LoadBalancerState::active;
  EXPECT_TRUE(remove().ok());
  EXPECT_TRUE(remove().ok());
  EXPECT_EQ(host_.load_balancers.writes(), 2);
}

TEST_F(FakeCloudTest, RoutesAreRemovedThenAddedUpToTheLimit) {
  host_.routes.known_limits.routes = 2;
  const auto added =
      apply({}, {route("10.0.0.0/24", "a"), route("10.0.1.0/24", "b"), route("10.0.2.0/24", "c")});
  ASSERT_EQ(added->size(), 3u);
  EXPECT_TRUE((*added)[1].ok());
  EXPECT_EQ((*added)[2].error_class(), ErrorClass::quota);
  ASSERT_EQ(host_.routes.table_of_cloud.size(), 2u);
  EXPECT_TRUE(host_.routes.table_of_cloud[0].owned);
  host_.routes.refusals["10.0.3.0/24"] = Status(Code::unavailable, "no");
  const auto moved = apply({host_.routes.table_of_cloud[0]},
                           {route("10.0.2.0/24", "c"), route("10.0.3.0/24", "d")});
  EXPECT_TRUE((*moved)[1].ok());
  EXPECT_EQ((*moved)[2].code(), Code::unavailable);
  EXPECT_EQ(host_.routes.writes(), 4);
  const auto listed = run([&] { return view_.routes.list(view_.background(), "kubernetes"); });
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(listed->back().target_node, "c");
}

TEST_F(FakeCloudTest, AHostWithoutThemSaysSo) {
  FakeHost bare;
  bare.hide(CCM_CLOUD_LOADBALANCERS);
  bare.hide(CCM_CLOUD_ROUTES);
  const Host view(bare.abi());
  EXPECT_FALSE(view.load_balancers);
  EXPECT_FALSE(view.routes);
}

}  // namespace
}  // namespace ccm::testing
