// The whole host around two plugins in C's manner: a blocking provider and a non-blocking
// controller that describes each Node and patches it.
#pragma once

#include "../runtime/manual_timers.hpp"
#include "plugin_host/plugin_host.hpp"

#include <ccm/abi/controller.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/routes.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin {

using namespace std::chrono_literals;
using boost::asio::awaitable;

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
  std::map<std::string, std::string> machines;  // name -> provider ID
  const ccm_host* host = nullptr;
  std::function<void(const ccm_host*)> on_create;
};
inline Cloud* g_cloud = nullptr;

inline void cloud_initialize(void*, const ccm_ctx*, ccm_completion done) {
  const int number = g_cloud->initialized++;
  if (number < static_cast<int>(g_cloud->initialize_results.size())) {
    return complete(done, g_cloud->initialize_results[static_cast<std::size_t>(number)]);
  }
  complete(done);
}

inline void cloud_list(void*, const ccm_ctx*, ccm_completion done) {
  ++g_cloud->listed;
  std::vector<ccm_instance> instances;
  std::vector<const ccm_instance*> pointers;
  for (const auto& [name, id] : g_cloud->machines) {
    ccm_instance instance{};
    instance.size = sizeof(instance);
    instance.state = CCM_INSTANCE_RUNNING;
    instance.name = c_str(name);
    instance.provider_id = c_str(id);
    instances.push_back(instance);
  }
  for (const ccm_instance& instance : instances) pointers.push_back(&instance);
  const ccm_instance_list list{sizeof(list), 0, pointers.data(), pointers.size(), 0};
  complete(done, {}, &list);
}

// Never called: they make the host offer the interfaces.
inline void no_load_balancer(void*, const ccm_ctx*, const ccm_service*, const ccm_backend* const*,
                             size_t, ccm_completion) {
  FAIL();
}
inline void no_removal(void*, const ccm_ctx*, const ccm_service*, ccm_completion) { FAIL(); }
inline void no_routes(void*, const ccm_ctx*, ccm_str, ccm_completion) { FAIL(); }
inline void no_changes(void*, const ccm_ctx*, ccm_str, const ccm_route* const*, size_t,
                       const ccm_route* const*, size_t, ccm_completion) {
  FAIL();
}

inline bool cloud_interface(void*, const char* id, ccm_interface* out) {
  static const ccm_provider provider{sizeof(provider), 0, &cloud_initialize, nullptr, nullptr};
  static const ccm_cloud_instances instances{offsetof(ccm_cloud_instances, describe), 0,
                                             &cloud_list, nullptr, nullptr};
  if (std::string_view(id) == CCM_PROVIDER) return *out = {nullptr, &provider}, true;
  static const ccm_cloud_loadbalancers balancers{
      sizeof(balancers), 0, nullptr, &no_load_balancer, nullptr, &no_removal, nullptr, nullptr};
  static const ccm_cloud_routes routes{sizeof(routes), 0, &no_routes, &no_changes, nullptr};
  if (std::string_view(id) == CCM_CLOUD_INSTANCES) return *out = {nullptr, &instances}, true;
  if (std::string_view(id) == CCM_CLOUD_LOADBALANCERS) return *out = {nullptr, &balancers}, true;
  if (std::string_view(id) == CCM_CLOUD_ROUTES) return *out = {nullptr, &routes}, true;
  return false;
}

inline void cloud_create(const ccm_host* host, ccm_str, ccm_completion done) {
  g_cloud->host = host;
  if (g_cloud->on_create) g_cloud->on_create(host);
  const ccm_component component{sizeof(component), 0, nullptr, &cloud_interface,
                                [](void*) { ++g_cloud->destroyed; }};
  complete(done, {}, &component);
}

// A controller: instances.get for each Node, then a patch with the provider ID.
struct Tagger {
  const ccm_host* host = nullptr;
  const ccm_cloud_instances* instances = nullptr;
  void* instances_self = nullptr;
  const ccm_host_kube* kube = nullptr;
  void* kube_self = nullptr;
  int stopped = 0;
  int destroyed = 0;
  bool never_complete = false;
  std::function<void(const ccm_host*)> on_create;
};
inline Tagger* g_tagger = nullptr;

struct TagOperation {
  std::string node;
  ccm_completion done;
};

inline void tag_patched(void* owner, uint64_t, const ccm_status* status, const void*) {
  std::unique_ptr<TagOperation> operation(static_cast<TagOperation*>(owner));
  operation->done.fn(operation->done.owner, operation->done.operation, status, nullptr);
}

