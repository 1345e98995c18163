// Calls and answers through the brokers of load balancers and routes, good and bad ones.
#include "network_broker_fixture.hpp"

namespace ccm::plugin {
namespace {

const std::string kHeld = "DeletionBrakeEngaged";

TEST_F(NetworkBrokerTest, OneOperationAtATimeForEachService) {
  const auto provider = full_table();
  start(&provider);
  Caught first, second, other;
  ask(table().ensure, first, "u-1");
  ask(table().observe, second, "u-1");
  ask(table().update_backends, other, "u-2");
  ASSERT_EQ(open_.size(), 2u);
  EXPECT_EQ(open_[0].uid, "u-1");
  EXPECT_EQ(open_[0].backends, 1u);
  EXPECT_EQ(open_[1].uid, "u-2");
  second.on_result = [](const void* result) {
    EXPECT_EQ(view(static_cast<const ccm_load_balancer*>(result)->id), "lb-1");
  };
  answer(0, Status(Code::unavailable, "cut"));
  EXPECT_EQ(first.status->code(), Code::unavailable);
  ASSERT_EQ(open_.size(), 2u);
  EXPECT_EQ(open_[1].operation, "observe");
  answer_active(1);
  EXPECT_TRUE(second.status->ok());
  EXPECT_EQ(second.calls, 1);
  answer_active(0);
  EXPECT_TRUE(other.status->ok());
  EXPECT_EQ(operations_,
            (std::vector<std::string>{"tester.create 0", "tester.loadbalancers.ensure 14",
                                      "tester.loadbalancers.observe 0",
                                      "tester.loadbalancers.update_backends 0"}));
}

TEST_F(NetworkBrokerTest, CancelledWhileWaitingItNeverBegins) {
  const auto provider = full_table();
  start(&provider);
  Caught first, second, third;
  ask(table().ensure, first);
  const auto context = component_->background()->child(std::nullopt);
  const ContextHandle ctx(context);
  ask(table().ensure, second, "u-1", ctx.get());
  ask(table().observe, third);
  context->cancel();
  poll();
  EXPECT_EQ(second.status->code(), Code::cancelled);
  answer_active(0);
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].operation, "observe");
  answer_active(0);
  EXPECT_EQ(second.calls, 1);
}

TEST_F(NetworkBrokerTest, ObjectsStayUntilTheProviderHasSeenThem) {
  const auto provider = full_table();
  start(&provider);
  Caught first, second;
  ask(table().ensure, first);
  ask(table().ensure, second, "u-1", nullptr, object(R"({"metadata":{"name":"web"}})"));
  answer_active(0);
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].seen, "web");
  answer_active(0);
}

TEST_F(NetworkBrokerTest, WhatTheProviderLacksTheHostDoesWithWhatItHas) {
  ccm_cloud_loadbalancers provider = full_table();
  provider.observe = nullptr;
  provider.update_backends = nullptr;
  provider.size = offsetof(ccm_cloud_loadbalancers, name);
  provider.name = [](void*, const ccm_ctx*, const ccm_service*, ccm_completion) { FAIL(); };
  start(&provider);
  Caught observed, updated, named, limited;
  ask(table().observe, observed, "u-1");
  ask(table().update_backends, updated, "u-2");
  ASSERT_EQ(open_.size(), 2u);
  EXPECT_EQ(open_[0].operation + open_[1].operation, "ensureensure");
  const LoadBalancerService service = service_of("u-1", nullptr);
  const detail::LoadBalancerServiceC raw(service);
  named.on_result = [](const void* name) {
    EXPECT_EQ(view(*static_cast<const ccm_str*>(name)), "au-1");
  };
  table().name(balancers_.get(), nullptr, raw.get(), named.completion());
  limited.on_result = [](const void* result) {
    EXPECT_EQ(static_cast<const ccm_load_balancer_limits*>(result)->load_balancers, 0);
  };
  table().limits(balancers_.get(), nullptr, limited.completion());
  poll();
  EXPECT_TRUE(named.status && named.status->ok());
  EXPECT_TRUE(limited.status && limited.status->ok());
  answer_active(0);
  answer_active(0);
}

TEST_F(NetworkBrokerTest, ATableWithoutTheNecessaryIsOfNoUse) {
  ccm_cloud_loadbalancers provider = full_table();
  provider.remove = nullptr;
  start(&provider);
  EXPECT_FALSE(balancers_broker_->usable());
  const ccm_cloud_routes short_table{offsetof(ccm_cloud_routes, apply), 0, &played::list_routes,
                                     &played::apply_routes, nullptr};
  const RoutesBroker routes(component_, ccm_interface{nullptr, &short_table}, ProviderTimeouts(),
                            route_brake_);
  EXPECT_FALSE(routes.usable());
}

