#include "method.hpp"

#include "trial.hpp"

#include <utility>
#include <vector>

namespace ccm::conformance {
namespace {

template <typename Table>
struct Id;
template <>
struct Id<ccm_provider> {
  static constexpr const char* kText = CCM_PROVIDER;
};
template <>
struct Id<ccm_cloud_instances> {
  static constexpr const char* kText = CCM_CLOUD_INSTANCES;
};
template <>
struct Id<ccm_cloud_loadbalancers> {
  static constexpr const char* kText = CCM_CLOUD_LOADBALANCERS;
};
template <>
struct Id<ccm_cloud_routes> {
  static constexpr const char* kText = CCM_CLOUD_ROUTES;
};

template <>
struct Id<ccm_cloud_owned> {
  static constexpr const char* kText = CCM_CLOUD_OWNED;
};

template <typename Table>
Service<Table> table_of(Trial& trial) {
  return trial.created().interface<Table>(Id<Table>::kText);
}

template <auto kMember, typename Table>
bool has(Trial& trial) {
  return table_of<Table>(trial).get(kMember) != nullptr;
}

// An operation whose request has no member of its own.
template <typename Table, typename Request, auto kMember, void (*kRead)(const void*, Outcome&)>
Call simple(Trial& trial, int, Shape shape) {
  const auto table = table_of<Table>(trial);
  return {[table, shape](ccm_ctx ctx, ccm_completion done) {
            const Shaped<Request> shaped(shape);
            table.get(kMember)(table.self(), ctx, &shaped.request, done);
          },
          kRead,
          {}};
}

template <auto kMember, void (*kRead)(const void*, Outcome&)>
Call of_service(Trial& trial, int number, Shape shape) {
  const auto table = table_of<ccm_cloud_loadbalancers>(trial);
  constexpr bool kWithBackends = kMember == &ccm_cloud_loadbalancers::ensure ||
                                 kMember == &ccm_cloud_loadbalancers::observe ||
                                 kMember == &ccm_cloud_loadbalancers::update_backends;
  Backends backends;
  if (kWithBackends) backends = trial.backends();
  return {
      [table, shape, service = trial.service(number), backends](ccm_ctx ctx, ccm_completion done) {
        const detail::LoadBalancerServiceC raw(service);
        Shaped<ccm_load_balancer_request> shaped(shape);
        shaped.request.service = raw.get();
        shaped.request.backends = backends.get();
        shaped.request.backend_count = backends.size();
        table.get(kMember)(table.self(), ctx, &shaped.request, done);
      },
      kRead,
      {}};
}

template <typename T, int64_t T::*... kMembers>
void read_limits(const void* result, Outcome& outcome) {
  const T raw = known(static_cast<const T*>(result));
  outcome.limits = {raw.*kMembers...};
}

void read_load_balancer_limits(const void* result, Outcome& outcome) {
  using T = ccm_load_balancer_limits;
  read_limits<T, &T::timeout_ms, &T::load_balancers, &T::backends, &T::parallel>(result, outcome);
  outcome.text = view(known(static_cast<const T*>(result)).id_annotation);
}

void read_instance_limits(const void* result, Outcome& outcome) {
  using T = ccm_instance_limits;
  read_limits<T, &T::timeout_ms, &T::list_timeout_ms, &T::batch, &T::parallel>(result, outcome);
}

void read_route_limits(const void* result, Outcome& outcome) {
  using T = ccm_route_limits;
  read_limits<T, &T::timeout_ms, &T::routes, &T::batch>(result, outcome);
}

NodeIdentity a_node(Trial& trial) {
  const Machine machine = trial.machines(1).front();
  return {machine.name, machine.provider_id, {}, {}};
}

Call list_routes(Trial& trial, int, Shape shape) {
  const auto table = table_of<ccm_cloud_routes>(trial);
  return {[table, shape, cluster = trial.cluster_name()](ccm_ctx ctx, ccm_completion done) {
            Shaped<ccm_list_routes_request> shaped(shape);
            shaped.request.cluster_name = c_str(cluster);
            table.get (&ccm_cloud_routes::list)(table.self(), ctx, &shaped.request, done);
          },
          read_routes,
          {}};
}

ClusterNames clusters_of(const Trial& trial) {
  return {{trial.cluster_name(), trial.cluster_uid()}, true, false};
}

Call list_owned(Trial& trial, int, Shape shape) {
  const auto table = table_of<ccm_cloud_owned>(trial);
  return {[table, shape, names = clusters_of(trial)](ccm_ctx ctx, ccm_completion done) {
            const detail::ClusterNamesC clusters(names);
            Shaped<ccm_list_owned_request> shaped(shape);
            shaped.fill(clusters.request<ccm_list_owned_request>());
            table.get (&ccm_cloud_owned::list)(table.self(), ctx, &shaped.request, done);
          },
          read_owned,
          {}};
}

// A load balancer that does not exist.
Call remove_owned(Trial& trial, int, Shape shape) {
  OwnedObject object;
  object.kind = CCM_OWNED_LOAD_BALANCER;
  object.id = "00000000-0000-4000-8000-000000000000";
  object.cluster = trial.cluster_name();
  return remove_object(trial, object, shape);
}

void prepare_balancer(Trial& trial, int number) { trial.ensured(number); }

void prepare_backends(Trial& trial, int number) {
  trial.reset_backends();
  trial.ensured(number);
  // One Node fewer, so that there is something to do.
  std::vector<Backend> fewer(trial.backends().begin(), trial.backends().end());
  fewer.pop_back();
  trial.backends() = Backends(std::move(fewer));
}

void prepare_route(Trial& trial, int number) { trial.run_well(kAddRoute, number); }

Route listed_route(Trial& trial, int number) {
  const Route wanted = trial.route(number);
  for (Route& route : trial.listed_routes()) {
    if (route.destination_cidr == wanted.destination_cidr) return route;
  }
  Trial::skip("a route that was added is not listed; see ROUTES-03");
}

}  // namespace

Call get_machine(Trial& trial, NodeIdentity node, Shape shape) {
  const auto table = table_of<ccm_cloud_instances>(trial);
  return {[table, shape, node = std::move(node)](ccm_ctx ctx, ccm_completion done) {
            const ccm_node_identity raw = node.to_c();
            Shaped<ccm_get_instance_request> shaped(shape);
            shaped.request.node = &raw;
            table.get (&ccm_cloud_instances::get)(table.self(), ctx, &shaped.request, done);
          },
          read_machine,
          {}};
}

Call describe_machines(Trial& trial, std::vector<NodeIdentity> nodes, Shape shape) {
  const auto table = table_of<ccm_cloud_instances>(trial);
  return {[table, shape, nodes = std::move(nodes)](ccm_ctx ctx, ccm_completion done) {
            std::vector<ccm_node_identity> raw;
            raw.reserve(nodes.size());
            for (const NodeIdentity& node : nodes) raw.push_back(node.to_c());
            const auto pointers = detail::pointers_to(raw);
            Shaped<ccm_describe_instances_request> shaped(shape);
            shaped.request.nodes = pointers.data();
            shaped.request.node_count = pointers.size();
            table.get (&ccm_cloud_instances::describe)(table.self(), ctx, &shaped.request, done);
          },
          read_machines,
          {}};
}

Call remove_object(Trial& trial, const OwnedObject& object, Shape shape) {
  const auto table = table_of<ccm_cloud_owned>(trial);
  return {[table, shape, names = clusters_of(trial), objects = std::vector<OwnedObject>{object}](
              ccm_ctx ctx, ccm_completion done) {
            const detail::ClusterNamesC clusters(names);
            const detail::OwnedObjectsC raw(objects);
            Shaped<ccm_remove_owned_request> shaped(shape);
            shaped.fill(clusters.request<ccm_remove_owned_request>());
            shaped.request.object = raw.first();
            table.get (&ccm_cloud_owned::remove)(table.self(), ctx, &shaped.request, done);
          },
          nullptr,
          {}};
}

Call apply_routes(Trial& trial, std::vector<Route> removals, std::vector<Route> additions,
                  Shape shape) {
  const auto table = table_of<ccm_cloud_routes>(trial);
  return {[table, shape, cluster = trial.cluster_name(), removals = std::move(removals),
           additions = std::move(additions)](ccm_ctx ctx, ccm_completion done) {
            const detail::RoutesC remove(removals);
            const detail::RoutesC add(additions);
            Shaped<ccm_apply_routes_request> shaped(shape);
            shaped.request.cluster_name = c_str(cluster);
            shaped.request.remove = remove.data();
            shaped.request.remove_count = remove.size();
            shaped.request.add = add.data();
            shaped.request.add_count = add.size();
            table.get (&ccm_cloud_routes::apply)(table.self(), ctx, &shaped.request, done);
          },
          read_changes,
          {}};
}

#define CCM_HAS_METHOD(table, member) &has<&table::member, table>

const Method kInitialize = {
    "initialize", CCM_PROVIDER, "ccm/abi/provider.h",
    &simple<ccm_provider, ccm_initialize_request, &ccm_provider::initialize, nullptr>,
    CCM_HAS_METHOD(ccm_provider, initialize)};
const Method kShutdown = {
    "shutdown", CCM_PROVIDER, "ccm/abi/provider.h",
    &simple<ccm_provider, ccm_shutdown_request, &ccm_provider::shutdown, nullptr>,
    CCM_HAS_METHOD(ccm_provider, shutdown)};
const Method kList = {"list", CCM_CLOUD_INSTANCES, "ccm/abi/instances.h",
                      &simple<ccm_cloud_instances, ccm_list_instances_request,
                              &ccm_cloud_instances::list, &read_machines>,
                      CCM_HAS_METHOD(ccm_cloud_instances, list)};
const Method kDescribe = {
    "describe", CCM_CLOUD_INSTANCES, "ccm/abi/instances.h",
    [](Trial& trial, int, Shape shape) { return describe_machines(trial, {a_node(trial)}, shape); },
    CCM_HAS_METHOD(ccm_cloud_instances, describe)};
const Method kGet = {
    "get", CCM_CLOUD_INSTANCES, "ccm/abi/instances.h",
    [](Trial& trial, int, Shape shape) { return get_machine(trial, a_node(trial), shape); },
    CCM_HAS_METHOD(ccm_cloud_instances, get)};
const Method kInstanceLimits = {"limits", CCM_CLOUD_INSTANCES, "ccm/abi/instances.h",
                                &simple<ccm_cloud_instances, ccm_limits_request,
                                        &ccm_cloud_instances::limits, &read_instance_limits>,
                                CCM_HAS_METHOD(ccm_cloud_instances, limits)};

const Method kObserve = {"observe",
                         CCM_CLOUD_LOADBALANCERS,
                         "ccm/abi/loadbalancers.h",
                         &of_service<&ccm_cloud_loadbalancers::observe, &read_balancer>,
                         CCM_HAS_METHOD(ccm_cloud_loadbalancers, observe),
                         &prepare_balancer};
const Method kEnsure = {"ensure", CCM_CLOUD_LOADBALANCERS, "ccm/abi/loadbalancers.h",
                        &of_service<&ccm_cloud_loadbalancers::ensure, &read_balancer>,
                        CCM_HAS_METHOD(ccm_cloud_loadbalancers, ensure)};
const Method kUpdateBackends = {
    "update_backends",
    CCM_CLOUD_LOADBALANCERS,
    "ccm/abi/loadbalancers.h",
    &of_service<&ccm_cloud_loadbalancers::update_backends, &read_balancer>,
    CCM_HAS_METHOD(ccm_cloud_loadbalancers, update_backends),
    &prepare_backends};
const Method kRemove = {"remove",
                        CCM_CLOUD_LOADBALANCERS,
                        "ccm/abi/loadbalancers.h",
                        &of_service<&ccm_cloud_loadbalancers::remove, nullptr>,
                        CCM_HAS_METHOD(ccm_cloud_loadbalancers, remove),
                        &prepare_balancer};
const Method kName = {"name", CCM_CLOUD_LOADBALANCERS, "ccm/abi/loadbalancers.h",
                      &of_service<&ccm_cloud_loadbalancers::name, &read_name>,
                      CCM_HAS_METHOD(ccm_cloud_loadbalancers, name)};
const Method kLane = {"lane", CCM_CLOUD_LOADBALANCERS, "ccm/abi/loadbalancers.h",
                      &of_service<&ccm_cloud_loadbalancers::lane, &read_lane>,
                      CCM_HAS_METHOD(ccm_cloud_loadbalancers, lane)};
const Method kLoadBalancerLimits = {
    "limits", CCM_CLOUD_LOADBALANCERS, "ccm/abi/loadbalancers.h",
    &simple<ccm_cloud_loadbalancers, ccm_limits_request, &ccm_cloud_loadbalancers::limits,
            &read_load_balancer_limits>,
    CCM_HAS_METHOD(ccm_cloud_loadbalancers, limits)};

const Method kListRoutes = {"list", CCM_CLOUD_ROUTES, "ccm/abi/routes.h", &list_routes,
                            CCM_HAS_METHOD(ccm_cloud_routes, list)};
const Method kAddRoute = {"apply", CCM_CLOUD_ROUTES, "ccm/abi/routes.h",
                          [](Trial& trial, int number, Shape shape) {
                            return apply_routes(trial, {}, {trial.route(number)}, shape);
                          },
                          CCM_HAS_METHOD(ccm_cloud_routes, apply)};
const Method kRemoveRoute = {"apply",
                             CCM_CLOUD_ROUTES,
                             "ccm/abi/routes.h",
                             [](Trial& trial, int number, Shape shape) {
                               return apply_routes(trial, {listed_route(trial, number)}, {}, shape);
                             },
                             CCM_HAS_METHOD(ccm_cloud_routes, apply),
                             &prepare_route};
const Method kRouteLimits = {
    "limits", CCM_CLOUD_ROUTES, "ccm/abi/routes.h",
    &simple<ccm_cloud_routes, ccm_limits_request, &ccm_cloud_routes::limits, &read_route_limits>,
    CCM_HAS_METHOD(ccm_cloud_routes, limits)};

const Method kListOwned = {"list", CCM_CLOUD_OWNED, "ccm/abi/owned.h", &list_owned,
                           CCM_HAS_METHOD(ccm_cloud_owned, list)};
const Method kRemoveOwned = {"remove", CCM_CLOUD_OWNED, "ccm/abi/owned.h", &remove_owned,
                             CCM_HAS_METHOD(ccm_cloud_owned, remove)};

#undef CCM_HAS_METHOD

}  // namespace ccm::conformance