inline void tag_found(void* owner, uint64_t, const ccm_status* status, const void* result) {
  auto* operation = static_cast<TagOperation*>(owner);
  if (status->code != CCM_CODE_OK) {
    operation->done.fn(operation->done.owner, operation->done.operation, status, nullptr);
    delete operation;
    return;
  }
  const std::string body(view(static_cast<const ccm_instance*>(result)->provider_id));
  const ccm_kube_reference reference{sizeof(reference),      0, c_str("v1/nodes"), {},
                                     c_str(operation->node), {}};
  const ccm_kube_patch patch{sizeof(patch), CCM_PATCH_MERGE, &reference, c_str(body), 0, 0};
  g_tagger->kube->patch(g_tagger->kube_self, nullptr, &patch, {&tag_patched, operation, 0});
}

inline void tagger_setup(void*, const ccm_ctx*, const ccm_host_setup* setup, ccm_completion done) {
  ccm_interface found{};
  if (!g_tagger->host->get_interface(g_tagger->host->self, CCM_CLOUD_INSTANCES, &found)) {
    return complete(done, Status(Code::unimplemented, "the cloud has no instances"));
  }
  g_tagger->instances = static_cast<const ccm_cloud_instances*>(found.table);
  g_tagger->instances_self = found.self;
  g_tagger->host->get_interface(g_tagger->host->self, CCM_HOST_KUBE, &found);
  g_tagger->kube = static_cast<const ccm_host_kube*>(found.table);
  g_tagger->kube_self = found.self;
  const ccm_str fields[] = {c_str("/spec/providerID")};
  ccm_watch watch{};
  watch.size = sizeof(watch);
  watch.resource = c_str("v1/nodes");
  watch.fields = fields;
  watch.field_count = 1;
  setup->watch(setup->self, &watch);
  ccm_queue_options queue{};
  queue.size = sizeof(queue);
  queue.workers = 4;
  queue.name = c_str("Tags");
  setup->queue(setup->self, &queue);
  complete(done);
}

inline void tagger_reconcile(void*, const ccm_ctx* ctx, const ccm_reconcile_request* request,
                             ccm_completion done) {
  if (g_tagger->never_complete) return;
  auto* operation = new TagOperation{std::string(view(request->key)), done};
  ccm_node_identity node{};
  node.size = sizeof(node);
  node.name = c_str(operation->node);
  g_tagger->instances->get(g_tagger->instances_self, ctx, &node, {&tag_found, operation, 0});
}

inline void tagger_stop(void*, const ccm_ctx*, ccm_completion done) {
  ++g_tagger->stopped;
  complete(done);
}

inline bool tagger_interface(void*, const char* id, ccm_interface* out) {
  static const ccm_controller controller{sizeof(controller), 0, &tagger_setup, &tagger_reconcile,
                                         &tagger_stop};
  if (std::string_view(id) != CCM_CONTROLLER) return false;
  *out = {nullptr, &controller};
  return true;
}

inline void tagger_create(const ccm_host* host, ccm_str, ccm_completion done) {
  g_tagger->host = host;
  if (g_tagger->on_create) g_tagger->on_create(host);
  const ccm_component component{sizeof(component), 0, nullptr, &tagger_interface,
                                [](void*) { ++g_tagger->destroyed; }};
  complete(done, {}, &component);
}

inline LoadedPlugin loaded(const ccm_plugin* entry, ComponentKind kind, const char* name,
                           bool nonblocking) {
  LoadedPlugin plugin;
  plugin.plugin = entry;
  plugin.manifest.id = std::string("test.") + name;
  plugin.manifest.nonblocking = nonblocking;
  plugin.manifest.max_parallel = 2;
  Component component;
  component.kind = kind;
  component.name = name;
  component.client_name = name;
  plugin.manifest.components.push_back(component);
  return plugin;
}