TEST_F(NetworkBrokerTest, AnswersThatMakeNoSenseAreFailures) {
  const auto provider = full_table();
  start(&provider);
  ccm_load_balancer sound{};
  sound.size = sizeof(sound);
  sound.state = CCM_LOAD_BALANCER_ACTIVE;
  ccm_load_balancer short_one = sound, unknown = sound, hole = sound, garbage = sound;
  short_one.size = 8;
  unknown.state = 17;
  hole.ingress_count = 1;
  garbage.id = c_str("\xff\xfe");
  for (const ccm_load_balancer* wrong :
       {static_cast<const ccm_load_balancer*>(nullptr),
        const_cast<const ccm_load_balancer*>(&short_one),
        const_cast<const ccm_load_balancer*>(&unknown), const_cast<const ccm_load_balancer*>(&hole),
        const_cast<const ccm_load_balancer*>(&garbage)}) {
    Caught caught;
    ask(table().ensure, caught);
    answer(0, {}, wrong);
    EXPECT_EQ(caught.status->code(), Code::internal);
  }
}

TEST_F(NetworkBrokerTest, RequestsThatMakeNoSenseNeverReachTheProvider) {
  const auto provider = full_table();
  start(&provider);
  Caught none, nameless, malformed;
  table().ensure(balancers_.get(), nullptr, nullptr, nullptr, 0, none.completion());
  ccm_service service{};
  service.size = sizeof(service);
  table().ensure(balancers_.get(), nullptr, &service, nullptr, 0, nameless.completion());
  service.uid = c_str("u-1");
  service.port_count = 3;
  table().ensure(balancers_.get(), nullptr, &service, nullptr, 0, malformed.completion());
  poll();
  EXPECT_TRUE(open_.empty());
  for (const Caught* caught : {&none, &nameless, &malformed}) {
    EXPECT_EQ(caught->status->code(), Code::invalid_argument);
  }
}

TEST_F(NetworkBrokerTest, TheUsersOwnDeletionsPassHoweverMany) {
  const auto provider = full_table();
  start(&provider);
  const auto deleted = object(
      R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"type":"LoadBalancer"}})");
  const auto changed = object(R"({"spec":{"type":"ClusterIP"}})");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(removed("d-" + std::to_string(i), deleted).ok());
    EXPECT_TRUE(removed("c-" + std::to_string(i), changed).ok());
  }
}

TEST_F(NetworkBrokerTest, OtherDeletionsOfLoadBalancersPassTheBrake) {
  const auto provider = full_table();
  start(&provider);
  const auto wanted = object(R"({"spec":{"type":"LoadBalancer"}})");
  EXPECT_TRUE(removed("u-1").ok());
  EXPECT_TRUE(removed("u-2", wanted).ok());
  const Status held = removed("u-3", wanted);
  EXPECT_EQ(held.code(), Code::failed_precondition);
  EXPECT_EQ(held.error_class(), ErrorClass::waiting);
  EXPECT_EQ(held.reason(), kHeld);
  EXPECT_GT(held.retry_after(), 0ms);
  EXPECT_LE(held.retry_after(), 5min);
  EXPECT_TRUE(removed("u-2").ok());  // asked for again: its answer was lost, say
}

TEST(LoadBalancerRequestTest, BackendsInUseAreSharedAndMalformedOnesRefused) {
  std::vector<Backend> nodes(2);
  nodes[0].name = "node-0";
  nodes[1].addresses = {{"InternalIP", "10.0.0.1"}};
  const detail::BackendsC raw(nodes);
  LoadBalancerService wanted;
  wanted.uid = "u";
  const detail::LoadBalancerServiceC service(wanted);
  detail::BackendLists lists;
  const auto first = read_request(service.get(), raw.data(), raw.size(), lists);
  ASSERT_TRUE(first.ok());
  const auto second = read_request(service.get(), raw.data(), raw.size(), lists);
  EXPECT_TRUE(second->backends.same(first->backends));
  EXPECT_EQ(second->backends[1].addresses[0].address, "10.0.0.1");

  ccm_backend broken{};
  broken.size = sizeof(broken);
  broken.address_count = 1;
  const ccm_backend* const list[] = {&broken, nullptr};
  for (const size_t count : {size_t{1}, size_t{2}}) {
    const auto refused = read_request(service.get(), list, count, lists);
    EXPECT_EQ(refused.status().code(), Code::invalid_argument) << count;
  }
  EXPECT_EQ(read_request(service.get(), nullptr, 2, lists).status().code(), Code::invalid_argument);
}

TEST_F(NetworkBrokerTest, OneApplyAtATime) {
  const auto provider = route_table();
  start(nullptr, &provider);
  std::vector<std::string> ended;
  for (const char* cidr : {"10.0.1.0/24", "10.0.2.0/24"}) {
    Route added;
    added.destination_cidr = cidr;
    routes_->apply({"c", {}, {added}}, component_->background(),
                   [&ended, cidr](const Result<std::vector<Status>>& result) {
                     ended.push_back(std::string(cidr) + (result.ok() ? "" : " failed"));
                   });
  }
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].seen, "+10.0.1.0/24");
  answer(0, Status(Code::unavailable, "cut"));
  ASSERT_EQ(open_.size(), 1u);
  const std::vector<Status> two(2);
  const detail::RouteResultsC raw(two);
  answer(0, {}, raw.get());  // one too many
  EXPECT_EQ(ended, (std::vector<std::string>{"10.0.1.0/24 failed", "10.0.2.0/24 failed"}));
}

