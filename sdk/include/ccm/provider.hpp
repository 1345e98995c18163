// The adapter that turns a plain class into a cloud provider. It sees which of these methods the
// class has and fills only their slots of the ABI's tables; the rest counts as not implemented.
// Load balancer and route methods with other parameters do not compile
// (ccm/detail/method_checks.hpp):
//
//   Status initialize(Ctx);                                       CCM_PROVIDER
//   Status shutdown(Ctx);            logs out; the last operation
//   bool has_cluster_id();
//   bool offers(std::string_view);   of CCM_CLOUD_..., after the log-in: whether this cloud has it
//   Result<InstanceList> list(Ctx);  or Result<std::vector<Instance>>      CCM_CLOUD_INSTANCES
//   Result<std::vector<Instance>> describe(Ctx, std::vector<NodeIdentity>);
//   Result<Instance> get(Ctx, NodeIdentity);
//   Result<InstanceLimits> instance_limits(Ctx);
//   Result<LoadBalancer> ensure_load_balancer(Ctx, LoadBalancerService, Backends);
//   Status delete_load_balancer(Ctx, LoadBalancerService);        CCM_CLOUD_LOADBALANCERS: both,
//   Result<LoadBalancer> observe_load_balancer(Ctx, LoadBalancerService, Backends);
//   Result<LoadBalancer> update_load_balancer(Ctx, LoadBalancerService, Backends);
//   Result<std::string> load_balancer_name(Ctx, LoadBalancerService);
//   Result<std::string> load_balancer_lane(Ctx, LoadBalancerService);
//   Result<LoadBalancerLimits> load_balancer_limits(Ctx);
//   Result<std::vector<Route>> list_routes(Ctx, std::string cluster_name);     CCM_CLOUD_ROUTES:
//   Result<std::vector<Status>> apply_routes(Ctx, std::string cluster_name,    both
//                                            std::vector<Route> removals,
//                                            std::vector<Route> additions);
//   Result<RouteLimits> route_limits(Ctx);
//   Result<std::vector<OwnedObject>> list_owned(Ctx, ClusterNames);             CCM_CLOUD_OWNED:
//   Status remove_owned(Ctx, ClusterNames, OwnedObject);                        both
//
// Each but has_cluster_id and offers may return a Task of that instead, in a plugin whose manifest
// says "nonblocking": true; otherwise they run on a [worker] thread and may block. An
// ensure_load_balancer that fails half-way returns Result<LoadBalancer>(status, so_far).
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/abi/provider.h>
#include <ccm/component.hpp>
#include <ccm/detail/load_balancer_adapter.hpp>
#include <ccm/detail/owned_adapter.hpp>
#include <ccm/detail/route_adapter.hpp>
#include <ccm/host.hpp>
#include <ccm/instances.hpp>

#include <concepts>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::detail {

template <typename T>
concept HasInitialize = requires(T& t, Ctx ctx) {
  t.initialize(ctx);
};
template <typename T>
concept HasShutdown = requires(T& t, Ctx ctx) {
  t.shutdown(ctx);
};
template <typename T>
concept HasOffers = requires(T& t, std::string_view id) {
  { t.offers(id) } -> std::same_as<bool>;
};
template <typename T>
concept HasInstanceLimits = requires(T& t, Ctx ctx) {
  t.instance_limits(ctx);
};
template <typename T>
concept HasClusterId = requires(T& t) {
  { t.has_cluster_id() } -> std::same_as<bool>;
};
template <typename T>
concept HasList = requires(T& t, Ctx ctx) {
  t.list(ctx);
};
template <typename T>
concept HasDescribe = requires(T& t, Ctx ctx, std::vector<NodeIdentity> nodes) {
  t.describe(ctx, std::move(nodes));
};
template <typename T>
concept HasGet = requires(T& t, Ctx ctx, NodeIdentity node) {
  t.get(ctx, std::move(node));
};

template <typename T>
concept IsInstances = HasList<T> || HasDescribe<T> || HasGet<T>;
template <typename T>
concept IsProvider = HasInitialize<T> || HasClusterId<T> || HasShutdown<T> || IsInstances<T> ||
    IsLoadBalancers<T> || IsRoutes<T>;

