// Load balancers and routes between a controller and a provider, both played by the test.
#pragma once

#include "../../support/start_task.hpp"
#include "../plugin/test_runtime.hpp"
#include "cloud/broker/abi_structs.hpp"
#include "cloud/broker/cloud_services.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "route_nodes.hpp"

#include <prometheus/registry.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::cloud {

using namespace std::chrono_literals;

// Calls that have reached the provider and wait for its answer.
struct Open {
  std::string operation;
  std::string uid;
  std::string seen;  // of the Service's object, or of the routes
  std::size_t backends = 0;
  ccm_completion done{};
};
inline std::vector<Open>* g_open = nullptr;

namespace played {

inline void note_service(const char* operation, const ccm_load_balancer_request* request,
                         ccm_completion done) {
  const ccm_service& service = *request->service;
  Open open{operation, std::string(view(service.uid)), {}, request->backend_count, done};
  if (service.object != nullptr)
    open.seen = plugin::object_of(service.object)->text_at("/metadata/name");
  g_open->push_back(std::move(open));
}
inline void observe(void*, ccm_ctx, const ccm_load_balancer_request* request, ccm_completion done) {
  note_service("observe", request, done);
}
inline void ensure(void*, ccm_ctx, const ccm_load_balancer_request* request, ccm_completion done) {
  note_service("ensure", request, done);
}
inline void update(void*, ccm_ctx, const ccm_load_balancer_request* request, ccm_completion done) {
  note_service("update", request, done);
}
inline void remove(void*, ccm_ctx, const ccm_load_balancer_request* request, ccm_completion done) {
  note_service("remove", request, done);
}

inline void list_routes(void*, ccm_ctx, const ccm_list_routes_request* request,
                        ccm_completion done) {
  g_open->push_back({"list", std::string(view(request->cluster_name)), {}, 0, done});
}
inline void apply_routes(void*, ccm_ctx, const ccm_apply_routes_request* request,
                         ccm_completion done) {
  std::string seen;
  for (size_t i = 0; i < request->remove_count; ++i) {
    seen += "-" + std::string(view(request->remove[i]->id));
  }
  for (size_t i = 0; i < request->add_count; ++i) {
    seen += "+" + std::string(view(request->add[i]->destination_cidr));
  }
  g_open->push_back({"apply", std::string(view(request->cluster_name)), seen, 0, done});
}

}  // namespace played

class NetworkBrokerTest : public plugin::PluginHostTest {
 protected:
  NetworkBrokerTest() { g_open = &open_; }
  ~NetworkBrokerTest() override {
    tasks_.clear();
    balancers_.reset();
    balancers_broker_.reset();
    routes_.reset();
    host_.reset();
    g_open = nullptr;
  }

  // The provider has these tables; the same component is the controller that calls.
  void start(const ccm_cloud_loadbalancers* balancers, const ccm_cloud_routes* routes = nullptr) {
    ASSERT_TRUE(create(true).ok());
    balancer_brake_.begin();
    member_brake_.begin();
    route_brake_.begin();
    if (balancers != nullptr) {
      balancers_broker_ = std::make_shared<LoadBalancersBroker>(
          component_, ccm_interface{nullptr, balancers}, ProviderTimeouts(),
          LoadBalancersBroker::Brakes{balancer_brake_, member_brake_}, registry_, limits_);
      balancers_ = std::make_unique<LoadBalancersService>(component_, balancers_broker_);
    }
    if (routes != nullptr) {
      nodes_.number(100);
      auto targets =
          std::make_unique<RouteTargets>(nodes_, timers_, permitted("10.0.0.0/8"), nullptr);
      routes_ = std::make_shared<RoutesBroker>(
          component_, ccm_interface{nullptr, routes}, ProviderTimeouts(), route_brake_,
          std::move(targets),
          [this](const std::string& name) { return deleted_nodes_.count(name) > 0; });
    }
  }
  static RoutableRanges permitted(const std::string& cluster_cidr) {
    return RoutableRanges::of_flags([&](std::string_view name) -> std::optional<std::string> {
      if (name != "cluster-cidr") return std::nullopt;
      return cluster_cidr;
    });
  }
  static ccm_cloud_loadbalancers full_table() {
    auto table = sized<ccm_cloud_loadbalancers>();
    table.observe = &played::observe;
    table.ensure = &played::ensure;
    table.update_backends = &played::update;
    table.remove = &played::remove;
    return table;
  }
  static ccm_cloud_routes route_table() {
    auto table = sized<ccm_cloud_routes>();
    table.list = &played::list_routes;
    table.apply = &played::apply_routes;
    return table;
  }
  const ccm_cloud_loadbalancers& table() {
    return *static_cast<const ccm_cloud_loadbalancers*>(balancers_->interface().table);
  }