TEST_F(NetworkBrokerTest, AMassRemovalOfRoutesIsHeldAndTheRestIsDone) {
  const auto provider = route_table();
  start(nullptr, &provider);
  advance(11min);
  list(routes(0, 40));
  EXPECT_EQ(apply(routes(0, 11), {route(77)}), [] {
    std::vector<std::string> reasons(11, kHeld);
    reasons.emplace_back();
    return reasons;
  }());
  EXPECT_EQ(applied_, "+10.0.77.0/24");
  EXPECT_TRUE(route_brake_.report().engaged);
  EXPECT_EQ(route_brake_.status_text(),
            "engaged, 11 held: 11 of 40 routes are not wanted any more, 0 were deleted within "
            "10m0s, 10 may be");
}

// The brake for Nodes has judged them already.
TEST_F(NetworkBrokerTest, RoutesOfNodesThatWereDeletedHereGo) {
  const auto provider = route_table();
  start(nullptr, &provider);
  advance(11min);
  list(routes(0, 6));
  deleted_nodes_ = {"node-0", "node-1", "node-2"};
  EXPECT_EQ(apply(routes(0, 3)), (std::vector<std::string>{"", "", ""}));
  EXPECT_EQ(applied_, "-r0-r1-r2");
  EXPECT_EQ(route_brake_.report().deleted, 0u);
  list(routes(3, 3));
  std::vector<Route> claimed = routes(3, 3);
  for (Route& route : claimed) route.target_node = "node-0";
  EXPECT_EQ(apply(claimed), (std::vector<std::string>{kHeld, kHeld, kHeld}))
      << "what the controller says of them does not count";
}

TEST_F(NetworkBrokerTest, AFewRoutesMayGoAndThenAsManyAsTheLimitSays) {
  const auto provider = route_table();
  start(nullptr, &provider);
  list(routes(0, 40));
  EXPECT_EQ(apply(routes(0, 2)), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(applied_, "-r0-r1");
  EXPECT_EQ(apply(routes(2, 1)), (std::vector<std::string>{kHeld}));  // it has just begun to lead
  advance(11min);
  EXPECT_EQ(apply(routes(2, 9)), std::vector<std::string>(9));
  EXPECT_EQ(apply(routes(11, 1)), std::vector<std::string>{kHeld});
}

TEST_F(NetworkBrokerTest, WhatIsHeldLongEnoughGoesAtTheLimitsPace) {
  const auto provider = route_table();
  start(nullptr, &provider);
  advance(11min);
  list(routes(0, 8));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(apply(routes(0, 4)), std::vector<std::string>(4, kHeld));
    advance(4min);
  }
  const auto reasons = apply(routes(0, 4));
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), ""), 2);
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), kHeld), 2);
}

TEST_F(NetworkBrokerTest, ReplacementsAreNoAbsencesAndForeignRoutesStay) {
  const auto provider = route_table();
  start(nullptr, &provider);
  std::vector<Route> all = routes(0, 10);
  Route duplicate = route(9);
  duplicate.id = "twin";
  all.push_back(duplicate);
  list(all);
  std::vector<Route> moved, added;
  for (int i = 0; i < 8; ++i) {
    moved.push_back(route(i));
    Route to = route(i);
    to.id.clear();
    (i % 2 == 0 ? to.target_node : to.destination_cidr) = "other" + std::to_string(i);
    added.push_back(to);
  }
  EXPECT_EQ(apply(moved, added), std::vector<std::string>(16));
  EXPECT_EQ(apply({duplicate}), std::vector<std::string>{""});
  EXPECT_EQ(apply({route(1, false)}), std::vector<std::string>{"NotOwned"});
  EXPECT_EQ(applied_, "");
  EXPECT_EQ(route_brake_.report().deleted, 0u);
}

TEST_F(NetworkBrokerTest, AMalformedListingIsAFailureNotAnEmptyTable) {
  const auto provider = route_table();
  start(nullptr, &provider);
  ccm_route_list hole{sizeof(hole), 0, nullptr, 2};
  ccm_route_list short_one{8, 0, nullptr, 0};
  for (const void* wrong : {static_cast<const void*>(nullptr), static_cast<const void*>(&hole),
                            static_cast<const void*>(&short_one)}) {
    std::optional<Status> status;
    routes_->list("c", component_->background(),
                  [&](const Result<std::vector<Route>>& result) { status = result.status(); });
    answer(0, {}, wrong);
    EXPECT_EQ(status->code(), Code::internal);
  }
}

}  // namespace
}  // namespace ccm::plugin
