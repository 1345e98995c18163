// Steps of cases about load balancers and routes.
#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ccm::conformance {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr uint64_t kUid = 0xffffffffU;  // the part of the seed that is in UIDs
constexpr int kRounds = 60;             // until a load balancer must be there, or gone

// When to come back, as the host would.
std::chrono::milliseconds pause_of(std::chrono::milliseconds asked) {
  return asked > 0ms ? asked : 5s;
}

json object_of(const Backend& backend) {
  json addresses = json::array();
  for (const NodeAddress& address : backend.addresses) {
    addresses.push_back({{"type", address.type}, {"address", address.address}});
  }
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", backend.name}, {"uid", "uid-of-" + backend.name}}},
          {"spec", {{"providerID", backend.provider_id}}},
          {"status", {{"addresses", addresses}}}};
}

json object_of(const LoadBalancerService& service) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata",
           {{"name", service.name},
            {"namespace", service.namespace_name},
            {"uid", service.uid},
            {"annotations", json::object()}}},
          {"spec",
           {{"type", "LoadBalancer"},
            {"ipFamilies", {"IPv4"}},
            {"ipFamilyPolicy", "SingleStack"},
            {"externalTrafficPolicy", "Cluster"},
            {"ports",
             {{{"name", "http"},
               {"protocol", "TCP"},
               {"port", service.ports.front().port},
               {"targetPort", 8080},
               {"nodePort", service.ports.front().node_port}}}}}}};
}

void name_by_uid(LoadBalancerService& service, std::string uid) {
  service.uid = std::move(uid);
  service.default_name = "a";
  for (const char c : service.uid) {
    if (c != '-' && service.default_name.size() < 32) service.default_name += c;
  }
}

}  // namespace

std::string Trial::cluster_uid() const {
  return fmt::format("5eed0000-0000-4000-8000-{:012x}", live() ? settings.cluster_seed & kUid : 0);
}

// Before it is made, so that a crash leaves nothing that nobody knows of.
void Trial::write_down(const Method& method, int number) const {
  if (settings.ledger < 0) return;
  const char* kind = &method == &kEnsure     ? "load-balancer"
                     : &method == &kAddRoute ? "route"
                                             : nullptr;
  if (kind != nullptr) ::dprintf(settings.ledger, "%s %d\n", kind, number);
}

LoadBalancerService& Trial::service(int number) {
  const auto known = services_.find(number);
  if (known != services_.end()) return known->second;
  LoadBalancerService service;
  service.name = fmt::format("web-{}", number);
  service.namespace_name = cluster_name();
  if (live()) {
    name_by_uid(service,
                fmt::format("{:08x}-{:04x}-4000-8000-000000000000", settings.seed & kUid, number));
    service.default_name = settings.prefix + "-" + service.default_name.substr(1, 12);
  } else {
    name_by_uid(service,
                fmt::format("{:08x}-0000-4000-8000-{:012x}", number, settings.seed & kUid));
  }
  service.cluster_name = cluster_name();
  service.ports = {{"http", "TCP", "", 80, 30080 + number}};
  service.ip_families = {"IPv4"};
  service.object = host.objects.make(object_of(service).dump());
  return services_.emplace(number, std::move(service)).first->second;
}

void Trial::make_anew(int number) {
  LoadBalancerService& made = service(number);
  name_by_uid(made, fmt::format("{:08x}-0000-4000-9000-{:012x}", number, settings.seed & kUid));
  made.object = host.objects.make(object_of(made).dump());
}

Backends& Trial::backends() {
  if (!backends_) {
    std::vector<Machine> targets = {{"node-1", ""},
                                    {"node-2", ""}};  // of a provider without instances
    if (offers(kList) || offers(kDescribe) || offers(kGet) || cloud.there()) targets = machines(2);
    choose_backends(targets);
  }
  return *backends_;
}

