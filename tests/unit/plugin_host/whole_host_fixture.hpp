// The whole host around two plugins in C's manner: a blocking provider and a non-blocking
// controller that describes each Node and patches it.
#pragma once

#include "../../support/eventually.hpp"
#include "../plugin/host_doubles.hpp"
#include "../runtime/manual_timers.hpp"
#include "cloud_plugin.hpp"
#include "plugin_host/plugin_host.hpp"

#include <ccm/abi/controller.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/queue.h>
#include <ccm/abi/routes.h>
#include <ccm/sized.hpp>

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

namespace ccm::plugin_host {

using namespace std::chrono_literals;
using boost::asio::awaitable;

// A controller: instances.get for each Node, then a patch with the provider ID.
struct Tagger {
  const ccm_host* host = nullptr;
  void* shared = nullptr;  // what open gave
  const ccm_cloud_instances* instances = nullptr;
  void* instances_self = nullptr;
  const ccm_host_kube* kube = nullptr;
  void* kube_self = nullptr;
  int stopped = 0;
  int destroyed = 0;
  bool never_complete = false;
  bool idle = false;  // it does nothing
  const char* resource = "v1/nodes";
  std::vector<std::string> reconciled;  // keys
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
  auto reference = sized<ccm_kube_reference>();
  reference.resource = c_str("v1/nodes");
  reference.name = c_str(operation->node);
  auto patch = sized<ccm_kube_patch_request>();
  patch.reference = &reference;
  patch.body = c_str(body);
  patch.type = CCM_PATCH_MERGE;
  g_tagger->kube->patch(g_tagger->kube_self, {}, &patch, {&tag_patched, operation, 0});
}

inline void tagger_setup(void*, ccm_ctx, const ccm_setup_request*, ccm_completion done) {
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
  watch.resource = c_str(g_tagger->resource);
  watch.fields = fields;
  watch.field_count = 1;
  g_tagger->host->get_interface(g_tagger->host->self, CCM_HOST_SETUP, &found);
  const auto* setup = static_cast<const ccm_host_setup*>(found.table);
  setup->watch(found.self, &watch);
  ccm_queue_options queue{};
  queue.size = sizeof(queue);
  queue.workers = 4;
  queue.name = c_str("Tags");
  setup->queue(found.self, &queue);
  complete(done);
}

inline void tagger_reconcile(void*, ccm_ctx ctx, const ccm_reconcile_request* request,
                             ccm_completion done) {
  g_tagger->reconciled.emplace_back(view(request->key));
  if (g_tagger->never_complete) return;
  if (g_tagger->idle) return complete(done);
  auto* operation = new TagOperation{std::string(view(request->key)), done};
  ccm_node_identity node{};
  node.size = sizeof(node);
  node.name = c_str(operation->node);
  auto question = sized<ccm_get_instance_request>();
  question.node = &node;
  g_tagger->instances->get(g_tagger->instances_self, ctx, &question, {&tag_found, operation, 0});
}

inline void tagger_stop(void*, ccm_ctx, const ccm_stop_request*, ccm_completion done) {
  ++g_tagger->stopped;
  complete(done);
}

inline ccm_bool tagger_interface(void*, const char* id, ccm_interface* out) {
  static const ccm_controller controller = [] {
    auto table = sized<ccm_controller>();
    table.setup = &tagger_setup;
    table.reconcile = &tagger_reconcile;
    table.stop = &tagger_stop;
    return table;
  }();
  if (std::string_view(id) != CCM_CONTROLLER) return 0;
  *out = {nullptr, &controller};
  return 1;
}

inline void tagger_create(void* self, ccm_ctx, const ccm_create_request* request,
                          ccm_completion done) {
  g_tagger->shared = self;
  g_tagger->host = request->host;
  if (g_tagger->on_create) g_tagger->on_create(request->host);
  auto component = sized<ccm_component>();
  component.get_interface = &tagger_interface;
  component.destroy = [](void*) { ++g_tagger->destroyed; };
  complete(done, {}, &component);
}

inline plugin_files::LoadedPlugin loaded(const ccm_plugin* entry, plugin_files::ComponentKind kind,
                                         const char* name, bool nonblocking) {
  plugin_files::LoadedPlugin plugin;
  plugin.plugin = entry;
  plugin.manifest.id = std::string("test.") + name;
  plugin.manifest.nonblocking = nonblocking;
  plugin.manifest.max_parallel = 2;
  plugin_files::Component component;
  component.kind = kind;
  component.name = name;
  component.client_name = name;
  plugin.manifest.components.push_back(component);
  return plugin;
}

// It holds the objects that the test puts there.
struct Cache final : plugin::ObjectCache {
  [[nodiscard]] plugin::CacheState state(std::string_view) const override {
    return plugin::CacheState::synced;
  }
  [[nodiscard]] kube::ObjectPtr get(std::string_view, std::string_view,
                                    std::string_view) const override {
    return {};
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view resource,
                                                  std::string_view) const override {
    const auto found = objects.find(std::string(resource));
    return found == objects.end() ? std::vector<kube::ObjectPtr>() : found->second;
  }
  std::map<std::string, std::vector<kube::ObjectPtr>> objects;
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
struct PatchedApi final : plugin::SilentApi {
  explicit PatchedApi(runtime::EventLoop& loop) : loop(loop) {}
  void send(plugin::ObjectRequest request, Done done) override {
    if (request.verb != plugin::ObjectRequest::Verb::patch) return;
    patched[request.name] = request.body + " by " + request.write.field_manager;
    loop.post([done = std::move(done), name = std::move(request.name)] {
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
    g_shared = {};
    g_tagger = &tagger_;
    PluginHostDependencies dependencies{{loop_, timers_, workers_, registry_, flags_, leader_},
                                        {source_, cache_}};
    dependencies.cluster.object_api = [this](const plugin::ComponentIdentity&) { return api_; };
    dependencies.cluster.record_event = [](const std::string&, const kube::ObjectReference&,
                                           kube::EventType, const std::string&,
                                           const std::string&) {};
    dependencies.cluster.default_resync = 12h;
    dependencies.process.is_sampled_metric = [](std::string_view name) {
      return name == "ccm_plugin_degraded";
    };
    dependencies.cloud.make_http_client = [](const net::ClientOptions&) {
      return plugin::OwnHttpClient();
    };
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
    const auto limit = std::chrono::steady_clock::now() + support::patience();
    while (!reached() && std::chrono::steady_clock::now() < limit) {
      loop_.run_for(10ms);
      timers_.advance(0ms);
    }
    EXPECT_TRUE(reached()) << "waited in vain";
  }
  Status create_provider() {
    return wait(host_->create_provider(
        loaded(&cloud_plugin_, plugin_files::ComponentKind::provider, "cloud", false), "cloud"));
  }
  Status create_controller() {
    return wait(host_->create_controller(
        loaded(&tagger_plugin_, plugin_files::ComponentKind::controller, "tagger", true),
        "tagger"));
  }
  void add_node(const std::string& name) {
    const auto node = kube::Object::decode(R"({"metadata":{"name":")" + name + "\"}}");
    ASSERT_TRUE(node.ok());
    source_.handler.on_add(*node, true);
  }

  Cloud cloud_;
  Tagger tagger_;
  const ccm_plugin cloud_plugin_{sizeof(ccm_plugin), 0, {}, &shared_open, &cloud_create,
                                 &shared_close};
  const ccm_plugin tagger_plugin_{sizeof(ccm_plugin), 0, {}, nullptr, &tagger_create, nullptr};
  runtime::ManualTimers timers_;
  runtime::EventLoop loop_;
  runtime::WorkerPool workers_;
  prometheus::Registry registry_;
  plugin::NoFlags flags_;
  plugin::Leader leader_;
  Source source_;
  Cache cache_;
  std::shared_ptr<PatchedApi> api_ = std::make_shared<PatchedApi>(loop_);
  std::optional<PluginHost> host_;
};

}  // namespace ccm::plugin_host