struct NoFlags final : FlagSource {
  [[nodiscard]] std::optional<std::string> flag(std::string_view) const override {
    return std::nullopt;
  }
};
struct Leader final : LeaderState {
  [[nodiscard]] bool leading() const override { return true; }
  [[nodiscard]] uint64_t transitions() const override { return 0; }
};
struct NoCache final : ObjectCache {
  [[nodiscard]] kube::ObjectPtr get(std::string_view, std::string_view,
                                    std::string_view) const override {
    return {};
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view,
                                                  std::string_view) const override {
    return {};
  }
};
struct Source final : runtime::EventSource {
  Status watch(const runtime::WatchSpec& spec, kube::InformerHandler added) override {
    specs.push_back(spec);
    handler = std::move(added);
    return {};
  }
  std::vector<runtime::WatchSpec> specs;
  kube::InformerHandler handler;
};
// Accepts every patch.
struct PatchedApi final : ObjectApi {
  explicit PatchedApi(runtime::EventLoop& loop) : loop(loop) {}
  void get(kube::Resource, std::string, std::string, kube::CallOptions, Done) override {}
  void create(kube::Resource, std::string, std::string, kube::WriteOptions, kube::CallOptions,
              Done) override {}
  void remove(kube::Resource, std::string, std::string, kube::DeleteOptions, kube::CallOptions,
              Done) override {}
  void patch(kube::Resource, std::string, std::string name, kube::PatchType, std::string body,
             kube::WriteOptions options, kube::CallOptions, Done done) override {
    patched[name] = body + " by " + options.field_manager;
    loop.post([done = std::move(done), name] {
      done(std::string(R"({"metadata":{"name":")" + name + "\"}}"));
    });
  }
  runtime::EventLoop& loop;
  std::map<std::string, std::string> patched;
};

class WholeHostTest : public testing::Test {
 protected:
  WholeHostTest() {
    g_cloud = &cloud_;
    g_tagger = &tagger_;
    PluginHostDependencies dependencies{loop_,   timers_, workers_, registry_, flags_, leader_,
                                        source_, cache_,  {},       {},        {},     {},
                                        {},      {},      {},       {},        {}};
    dependencies.object_api = [this](const ComponentIdentity&) { return api_; };
    dependencies.record_event = [](const std::string&, const kube::ObjectReference&,
                                   kube::EventType, const std::string&, const std::string&) {};
    dependencies.default_resync = 12h;
    host_.emplace(std::move(dependencies));
  }
  ~WholeHostTest() override {
    host_.reset();
    g_cloud = nullptr;
    g_tagger = nullptr;
  }

  static awaitable<void> store(awaitable<Status> call, std::optional<Status>* out) {
    Status status = co_await std::move(call);
    *out = std::move(status);
  }
  static awaitable<void> store_bool(awaitable<Result<bool>> call,
                                    std::optional<Result<bool>>* out) {
    auto result = co_await std::move(call);
    out->emplace(std::move(result));
  }
  void begin(awaitable<Status> call, std::optional<Status>& out) {
    boost::asio::co_spawn(loop_.executor(), store(std::move(call), &out), boost::asio::detached);
  }
  Status wait(awaitable<Status> call) {
    std::optional<Status> out;
    begin(std::move(call), out);
    poll_until([&] { return out.has_value(); });
    return out.value_or(Status(Code::unknown, "did not end"));
  }
  Result<bool> setup(const char* name) {
    std::optional<Result<bool>> out;
    boost::asio::co_spawn(loop_.executor(), store_bool(host_->setup_controller(name), &out),
                          boost::asio::detached);
    poll_until([&] { return out.has_value(); });
    return out.value_or(Result<bool>(Status(Code::unknown, "did not end")));
  }
  void poll_until(const std::function<bool()>& reached) {
    const auto limit = std::chrono::steady_clock::now() + 10s;
    while (!reached() && std::chrono::steady_clock::now() < limit) {
      loop_.run_for(10ms);
      timers_.advance(0ms);
    }
  }
  Status create_provider() {
    return wait(host_->create_provider(
        loaded(&cloud_plugin_, ComponentKind::provider, "cloud", false), "cloud"));
  }
  Status create_controller() {
    return wait(host_->create_controller(
        loaded(&tagger_plugin_, ComponentKind::controller, "tagger", true), "tagger"));
  }
  void add_node(const std::string& name) {
    const auto node = kube::Object::decode(R"({"metadata":{"name":")" + name + "\"}}");
    ASSERT_TRUE(node.ok());
    source_.handler.on_add(*node, true);
  }

  Cloud cloud_;
  Tagger tagger_;
  const ccm_plugin cloud_plugin_{sizeof(ccm_plugin), 0, {}, &cloud_create};
  const ccm_plugin tagger_plugin_{sizeof(ccm_plugin), 0, {}, &tagger_create};
  runtime::EventLoop loop_;
  runtime::ManualTimers timers_;
  runtime::WorkerPool workers_;
  prometheus::Registry registry_;
  NoFlags flags_;
  Leader leader_;
  Source source_;
  NoCache cache_;
  std::shared_ptr<PatchedApi> api_ = std::make_shared<PatchedApi>(loop_);
  std::optional<PluginHost> host_;
};

}  // namespace ccm::plugin