void Trial::choose_backends(const std::vector<Machine>& targets) {
  std::vector<Backend> list;
  for (const Machine& machine : targets) {
    Backend backend;
    backend.name = machine.name;
    backend.provider_id = machine.provider_id;
    backend.addresses = {{"InternalIP", fmt::format("10.0.0.{}", 10 + list.size())}};
    list.push_back(std::move(backend));
  }
  if (offers(kList)) {
    const Outcome listed = run_well(kList);
    for (const Instance& machine : listed.machines.instances) {
      for (Backend& backend : list) {
        if (backend.provider_id == machine.provider_id) backend.addresses = machine.addresses;
      }
    }
  }
  for (Backend& backend : list) {
    const std::string object = object_of(backend).dump();
    host.kube.put("v1/nodes", object);
    backend.node = host.objects.make(object);
  }
  all_backends_ = Backends(std::move(list));
  backends_ = all_backends_;
}

Route Trial::route(int number) {
  Route route;
  const Backend& target = *backends().begin();
  // In a real network a range for measurements (RFC 2544), which leads nowhere else.
  route.destination_cidr = fmt::format("{}.{}.0/24", live() ? "198.18" : "10.244", number);
  route.name_hint = fmt::format("{}-{}-{}-0-24", target.name, live() ? "198-18" : "10-244", number);
  route.target_node = target.name;
  route.target_provider_id = target.provider_id;
  route.target_addresses = target.addresses;
  route.node = target.node;
  return route;
}

Outcome Trial::ensure_until_active(int number) {
  Outcome outcome;
  for (int round = 0; round < kRounds; ++round) {
    outcome = run(kEnsure, number);
    if (!network.fault().empty()) skip(network.fault());
    const LoadBalancer& balancer = outcome.balancer;
    if (!balancer.id.empty()) service(number).id = balancer.id;
    const bool waits = outcome.status.error_class() == ErrorClass::waiting;
    if (!outcome.ok() && !waits) return outcome;
    if (outcome.ok() && balancer.state != LoadBalancerState::pending &&
        balancer.state != LoadBalancerState::unknown) {
      return outcome;
    }
    host.loop.advance(pause_of(waits ? outcome.status.retry_after() : balancer.retry_after));
  }
  return outcome;
}

LoadBalancer Trial::ensured(int number) {
  need(kEnsure);
  const Outcome outcome = ensure_until_active(number);
  if (outcome.status.code() == Code::implemented_elsewhere) {
    skip("ensure says that another program does it: " + std::string(outcome.status.message()));
  }
  if (!outcome.ok() || !outcome.problems.empty() ||
      outcome.balancer.state != LoadBalancerState::active) {
    skip("ensure makes no load balancer; see LOADBALANCERS-01 (" + describe(outcome.status) + ")");
  }
  return outcome.balancer;
}

Status Trial::removed(int number) {
  Status status;
  for (int round = 0; round < kRounds; ++round) {
    status = run(kRemove, number).status;
    if (status.error_class() != ErrorClass::waiting) break;
    host.loop.advance(pause_of(status.retry_after()));
  }
  return status.error_class() == ErrorClass::not_found ? Status() : status;
}

Outcome Trial::run(const char* name, const Call& call, std::chrono::seconds limit) {
  Outcome outcome;
  for (int round = 0; round < kRounds; ++round) {
    Call again = call;
    again.ctx = host.contexts.make(limit);
    outcome = finish(created().start(name, std::move(again)));
    const auto waits = std::find_if(
        outcome.changes.begin(), outcome.changes.end(),
        [](const Status& change) { return change.error_class() == ErrorClass::waiting; });
    if (!outcome.ok() || waits == outcome.changes.end()) break;
    host.loop.advance(pause_of(waits->retry_after()));
  }
  return outcome;
}

std::vector<Route> Trial::listed_routes() { return run_well(kListRoutes).routes; }

}  // namespace ccm::conformance
