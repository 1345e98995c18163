// A provider in C's manner that blocks, and the state that components of its plugin share.
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/plugin.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/queue.h>
#include <ccm/abi/routes.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_host {

inline void complete(ccm_completion done, Status status = {}, const void* result = nullptr) {
  const ccm_status c_status = status.to_c();
  done.fn(done.owner, done.operation, &c_status, result);
}

// A provider that blocks; its table ends before `get`, as one of an older header would.
struct Cloud {
  std::vector<Status> initialize_results;  // then ok
  std::atomic<int> initialized{0};
  std::atomic<int> listed{0};
  std::atomic<int> destroyed{0};
  std::atomic<int> limits_asked{0};
  std::atomic<int> shut_down{0};
  std::map<std::string, std::string> machines;   // name -> provider ID
  std::map<std::string, std::string> other_ids;  // name -> another one
  const ccm_host* host = nullptr;
  void* shared = nullptr;  // what open gave
  std::function<void(const ccm_host*)> on_create;
};
inline Cloud* g_cloud = nullptr;

inline void cloud_initialize(void*, ccm_ctx, const ccm_initialize_request*, ccm_completion done) {
  const int number = g_cloud->initialized++;
  if (number < static_cast<int>(g_cloud->initialize_results.size())) {
    return complete(done, g_cloud->initialize_results[static_cast<std::size_t>(number)]);
  }
  complete(done);
}

inline void cloud_list(void*, ccm_ctx, const ccm_list_instances_request*, ccm_completion done) {
  ++g_cloud->listed;
  std::vector<ccm_instance> instances;
  std::vector<const ccm_instance*> pointers;
  std::vector<ccm_str> others;
  others.reserve(g_cloud->other_ids.size());
  for (const auto& [name, id] : g_cloud->machines) {
    ccm_instance instance{};
    instance.size = sizeof(instance);
    instance.state = CCM_INSTANCE_RUNNING;
    instance.name = c_str(name);
    instance.provider_id = c_str(id);
    instances.push_back(instance);
    const auto other = g_cloud->other_ids.find(name);
    if (other == g_cloud->other_ids.end()) continue;
    others.push_back(c_str(other->second));
    instances.back().other_ids = &others.back();
    instances.back().other_id_count = 1;
  }
  for (const ccm_instance& instance : instances) pointers.push_back(&instance);
  auto list = sized<ccm_instance_list>();
  list.instances = pointers.data();
  list.count = pointers.size();
  complete(done, {}, &list);
}

// Never called: they make the host offer the interfaces.
inline void no_load_balancer(void*, ccm_ctx, const ccm_load_balancer_request*, ccm_completion) {
  FAIL();
}
inline void no_routes(void*, ccm_ctx, const ccm_list_routes_request*, ccm_completion) { FAIL(); }
inline void no_changes(void*, ccm_ctx, const ccm_apply_routes_request*, ccm_completion) { FAIL(); }

inline void cloud_shutdown(void*, ccm_ctx, const ccm_shutdown_request*, ccm_completion done) {
  EXPECT_EQ(g_cloud->destroyed, 0);
  ++g_cloud->shut_down;
  complete(done);
}

inline void cloud_limits(void*, ccm_ctx, const ccm_limits_request*, ccm_completion done) {
  EXPECT_GT(g_cloud->initialized, 0) << "asked after the log-in";
  auto limits = sized<ccm_load_balancer_limits>();
  limits.timeout_ms = 1'000;
  limits.id_annotation = c_str("example.com/lb~id");
  ++g_cloud->limits_asked;
  complete(done, {}, &limits);
}

inline ccm_bool cloud_interface(void*, const char* id, ccm_interface* out) {
  static const ccm_provider provider = [] {
    auto table = sized<ccm_provider>();
    table.initialize = &cloud_initialize;
    table.shutdown = &cloud_shutdown;
    return table;
  }();
  if (std::string_view(id) == CCM_PROVIDER) return *out = {nullptr, &provider}, 1;
  if (g_cloud->initialized == 0) {
    ADD_FAILURE() << id << " was asked for before the log-in";
  }
  static const ccm_cloud_instances instances = [] {
    auto table = sized<ccm_cloud_instances>();
    table.size = offsetof(ccm_cloud_instances, describe);
    table.list = &cloud_list;
    return table;
  }();
  static const ccm_cloud_loadbalancers balancers = [] {
    auto table = sized<ccm_cloud_loadbalancers>();
    table.ensure = &no_load_balancer;
    table.remove = &no_load_balancer;
    table.limits = &cloud_limits;
    return table;
  }();
  static const ccm_cloud_routes routes = [] {
    auto table = sized<ccm_cloud_routes>();
    table.list = &no_routes;
    table.apply = &no_changes;
    return table;
  }();
  if (std::string_view(id) == CCM_CLOUD_INSTANCES) return *out = {nullptr, &instances}, 1;
  if (std::string_view(id) == CCM_CLOUD_LOADBALANCERS) return *out = {nullptr, &balancers}, 1;
  if (std::string_view(id) == CCM_CLOUD_ROUTES) return *out = {nullptr, &routes}, 1;
  return 0;
}

inline void cloud_create(void* self, ccm_ctx, const ccm_create_request* request,
                         ccm_completion done) {
  g_cloud->shared = self;
  g_cloud->host = request->host;
  if (g_cloud->on_create) g_cloud->on_create(request->host);
  auto component = sized<ccm_component>();
  component.get_interface = &cloud_interface;
  component.destroy = [](void*) { ++g_cloud->destroyed; };
  complete(done, {}, &component);
}

// Shared by the components of the cloud's plugin.
struct Shared {
  int opened = 0;
  int closed = 0;
  int destroyed_before_close = 0;
};
inline Shared g_shared;

inline void shared_open(void*, ccm_ctx, const ccm_open_request* request, ccm_completion done) {
  ccm_interface found{};
  EXPECT_TRUE(request->host->get_interface(request->host->self, CCM_HOST_LOG, &found));
  EXPECT_FALSE(request->host->get_interface(request->host->self, CCM_HOST_QUEUE, &found));
  ++g_shared.opened;
  auto opened = sized<ccm_opened>();
  opened.self = &g_shared;
  complete(done, {}, &opened);
}
inline void shared_close(void* self) {
  EXPECT_EQ(self, &g_shared);
  ++g_shared.closed;
  g_shared.destroyed_before_close = g_cloud->destroyed;
}

}  // namespace ccm::plugin_host