  // Everything that is given lives in the call only.
  void ask(decltype(ccm_cloud_loadbalancers::ensure) function, plugin::Caught& caught,
           const std::string& uid = "u-1", ccm_ctx ctx = {},
           const kube::ObjectPtr& object = nullptr) {
    ask_with({{"node-1", "test://1", {}, {}}}, function, caught, service_of(uid, object), ctx);
  }
  void ask_with(const std::vector<Backend>& nodes,
                decltype(ccm_cloud_loadbalancers::ensure) function, plugin::Caught& caught,
                const LoadBalancerService& service, ccm_ctx ctx = {}) {
    const detail::LoadBalancerServiceC raw(service);
    const detail::BackendsC backends(nodes);
    auto request = sized<ccm_load_balancer_request>();
    request.service = raw.get();
    request.backends = backends.data();
    request.backend_count = backends.size();
    function(balancers_.get(), ctx, &request, caught.completion());
    poll();
  }
  Status removed(const std::string& uid, const kube::ObjectPtr& object = nullptr) {
    plugin::Caught caught;
    LoadBalancerService service = service_of(uid, object);
    const detail::LoadBalancerServiceC raw(service);
    auto request = sized<ccm_load_balancer_request>();
    request.service = raw.get();
    table().remove(balancers_.get(), {}, &request, caught.completion());
    poll();
    if (!open_.empty()) answer(0);
    return caught.status.value_or(Status(Code::unknown, "it did not end"));
  }
  static LoadBalancerService service_of(const std::string& uid, const kube::ObjectPtr& object) {
    LoadBalancerService service;
    service.uid = uid;
    service.default_name = "a" + uid;
    service.ports = {{"http", "TCP", "", 80, 30080}};
    service.object = Object(kept_objects(), plugin::object_handle(object));
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
    plugin::complete(open.done, status, result);
    poll();
  }
  void answer_active(std::size_t index) {
    LoadBalancer balancer;
    balancer.state = LoadBalancerState::active;
    balancer.id = "lb-1";
    const detail::LoadBalancerC raw(balancer);
    answer(index, {}, raw.get());
  }

  // The order in which the provider gets the requests of these Services, by the keys of their
  // reconciles.
  std::vector<std::string> order_of(const std::vector<std::string>& keys) {
    std::vector<std::unique_ptr<plugin::KnownContext>> contexts;
    std::vector<plugin::Caught> caught(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto origin =
          std::make_shared<plugin::Origin>("service", keys[i], plugin::CallPriority::routes);
      contexts.push_back(std::make_unique<plugin::KnownContext>(
          runtime_.contexts, plugin_number(),
          component_->background()->child(std::nullopt, {}, origin)));
      ask(table().ensure, caught[i], keys[i], contexts.back()->get());
    }
    std::vector<std::string> order;
    while (!open_.empty()) {
      order.push_back(open_[0].uid);
      answer_active(0);
    }
    return order;
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
    tasks_(routes_->list("c", component_->background()),
           [&](const Result<std::vector<Route>>& result) { listed = result->size(); });
    const detail::RoutesC raw(all);
    answer(0, {}, raw.list());
    ASSERT_EQ(listed, all.size());
  }
  // Answers the `apply` that is open with a success of each change.
  void succeed_with_routes() {
    const std::string seen = open_.at(0).seen;
    if (!applied_.empty()) applied_ += ' ';
    applied_ += seen;
    const auto changes =
        std::count_if(seen.begin(), seen.end(), [](char c) { return c == '-' || c == '+'; });
    const std::vector<Status> fine(static_cast<std::size_t>(changes));
    const detail::RouteResultsC raw(fine);
    answer(0, {}, raw.get());
  }
  // The reasons of the outcomes, "" for a success; all that reaches the provider succeeds.
  std::vector<std::string> apply(std::vector<Route> removals, std::vector<Route> additions = {}) {
    std::optional<Result<std::vector<Status>>> outcome;
    tasks_(
        routes_->apply({"c", std::move(removals), std::move(additions)}, component_->background()),
        [&](Result<std::vector<Status>> result) { outcome.emplace(std::move(result)); });
    poll();
    applied_.clear();
    while (!open_.empty()) succeed_with_routes();
    std::vector<std::string> reasons;
    EXPECT_TRUE(outcome && outcome->ok());
    if (!outcome || !outcome->ok()) return reasons;
    for (const Status& status : **outcome) reasons.push_back(status.reason());
    return reasons;
  }

  RouteNodes nodes_;
  std::vector<Open> open_;
  std::string applied_;  // what the last apply() brought to the provider, each call as a word
  prometheus::Registry registry_;
  LoadBalancerLimitOptions limits_;
  DeletionTelemetry balancer_telemetry_{registry_, {}, "loadbalancers"};
  DeletionTelemetry route_telemetry_{registry_, {}, "routes"};
  DeletionTelemetry member_telemetry_{registry_, {}, "members"};
  AbsenceBrake balancer_brake_{
      timers_, balancer_telemetry_, {}, {"load balancers", "are not wanted any more"}};
  AbsenceBrake member_brake_{timers_,
                             member_telemetry_,
                             {},
                             {"load balancers", "would lose all members", "lost them"},
                             "lose all members"};
  AbsenceBrake route_brake_{timers_, route_telemetry_, {}, {"routes", "are not wanted any more"}};
  std::set<std::string> deleted_nodes_;  // by the gate for Nodes
  std::shared_ptr<LoadBalancersBroker> balancers_broker_;
  std::unique_ptr<LoadBalancersService> balancers_;
  std::shared_ptr<RoutesBroker> routes_;
  Tasks tasks_;
};

}  // namespace ccm::cloud
