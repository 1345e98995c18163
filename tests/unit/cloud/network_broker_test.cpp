// Calls and answers through the broker of load balancers, good and bad ones.
#include "kube/object_store.hpp"
#include "network_broker_fixture.hpp"

namespace ccm::cloud {
namespace {

const std::string kHeld = "DeletionBrakeEngaged";

TEST_F(NetworkBrokerTest, OneOperationAtATimeForEachService) {
  const auto provider = full_table();
  start(&provider);
  plugin::Caught first, second, other;
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
  plugin::Caught first, second, third;
  ask(table().ensure, first);
  const auto context = component_->background()->child(std::nullopt);
  const plugin::KnownContext ctx(runtime_.contexts, plugin_number(), context);
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
  plugin::Caught first, second;
  ask(table().ensure, first);
  ask(table().ensure, second, "u-1", {}, object(R"({"metadata":{"name":"web"}})"));
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
  provider.name = [](void*, ccm_ctx, const ccm_load_balancer_request*, ccm_completion) { FAIL(); };
  start(&provider);
  plugin::Caught observed, updated, named, limited;
  ask(table().observe, observed, "u-1");
  ask(table().update_backends, updated, "u-2");
  ASSERT_EQ(open_.size(), 2u);
  EXPECT_EQ(open_[0].operation + open_[1].operation, "ensureensure");
  const LoadBalancerService service = service_of("u-1", nullptr);
  const detail::LoadBalancerServiceC raw(service);
  named.on_result = [](const void* name) {
    EXPECT_EQ(view(static_cast<const ccm_load_balancer_name*>(name)->name), "au-1");
  };
  auto request = sized<ccm_load_balancer_request>();
  request.service = raw.get();
  table().name(balancers_.get(), {}, &request, named.completion());
  limited.on_result = [](const void* result) {
    EXPECT_EQ(static_cast<const ccm_load_balancer_limits*>(result)->load_balancers, 0);
  };
  const auto question = sized<ccm_limits_request>();
  table().limits(balancers_.get(), {}, &question, limited.completion());
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
  ccm_cloud_routes short_table = route_table();
  short_table.size = offsetof(ccm_cloud_routes, apply);
  const RoutesBroker routes(
      component_, ccm_interface{nullptr, &short_table}, ProviderTimeouts(), route_brake_,
      std::make_unique<RouteTargets>(nodes_, timers_, RoutableRanges(), nullptr));
  EXPECT_FALSE(routes.usable());
}

TEST_F(NetworkBrokerTest, AnswersThatMakeNoSenseAreFailures) {
  const auto provider = full_table();
  start(&provider);
  auto hole = sized<ccm_load_balancer>();
  hole.state = CCM_LOAD_BALANCER_ACTIVE;
  auto garbage = hole;
  hole.ingress_count = 1;
  garbage.id = c_str("\xff\xfe");
  const ccm_load_balancer* const wrong[] = {nullptr, &hole, &garbage};
  for (const ccm_load_balancer* answered : wrong) {
    plugin::Caught caught;
    ask(table().ensure, caught);
    answer(0, {}, answered);
    EXPECT_EQ(caught.status->code(), Code::internal);
  }
}

// The API server would refuse the Service's whole status.
TEST_F(NetworkBrokerTest, Issue37_12_AHostNameThatKubernetesRefusesIsTheServicesFault) {
  const auto provider = full_table();
  start(&provider);
  const auto answered_with = [this](const char* hostname, const char* ip) {
    auto ingress = sized<ccm_ingress>();
    ingress.hostname = c_str(hostname);
    ingress.ip = c_str(ip);
    const ccm_ingress* const list[] = {&ingress};
    auto balancer = sized<ccm_load_balancer>();
    balancer.ingress = list;
    balancer.ingress_count = 1;
    plugin::Caught caught;
    ask(table().ensure, caught);
    answer(0, {}, &balancer);
    return *caught.status;
  };
  EXPECT_TRUE(answered_with("lb.example.com", "").ok());
  EXPECT_TRUE(answered_with("", "2001:db8::1").ok());
  const Status refused = answered_with("lb\nevil\u202e", "");
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(refused.reason(), "InvalidHostName");
  EXPECT_NE(refused.message().find("host name \"lb?evil\ufffd\""), std::string::npos)
      << refused.message();
  EXPECT_EQ(answered_with("192.0.2.1", "").reason(), "InvalidHostName");
  EXPECT_EQ(answered_with("", "192.0.2.1 or so").code(), Code::internal);
}

TEST_F(NetworkBrokerTest, R_7_AStateThatIsUnknownOrNotSaidIsUnknown) {
  const auto provider = full_table();
  start(&provider);
  auto strange = sized<ccm_load_balancer>();
  strange.state = 17;
  const auto silent = sized<ccm_load_balancer>();
  const ccm_load_balancer* const answers[] = {&strange, &silent};
  for (const ccm_load_balancer* answered : answers) {
    plugin::Caught caught;
    int32_t state = -1;
    caught.on_result = [&](const void* result) {
      state = static_cast<const ccm_load_balancer*>(result)->state;
    };
    ask(table().observe, caught);
    answer(0, {}, answered);
    EXPECT_TRUE(caught.status->ok()) << caught.status->message();
    EXPECT_EQ(state, CCM_LOAD_BALANCER_UNKNOWN);
  }
}

TEST_F(NetworkBrokerTest, RequestsThatMakeNoSenseNeverReachTheProvider) {
  const auto provider = full_table();
  start(&provider);
  plugin::Caught none, without, nameless, malformed, unknown;
  auto request = sized<ccm_load_balancer_request>();
  table().ensure(balancers_.get(), {}, nullptr, none.completion());
  table().ensure(balancers_.get(), {}, &request, without.completion());
  auto service = sized<ccm_service>();
  request.service = &service;
  table().ensure(balancers_.get(), {}, &request, nameless.completion());
  service.uid = c_str("u-1");
  service.port_count = 3;
  table().ensure(balancers_.get(), {}, &request, malformed.completion());
  service.port_count = 0;
  service.flags = 1U << 31;
  table().ensure(balancers_.get(), {}, &request, unknown.completion());
  poll();
  EXPECT_TRUE(open_.empty());
  for (const plugin::Caught* caught : {&none, &without, &nameless, &malformed}) {
    EXPECT_EQ(caught->status->code(), Code::invalid_argument);
  }
  EXPECT_EQ(unknown.status->code(), Code::unimplemented);
  EXPECT_EQ(unknown.status->reason(), CCM_REASON_UNKNOWN_REQUEST);
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

// Somebody takes the finalizers away and deletes the Services: the API server says so itself.
TEST_F(NetworkBrokerTest, Issue37_WhatTheAPIServerCallsDeletedPassesTheBrake) {
  const auto provider = full_table();
  start(&provider);
  for (int i = 0; i < 24; ++i) {
    const auto service = object(R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer"}})");
    kube::ObjectStore store;
    store.put(service);
    store.remove(kube::ObjectStore::key_of(*service), service);
    EXPECT_TRUE(removed("u-" + std::to_string(i), service).ok()) << i;
  }
  const auto missed = object(R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer"}})");
  EXPECT_TRUE(removed("v-1", missed).ok());
  EXPECT_TRUE(removed("v-2", missed).ok());
  EXPECT_EQ(removed("v-3", missed).reason(), kHeld);
}

// A controller that sees no Nodes any more must not empty all pools at once.
TEST_F(NetworkBrokerTest, occm_1855_TheLastMembersOfLoadBalancersPassTheBrake) {
  const auto provider = full_table();
  start(&provider);
  const auto uid = [](int i) { return "u-" + std::to_string(i); };
  for (int i = 1; i <= 4; ++i) {
    plugin::Caught made;
    ask(table().ensure, made, uid(i));
    answer_active(0);
    EXPECT_TRUE(made.status->ok());
  }
  const auto emptied = [&](int i) {
    plugin::Caught caught;
    ask_with({}, table().update_backends, caught, service_of(uid(i), nullptr));
    if (!open_.empty()) answer_active(0);
    return caught.status.value_or(Status(Code::unknown, "it did not end"));
  };
  EXPECT_TRUE(emptied(1).ok());
  EXPECT_TRUE(emptied(2).ok());
  const Status held = emptied(3);
  EXPECT_EQ(held.reason(), kHeld);
  EXPECT_EQ(held.error_class(), ErrorClass::waiting);
  EXPECT_NE(held.message().find("load balancers would lose all members"), std::string::npos)
      << held.message();
  EXPECT_EQ(emptied(4).reason(), kHeld);
  EXPECT_EQ(member_brake_.report().held, 2U);
  EXPECT_TRUE(emptied(1).ok()) << "it has none";
  for (int i = 3; i <= 4; ++i) {  // the Nodes are back
    plugin::Caught caught;
    ask(table().update_backends, caught, uid(i));
    answer_active(0);
    EXPECT_TRUE(caught.status->ok());
  }
  EXPECT_EQ(member_brake_.report().held, 0U);
}

TEST_F(NetworkBrokerTest, occm_1855_OneThatIsNewNeedsNoBrakeAndOneOfBeforeARestartDoes) {
  const auto provider = full_table();
  start(&provider);
  for (int i = 1; i <= 4; ++i) {
    plugin::Caught made;
    ask_with({}, table().ensure, made, service_of("new-" + std::to_string(i), nullptr));
    answer_active(0);
    EXPECT_TRUE(made.status->ok());
  }
  std::vector<std::string> reasons;
  for (int i = 1; i <= 4; ++i) {
    LoadBalancerService service = service_of("old-" + std::to_string(i), nullptr);
    service.id = "lb-" + std::to_string(i);
    plugin::Caught caught;
    ask_with({}, table().ensure, caught, service);
    if (!open_.empty()) answer_active(0);
    reasons.push_back(caught.status->reason());
  }
  EXPECT_EQ(reasons, (std::vector<std::string>{"", "", std::string(kHeld), std::string(kHeld)}));
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
  auto request = sized<ccm_load_balancer_request>();
  request.service = service.get();
  const auto read = [&](const ccm_backend* const* backends, size_t count) {
    request.backends = backends;
    request.backend_count = count;
    return read_request(&request, lists);
  };
  const auto first = read(raw.data(), raw.size());
  ASSERT_TRUE(first.ok());
  const auto second = read(raw.data(), raw.size());
  EXPECT_TRUE(second->backends.same(first->backends));
  EXPECT_EQ(second->backends[1].addresses[0].address, "10.0.0.1");

  ccm_backend broken{};
  broken.size = sizeof(broken);
  broken.address_count = 1;
  const ccm_backend* const list[] = {&broken, nullptr};
  for (const size_t count : {size_t{1}, size_t{2}}) {
    const auto refused = read(list, count);
    EXPECT_EQ(refused.status().code(), Code::invalid_argument) << count;
  }
  EXPECT_EQ(read(nullptr, 2).status().code(), Code::invalid_argument);
}

// The tenant wrote them, so the tenant has to be told which of them, and not only that it is wrong.
TEST_F(NetworkBrokerTest, Issue37_TooManySourceRangesAreTheServicesFault) {
  const auto provider = full_table();
  start(&provider);
  const auto asked = [this](std::size_t ranges, std::size_t ports) {
    LoadBalancerService service = service_of("u-1", nullptr);
    service.source_ranges.assign(ranges, "192.0.2.0/24");
    service.ports.assign(ports, {"http", "TCP", "", 80, 30080});
    plugin::Caught caught;
    ask_with({}, table().ensure, caught, service);
    if (!open_.empty()) answer_active(0);
    return caught.status.value_or(Status(Code::unknown, "it did not end"));
  };
  EXPECT_TRUE(asked(10'000, 1).ok());
  const Status refused = asked(20'000, 1);
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(refused.reason(), "TooManySourceRanges");
  EXPECT_EQ(
      refused.message(),
      "spec.loadBalancerSourceRanges, or the annotation "
      "service.beta.kubernetes.io/load-balancer-source-ranges, has 20000 ranges, and 10000 is "
      "the most: put neighbouring ones together, or filter in front of the load balancer");
  EXPECT_TRUE(asked(1, 20'000).ok()) << "or a Service with them could never be deleted";
}

std::string g_lane;  // of every Service
void one_lane(void*, ccm_ctx, const ccm_load_balancer_request*, ccm_completion done) {
  auto lane = sized<ccm_load_balancer_lane>();
  lane.lane = c_str(g_lane);
  plugin::complete(done, {}, &lane);
}

TEST_F(NetworkBrokerTest, ServicesOfOneLaneTakeTurns) {
  auto provider = full_table();
  provider.lane = &one_lane;
  start(&provider);
  g_lane = "shared-1";
  plugin::Caught first, second;
  ask(table().ensure, first, "u-1");
  ask(table().ensure, second, "u-2");
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].uid, "u-1");
  answer_active(0);
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].uid, "u-2");
  answer_active(0);
  g_lane.clear();  // each Service has its own
  ask(table().ensure, first, "u-1");
  ask(table().ensure, second, "u-2");
  EXPECT_EQ(open_.size(), 2u);
  answer_active(0);
  answer_active(0);
}

TEST_F(NetworkBrokerTest, NoMoreOperationsRunThanTheCloudBears) {
  auto provider = full_table();
  provider.limits = [](void*, ccm_ctx, const ccm_limits_request*, ccm_completion done) {
    auto limits = sized<ccm_load_balancer_limits>();
    limits.parallel = 1;
    plugin::complete(done, {}, &limits);
  };
  start(&provider);
  tasks_(balancers_broker_->limits(component_->background()),
         [](const Result<LoadBalancerLimits>&) {});
  poll();
  plugin::Caught first, second;
  ask(table().ensure, first, "u-1");
  ask(table().ensure, second, "u-2");
  ASSERT_EQ(open_.size(), 1u);
  answer_active(0);
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].uid, "u-2");
  answer_active(0);
}

// A tenant names another one's load balancer in an annotation, on as many Services as it may have.
TEST_F(NetworkBrokerTest, Issue37_OneNamespaceDoesNotTakeEveryTurnOfALane) {
  auto provider = full_table();
  provider.lane = &one_lane;
  start(&provider);
  g_lane = "load-balancer-of-good";
  EXPECT_EQ(
      order_of({"bad/1", "bad/2", "bad/3", "bad/4", "good/shop", "good/blog"}),
      (std::vector<std::string>{"bad/1", "bad/2", "good/shop", "bad/3", "good/blog", "bad/4"}));
  g_lane.clear();
}

TEST_F(NetworkBrokerTest, Issue37_7_OneNamespaceDoesNotTakeEveryTurnThatTheCloudBears) {
  auto provider = full_table();
  provider.limits = [](void*, ccm_ctx, const ccm_limits_request*, ccm_completion done) {
    auto limits = sized<ccm_load_balancer_limits>();
    limits.parallel = 1;
    plugin::complete(done, {}, &limits);
  };
  start(&provider);
  tasks_(balancers_broker_->limits(component_->background()),
         [](const Result<LoadBalancerLimits>&) {});
  poll();
  const auto order = order_of({"bad/1", "bad/2", "bad/3", "good/shop"});
  EXPECT_EQ(order, (std::vector<std::string>{"bad/1", "bad/2", "good/shop", "bad/3"}));
}

// No provider sees the eleventh edit, and each sees what Nodes cause.
TEST_F(NetworkBrokerTest, Issue37_7_EditsInALoopDoNotReachTheProvider) {
  const auto provider = full_table();
  start(&provider);
  Status last;
  for (int edit = 0; edit < 11; ++edit) {
    plugin::Caught caught;
    const std::string value = std::to_string(edit);
    ask(table().ensure, caught, "u-1", {},
        object(R"({"metadata":{"annotations":{"a":")" + value + R"("}}})"));
    if (!open_.empty()) answer_active(0);
    last = *caught.status;
    EXPECT_EQ(last.ok(), edit < 10) << edit;
  }
  EXPECT_EQ(last.reason(), "ChangesLimited");
  EXPECT_EQ(balancers_broker_->change_limits().waiting_for_service, 1u);
  plugin::Caught updated;
  ask(table().update_backends, updated);
  ASSERT_EQ(open_.at(0).operation, "update");
  answer_active(0);
  plugin::Caught seen;
  ask(table().observe, seen);
  ASSERT_EQ(open_.at(0).operation, "observe");
  answer_active(0);
  EXPECT_TRUE(removed("u-1").ok());
  EXPECT_EQ(balancers_broker_->change_limits().waiting_for_service, 0u);
}

TEST_F(NetworkBrokerTest, AFailedEnsureHandsOverWhatItMade) {
  const auto provider = full_table();
  start(&provider);
  plugin::Caught caught;
  std::string id;
  caught.on_result = [&](const void* result) {
    id = view(static_cast<const ccm_load_balancer*>(result)->id);
  };
  ask(table().ensure, caught);
  auto made = sized<ccm_load_balancer>();
  made.state = CCM_LOAD_BALANCER_PENDING;
  made.id = c_str("lb-7");
  answer(0, Status(Code::resource_exhausted, ErrorClass::quota, "no address is left"), &made);
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->error_class(), ErrorClass::quota);
  EXPECT_EQ(id, "lb-7");
}

}  // namespace
}  // namespace ccm::cloud