// A listing may be a plain vector, or say which instances are unknown.
struct GiveInstances {
  void operator()(const std::vector<Instance>& instances, const Pass& pass) const {
    const InstanceListC raw(instances);
    pass(raw.list());
  }
  void operator()(const InstanceList& instances, const Pass& pass) const {
    const InstanceListC raw(instances);
    pass(raw.list());
  }
};

// `Part` has members `Host host` and `T object`; `self` of the tables points to it.
template <typename T, typename Part>
struct ProviderAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }
  static Ctx ctx(Part& part, ccm_ctx raw) { return Ctx(part.host.contexts, raw); }

  static void initialize(void* self, ccm_ctx raw, const ccm_initialize_request* request,
                         ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const auto&) { return p.object.initialize(ctx(p, raw)); };
    operate_on(p.host, "initialize", request, done, call, NoResult());
  }
  static void shutdown(void* self, ccm_ctx raw, const ccm_shutdown_request* request,
                       ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const auto&) { return p.object.shutdown(ctx(p, raw)); };
    operate_on(p.host, "shutdown", request, done, call, NoResult());
  }
  static ccm_bool has_cluster_id(void* self) noexcept {
    try {
      return part(self).object.has_cluster_id() ? 1 : 0;
    } catch (...) {
      return 0;
    }
  }
  static void list(void* self, ccm_ctx raw, const ccm_list_instances_request* request,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const auto&) { return p.object.list(ctx(p, raw)); };
    operate_on(p.host, "list", request, done, call, GiveInstances());
  }
  static void describe(void* self, ccm_ctx raw, const ccm_describe_instances_request* request,
                       ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_describe_instances_request& asked) {
      std::vector<NodeIdentity> identities;
      identities.reserve(asked.node_count);
      for (size_t i = 0; i < asked.node_count; ++i) {
        identities.push_back(NodeIdentity::from_c(p.host.objects, *asked.nodes[i]));
      }
      return p.object.describe(ctx(p, raw), std::move(identities));
    };
    operate_on(p.host, "describe", request, done, call, GiveInstances());
  }
  static void get(void* self, ccm_ctx raw, const ccm_get_instance_request* request,
                  ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const Instance& instance, const Pass& pass) {
      const std::vector<Instance> instances{instance};
      const InstanceListC raw_list(instances);
      pass(raw_list.first());
    };
    const auto call = [&](const ccm_get_instance_request& asked) {
      return p.object.get(ctx(p, raw), NodeIdentity::from_c(p.host.objects, *asked.node));
    };
    operate_on(p.host, "get", request, done, call, give);
  }
  static void limits(void* self, ccm_ctx raw, const ccm_limits_request* request,
                     ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const InstanceLimits& limits, const Pass& pass) {
      const ccm_instance_limits raw_limits = limits_to_c(limits);
      pass(&raw_limits);
    };
    const auto call = [&](const auto&) { return p.object.instance_limits(ctx(p, raw)); };
    operate_on(p.host, "instance_limits", request, done, call, give);
  }

  // Whether the class says that its cloud has that interface. One that throws has nothing.
  static bool offers(Part& part, const char* id) noexcept {
    if constexpr (HasOffers<T>) {
      try {
        return part.object.offers(id);
      } catch (...) {
        part.host.log.error("An operation threw",
                            {{"operation", "offers"}, {"err", status_of_exception()}});
        return false;
      }
    }
    return true;
  }

  static const ccm_provider* provider_table() {
    static const ccm_provider table = [] {
      ccm_provider slots = sized<ccm_provider>();
      if constexpr (HasInitialize<T>) slots.initialize = &initialize;
      if constexpr (HasClusterId<T>) slots.has_cluster_id = &has_cluster_id;
      if constexpr (HasShutdown<T>) slots.shutdown = &shutdown;
      return slots;
    }();
    return &table;
  }
  static const ccm_cloud_instances* instances_table() {
    static const ccm_cloud_instances table = [] {
      ccm_cloud_instances slots = sized<ccm_cloud_instances>();
      if constexpr (HasList<T>) slots.list = &list;
      if constexpr (HasDescribe<T>) slots.describe = &describe;
      if constexpr (HasGet<T>) slots.get = &get;
      if constexpr (HasInstanceLimits<T>) slots.limits = &limits;
      return slots;
    }();
    return &table;
  }
};

}  // namespace ccm::detail
