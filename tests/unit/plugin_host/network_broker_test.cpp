// Load balancers and routes between a controller and a provider, both played by the test.
#include "plugin/broker/abi_structs.hpp"
#include "plugin/broker/load_balancers_service.hpp"
#include "plugin/broker/routes_service.hpp"
#include "plugin/host_services/object_service.hpp"
#include "test_runtime.hpp"

#include <prometheus/registry.h>

#include <cstddef>

namespace ccm::plugin {
namespace {

// What has reached the provider and waits for its answer.
struct Open {
  std::string operation;
  std::string uid;
  std::string seen;  // of the Service's object, or of the routes
  std::size_t backends = 0;
  ccm_completion done{};
};
std::vector<Open>* g_open = nullptr;

void note_service(const char* operation, const ccm_service* service, std::size_t backends,
                  ccm_completion done) {
  Open open{operation, std::string(view(service->uid)), {}, backends, done};
  if (service->object != nullptr) open.seen = object_of(service->object)->text_at("/metadata/name");
  g_open->push_back(std::move(open));
}
void observe(void*, const ccm_ctx*, const ccm_service* service, const ccm_backend* const*,
             size_t count, ccm_completion done) {
  note_service("observe", service, count, done);
}
void ensure(void*, const ccm_ctx*, const ccm_service* service, const ccm_backend* const*,
            size_t count, ccm_completion done) {
  note_service("ensure", service, count, done);
}
void update(void*, const ccm_ctx*, const ccm_service* service, const ccm_backend* const*,
            size_t count, ccm_completion done) {
  note_service("update", service, count, done);
}
void remove(void*, const ccm_ctx*, const ccm_service* service, ccm_completion done) {
  note_service("remove", service, 0, done);
}

void list_routes(void*, const ccm_ctx*, ccm_str cluster, ccm_completion done) {
  g_open->push_back({"list", std::string(view(cluster)), {}, 0, done});
}
void apply_routes(void*, const ccm_ctx*, ccm_str cluster, const ccm_route* const* removals,
                  size_t removal_count, const ccm_route* const* additions, size_t addition_count,
                  ccm_completion done) {
  std::string seen;
  for (size_t i = 0; i < removal_count; ++i) seen += "-" + std::string(view(removals[i]->id));
  for (size_t i = 0; i < addition_count; ++i) {
    seen += "+" + std::string(view(additions[i]->destination_cidr));
  }
  g_open->push_back({"apply", std::string(view(cluster)), seen, 0, done});
}

class NetworkBrokerTest : public PluginHostTest {
 protected:
  NetworkBrokerTest() { g_open = &open_; }
  ~NetworkBrokerTest() override {
    balancers_.reset();
    balancers_broker_.reset();
    routes_.reset();
    host_.reset();
    g_open = nullptr;
  }

  // The provider has these tables; the same component is the controller that calls.
  void start(const ccm_cloud_loadbalancers* balancers, const ccm_cloud_routes* routes = nullptr) {
    ASSERT_TRUE(create(true).ok());
    balancer_gate_.begin();
    route_gate_.begin();
    if (balancers != nullptr) {
      balancers_broker_ = std::make_shared<LoadBalancersBroker>(
          component_, ccm_interface{nullptr, balancers}, ProviderTimeouts(), balancer_gate_);
      balancers_ = std::make_unique<LoadBalancersService>(component_, balancers_broker_);
    }
    if (routes != nullptr) {
      routes_ = std::make_shared<RoutesBroker>(component_, ccm_interface{nullptr, routes},
                                               ProviderTimeouts(), route_gate_);
    }
  }
  static ccm_cloud_loadbalancers full_table() {
    return {
        sizeof(ccm_cloud_loadbalancers), 0, &observe, &ensure, &update, &remove, nullptr, nullptr};
  }
  static ccm_cloud_routes route_table() {
    return {sizeof(ccm_cloud_routes), 0, &list_routes, &apply_routes, nullptr};
  }
  const ccm_cloud_loadbalancers& table() {
    return *static_cast<const ccm_cloud_loadbalancers*>(balancers_->table());
  }

  // Everything that is given lives in the call only.
  void ask(decltype(ccm_cloud_loadbalancers::ensure) function, Caught& caught,
           const std::string& uid = "u-1", const ccm_ctx* ctx = nullptr,
           const kube::ObjectPtr& object = nullptr) {
    LoadBalancerService service = service_of(uid, object);
    const detail::LoadBalancerServiceC raw(service);
    const std::vector<Backend> nodes{{"node-1", "test://1", {}, {}}};
    const detail::BackendsC backends(nodes);
    function(balancers_.get(), ctx, raw.get(), backends.data(), backends.size(),
             caught.completion());
    poll();
  }
  Status removed(const std::string& uid, const kube::ObjectPtr& object = nullptr) {
    Caught caught;
    LoadBalancerService service = service_of(uid, object);
    const detail::LoadBalancerServiceC raw(service);
    table().remove(balancers_.get(), nullptr, raw.get(), caught.completion());
    poll();
    if (!open_.empty()) answer(0);
    return caught.status.value_or(Status(Code::unknown, "it did not end"));
  }
  static LoadBalancerService service_of(const std::string& uid, const kube::ObjectPtr& object) {
    LoadBalancerService service;
    service.uid = uid;
    service.default_name = "a" + uid;
    service.ports = {{"http", "TCP", "", 80, 30080}};
    service.object = Object(kept_objects(), object_handle(object));
    return service;
  }
  static kube::ObjectPtr object(const std::string& json) {
    const auto decoded = kube::Object::decode(json);
    EXPECT_TRUE(decoded.ok());
    return *decoded;
  }

