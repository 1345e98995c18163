// The adapter that turns a plain class into a cloud provider. It sees which of these methods the
// class has and fills only their slots of the ABI's tables; the rest counts as not implemented.
// Load balancer and route methods with other parameters do not compile (ccm/method_checks.hpp):
//
//   Status initialize(Ctx);                                       CCM_PROVIDER
//   Status health(Ctx);
//   bool has_cluster_id();
//   Result<InstanceList> list(Ctx);                               CCM_CLOUD_INSTANCES; may also
//                                                                 return std::vector<Instance>
//   Result<std::vector<Instance>> describe(Ctx, std::vector<NodeIdentity>);
//   Result<Instance> get(Ctx, NodeIdentity);
//   Result<LoadBalancer> ensure_load_balancer(Ctx, LoadBalancerService, Backends);
//   Status delete_load_balancer(Ctx, LoadBalancerService);        CCM_CLOUD_LOADBALANCERS: both,
//   Result<LoadBalancer> observe_load_balancer(Ctx, LoadBalancerService, Backends);
//   Result<LoadBalancer> update_load_balancer(Ctx, LoadBalancerService, Backends);
//   Result<std::string> load_balancer_name(Ctx, LoadBalancerService);
//   Result<LoadBalancerLimits> load_balancer_limits(Ctx);
//   Result<std::vector<Route>> list_routes(Ctx, std::string cluster_name);     CCM_CLOUD_ROUTES:
//   Result<std::vector<Status>> apply_routes(Ctx, std::string cluster_name,    both
//                                            std::vector<Route> removals,
//                                            std::vector<Route> additions);
//   Result<RouteLimits> route_limits(Ctx);
//   bool offers_routes();         whether the methods above count, as configured; asked when the
//                                 component has been made. Without it they do.
//
// Each but has_cluster_id and offers_routes may return a Task of that instead, in a plugin whose
// manifest says "nonblocking": true; otherwise they run on a [worker] thread and may block.
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/abi/provider.h>
#include <ccm/component.hpp>
#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/load_balancer_adapter.hpp>
#include <ccm/route_adapter.hpp>

#include <utility>
#include <vector>

namespace ccm::detail {

template <typename T>
concept HasInitialize = requires(T& t, Ctx ctx) {
  t.initialize(ctx);
};
template <typename T>
concept HasHealth = requires(T& t, Ctx ctx) {
  t.health(ctx);
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
concept IsProvider = HasInitialize<T> || HasHealth<T> || HasClusterId<T> || IsInstances<T> ||
    IsLoadBalancers<T> || IsRoutes<T>;

// `Part` has members `Host host` and `T object`; `self` of the tables points to it.
template <typename T, typename Part>
struct ProviderAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }
  static Ctx ctx(Part& part, const ccm_ctx* raw) { return Ctx(part.host.contexts, raw); }

  struct GiveInstances {
    void operator()(const std::vector<Instance>& instances, Completion& completion) const {
      completion.succeed(InstanceListC(instances).list());
    }
    void operator()(const InstanceList& list, Completion& completion) const {
      completion.succeed(InstanceListC(list.instances, list.complete).list());
    }
  };

  static void initialize(void* self, const ccm_ctx* raw, ccm_completion done) noexcept {
    Part& p = part(self);
    operate(
        p.host, "initialize", done, [&] { return p.object.initialize(ctx(p, raw)); }, NoResult());
  }
  static void health(void* self, const ccm_ctx* raw, ccm_completion done) noexcept {
    Part& p = part(self);
    operate(
        p.host, "health", done, [&] { return p.object.health(ctx(p, raw)); }, NoResult());
  }
  static bool has_cluster_id(void* self) noexcept {
    try {
      return part(self).object.has_cluster_id();
    } catch (...) {
      return false;
    }
  }
  static void list(void* self, const ccm_ctx* raw, ccm_completion done) noexcept {
    Part& p = part(self);
    operate(
        p.host, "list", done, [&] { return p.object.list(ctx(p, raw)); }, GiveInstances());
  }
  static void describe(void* self, const ccm_ctx* raw, const ccm_node_identity* const* nodes,
                       size_t count, ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&] {
      std::vector<NodeIdentity> identities;
      identities.reserve(count);
      for (size_t i = 0; i < count; ++i) {
        identities.push_back(NodeIdentity::from_c(p.host.objects, *nodes[i]));
      }
      return p.object.describe(ctx(p, raw), std::move(identities));
    };
    operate(p.host, "describe", done, call, GiveInstances());
  }
  static void get(void* self, const ccm_ctx* raw, const ccm_node_identity* node,
                  ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const Instance& instance, Completion& completion) {
      const std::vector<Instance> one{instance};
      const InstanceListC raw_list(one);
      completion.succeed(raw_list.first());
    };
    const auto call = [&] {
      return p.object.get(ctx(p, raw), NodeIdentity::from_c(p.host.objects, *node));
    };
    operate(p.host, "get", done, call, give);
  }

  static const ccm_provider* provider_table() {
    static const ccm_provider table = [] {
      ccm_provider slots{};
      slots.size = sizeof(slots);
      if constexpr (HasInitialize<T>) slots.initialize = &initialize;
      if constexpr (HasHealth<T>) slots.health = &health;
      if constexpr (HasClusterId<T>) slots.has_cluster_id = &has_cluster_id;
      return slots;
    }();
    return &table;
  }
  static const ccm_cloud_instances* instances_table() {
    static const ccm_cloud_instances table = [] {
      ccm_cloud_instances slots{};
      slots.size = sizeof(slots);
      if constexpr (HasList<T>) slots.list = &list;
      if constexpr (HasDescribe<T>) slots.describe = &describe;
      if constexpr (HasGet<T>) slots.get = &get;
      return slots;
    }();
    return &table;
  }
};

}  // namespace ccm::detail
