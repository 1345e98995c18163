// The provider's operations on load balancers and routes: maps Nodes to machines and calls
// load_balancers and cloud_routes.
#include "machine.hpp"
#include "provider.hpp"

#include <algorithm>
#include <utility>

namespace sandbox {

using ccm::Backend;
using ccm::Backends;
using ccm::Code;
using ccm::Ctx;
using ccm::ErrorClass;
using ccm::LoadBalancer;
using ccm::LoadBalancerService;
using ccm::Result;
using ccm::Route;
using ccm::Status;
using ccm::Task;

Status Provider::needs_cloud() const {
  if (!cloud_.is_file()) return {};
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "a machines file has no load balancers and no routes");
}

Task<Result<std::string>> Provider::machine_of(Ctx ctx, std::string name, std::string provider_id) {
  if (!provider_id.empty()) co_return machine_id(provider_id).value_or("");
  auto machine = co_await get_by_name(ctx, std::move(name));
  if (machine.status().code() == Code::not_found) co_return std::string();
  if (!machine.ok()) co_return machine.status();
  co_return machine_id(machine->provider_id).value_or("");
}

Task<Result<MachineIds>> Provider::machines_of(Ctx ctx, Backends backends) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  if (const auto last = last_machines_.lock(); last && last->backends.same(backends)) {
    co_return MachineIds(last, &last->ids);
  }
  const auto machines = std::make_shared<Machines>();
  bool asked = false;
  for (const Backend& backend : backends) {
    asked = asked || backend.provider_id.empty();
    auto id = co_await machine_of(ctx, backend.name, backend.provider_id);
    if (!id.ok()) co_return id.status();
    if (!id->empty()) machines->ids.push_back(*std::move(id));
  }
  std::sort(machines->ids.begin(), machines->ids.end());
  machines->backends = std::move(backends);
  if (!asked) last_machines_ = machines;
  co_return MachineIds(machines, &machines->ids);
}

Task<Result<LoadBalancer>> Provider::observe_load_balancer(Ctx ctx, LoadBalancerService service,
                                                           Backends backends) {
  auto machines = co_await machines_of(ctx, std::move(backends));
  if (!machines.ok()) co_return machines.status();
  auto answer = co_await load_balancers_.observe(ctx, std::move(service), *std::move(machines));
  co_return answer;
}

Task<Result<LoadBalancer>> Provider::ensure_load_balancer(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  auto machines = co_await machines_of(ctx, std::move(backends));
  if (!machines.ok()) co_return machines.status();
  auto answer = co_await load_balancers_.ensure(ctx, std::move(service), *std::move(machines));
  co_return answer;
}

Task<Result<LoadBalancer>> Provider::update_load_balancer(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  auto machines = co_await machines_of(ctx, std::move(backends));
  if (!machines.ok()) co_return machines.status();
  auto answer = co_await load_balancers_.update(ctx, std::move(service), *std::move(machines));
  co_return answer;
}

Task<Status> Provider::delete_load_balancer(Ctx ctx, LoadBalancerService service) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  Status deleted = co_await load_balancers_.remove(ctx, std::move(service));
  co_return deleted;
}

Task<Result<ccm::LoadBalancerLimits>> Provider::load_balancer_limits(Ctx ctx) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto limits = co_await load_balancers_.limits(ctx);
  co_return limits;
}

Task<Result<std::vector<Route>>> Provider::list_routes(Ctx ctx, std::string cluster_name) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto routes = co_await routes_.list(ctx, std::move(cluster_name));
  co_return routes;
}

Task<Result<std::vector<Status>>> Provider::apply_routes(Ctx ctx, std::string cluster_name,
                                                         std::vector<Route> removals,
                                                         std::vector<Route> additions) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  std::vector<std::string> machines;
  for (const Route& route : additions) {
    auto id = co_await machine_of(ctx, route.target_node, route.target_provider_id);
    if (!id.ok()) co_return id.status();
    machines.push_back(*std::move(id));
  }
  auto outcome = co_await routes_.apply(ctx, std::move(cluster_name), std::move(removals),
                                        std::move(additions), std::move(machines));
  co_return outcome;
}

Task<Result<ccm::RouteLimits>> Provider::route_limits(Ctx ctx) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto limits = co_await routes_.limits(ctx);
  co_return limits;
}

Task<Result<std::vector<ccm::OwnedObject>>> Provider::list_owned(Ctx ctx,
                                                                 ccm::ClusterNames cluster) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto objects = co_await owned_.list(ctx, std::move(cluster));
  co_return objects;
}

Task<Status> Provider::remove_owned(Ctx ctx, ccm::ClusterNames cluster, ccm::OwnedObject object) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  Status removed = co_await owned_.remove(ctx, std::move(cluster), std::move(object));
  co_return removed;
}

}  // namespace sandbox