  // Completes what is open at that place.
  void answer(std::size_t index, const Status& status = {}, const void* result = nullptr) {
    const Open open = open_.at(index);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
    complete(open.done, status, result);
    poll();
  }
  void answer_active(std::size_t index) {
    LoadBalancer balancer;
    balancer.state = LoadBalancerState::active;
    balancer.id = "lb-1";
    const detail::LoadBalancerC raw(balancer);
    answer(index, {}, raw.get());
  }

  static Route route(int number, bool owned = true) {
    Route route;
    route.id = "r" + std::to_string(number);
    route.destination_cidr = "10.0." + std::to_string(number) + ".0/24";
    route.target_node = "node-" + std::to_string(number);
    route.owned = owned;
    return route;
  }
  static std::vector<Route> routes(int first, int count) {
    std::vector<Route> result;
    for (int i = first; i < first + count; ++i) result.push_back(route(i));
    return result;
  }
  void list(const std::vector<Route>& all) {
    std::optional<std::size_t> listed;
    routes_->list("c", component_->background(),
                  [&](const Result<std::vector<Route>>& result) { listed = result->size(); });
    const detail::RoutesC raw(all);
    answer(0, {}, raw.list());
    ASSERT_EQ(listed, all.size());
  }
  // The reasons of the outcomes, "" for a success; all that reaches the provider succeeds.
  std::vector<std::string> apply(std::vector<Route> removals, std::vector<Route> additions = {}) {
    std::optional<Result<std::vector<Status>>> outcome;
    routes_->apply({"c", std::move(removals), std::move(additions)}, component_->background(),
                   [&](Result<std::vector<Status>> result) { outcome.emplace(std::move(result)); });
    poll();
    applied_.clear();
    if (!open_.empty()) {
      applied_ = open_[0].seen;
      const auto changes = std::count_if(applied_.begin(), applied_.end(),
                                         [](char c) { return c == '-' || c == '+'; });
      const std::vector<Status> fine(static_cast<std::size_t>(changes));
      const detail::RouteResultsC raw(fine);
      answer(0, {}, raw.get());
    }
    std::vector<std::string> reasons;
    EXPECT_TRUE(outcome && outcome->ok());
    if (!outcome || !outcome->ok()) return reasons;
    for (const Status& status : **outcome) reasons.push_back(status.reason());
    return reasons;
  }

  std::vector<Open> open_;
  std::string applied_;  // what the last apply() brought to the provider
  prometheus::Registry registry_;
  DeletionTelemetry balancer_telemetry_{registry_, {}, "loadbalancers"};
  DeletionTelemetry route_telemetry_{registry_, {}, "routes"};
  AbsenceGate balancer_gate_{timers_, balancer_telemetry_, {}, "load balancers"};
  AbsenceGate route_gate_{timers_, route_telemetry_, {}, "routes"};
  std::shared_ptr<LoadBalancersBroker> balancers_broker_;
  std::unique_ptr<LoadBalancersService> balancers_;
  std::shared_ptr<RoutesBroker> routes_;
};

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

TEST_F(NetworkBrokerTest, AGivenUpOperationKeepsItsTurnUntilTheProviderIsDone) {
  const auto provider = full_table();
  start(&provider);
  Caught first, second;
  ask(table().ensure, first);
  advance(61s);
  EXPECT_EQ(first.status->code(), Code::deadline_exceeded);
  ask(table().ensure, second);
  EXPECT_EQ(open_.size(), 1u);
  answer_active(0);  // late
  EXPECT_EQ(first.calls, 1);
  ASSERT_EQ(open_.size(), 1u);
  answer_active(0);
  EXPECT_TRUE(second.status->ok());
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
  const ccm_cloud_routes short_table{offsetof(ccm_cloud_routes, apply), 0, &list_routes,
                                     &apply_routes, nullptr};
  const RoutesBroker routes(component_, ccm_interface{nullptr, &short_table}, ProviderTimeouts(),
                            route_gate_);
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
  EXPECT_TRUE(route_gate_.report().engaged);
  EXPECT_EQ(route_gate_.status_text(),
            "engaged, 11 held: 0 of 40 routes were deleted within 10m0s, 10 may be");
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
  std::vector<Route> moved, anew;
  for (int i = 0; i < 8; ++i) {
    moved.push_back(route(i));
    Route to = route(i);
    to.id.clear();
    (i % 2 == 0 ? to.target_node : to.destination_cidr) = "other" + std::to_string(i);
    anew.push_back(to);
  }
  EXPECT_EQ(apply(moved, anew), std::vector<std::string>(16));
  EXPECT_EQ(apply({duplicate}), std::vector<std::string>{""});
  EXPECT_EQ(apply({route(1, false)}), std::vector<std::string>{"NotOwned"});
  EXPECT_EQ(applied_, "");
  EXPECT_EQ(route_gate_.report().deleted, 0u);
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
