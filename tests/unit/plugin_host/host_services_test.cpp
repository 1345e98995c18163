#include "base/log.hpp"
#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/ctx_service.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/host_services/leader_service.hpp"
#include "plugin/host_services/log_service.hpp"
#include "plugin/host_services/metrics_service.hpp"
#include "plugin/host_services/object_service.hpp"
#include "plugin/host_services/timer_service.hpp"
#include "plugin/host_services/worker_service.hpp"
#include "test_runtime.hpp"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

namespace ccm::plugin {
namespace {

kube::ObjectPtr object(std::string_view json) {
  auto decoded = kube::Object::decode(json);
  EXPECT_TRUE(decoded.ok()) << decoded.status().message();
  return *decoded;
}

struct FixedFlags final : FlagSource {
  [[nodiscard]] std::optional<std::string> flag(std::string_view name) const override {
    if (name == "cluster-name") return "kubernetes";
    return std::nullopt;
  }
};

struct FixedLeader final : LeaderState {
  [[nodiscard]] bool leading() const override { return lead; }
  [[nodiscard]] uint64_t transitions() const override { return 3; }
  bool lead = true;
};

struct FixedCache final : ObjectCache {
  [[nodiscard]] kube::ObjectPtr get(std::string_view resource, std::string_view,
                                    std::string_view name) const override {
    for (const auto& known : objects) {
      if (resource == "v1/nodes" && known->name() == name) return known;
    }
    return {};
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view,
                                                  std::string_view) const override {
    return objects;
  }
  std::vector<kube::ObjectPtr> objects;
};

// Keeps each call open until the test ends it.
struct ScriptedApi final : ObjectApi {
  void get(kube::Resource resource, std::string, std::string name, kube::CallOptions call,
           Done done) override {
    note("get " + resource.id() + " " + name, call, std::move(done));
  }
  void create(kube::Resource resource, std::string space, std::string body,
              kube::WriteOptions options, kube::CallOptions call, Done done) override {
    note("create " + resource.id() + " " + space + " " + body + " " + options.field_manager, call,
         std::move(done));
  }
  void patch(kube::Resource resource, std::string, std::string name, kube::PatchType type,
             std::string body, kube::WriteOptions options, kube::CallOptions call,
             Done done) override {
    answer_metadata = options.answer_metadata;
    note("patch " + resource.id() + " " + name + " " + std::to_string(static_cast<int>(type)) +
             " " + body + " " + options.subresource + " " + options.field_manager,
         call, std::move(done));
  }
  void remove(kube::Resource resource, std::string, std::string name, kube::DeleteOptions options,
              kube::CallOptions call, Done done) override {
    note("remove " + resource.id() + " " + name + " " + options.uid, call, std::move(done));
  }
  void note(std::string what, kube::CallOptions call, Done done) {
    calls.push_back(std::move(what));
    timeout = call.timeout;
    deadline = call.deadline;
    stop = call.stop;
    open.push_back(std::move(done));
  }
  std::vector<std::string> calls;
  std::vector<Done> open;
  std::chrono::milliseconds timeout{0};
  std::chrono::steady_clock::time_point deadline;
  std::stop_token stop;          // of the last call
  bool answer_metadata = false;  // of the last patch
};

class HostServicesTest : public PluginHostTest {
 protected:
  HostServicesTest() {
    path_ = std::filesystem::temp_directory_path() / "ccm-config-XXXXXX";
    const int file = ::mkstemp(path_.data());
    EXPECT_GE(file, 0);
    if (file >= 0) ::close(file);
    std::ofstream(path_) << "region = fra1";
    cloud_config_.emplace(timers_, path_, 10s);
    EXPECT_TRUE(cloud_config_->load().ok());
  }
  ~HostServicesTest() override {
    host_.reset();  // its services refer to what follows
    std::filesystem::remove(path_);
  }

  void add_services(ComponentHost& host) override {
    host.add(std::make_unique<LogService>(component_));
    host.add(std::make_unique<CtxService>(component_));
    host.add(std::make_unique<ObjectService>(component_));
    host.add(std::make_unique<TimerService>(component_));
    host.add(std::make_unique<PostService>(component_));
    host.add(std::make_unique<WorkerService>(component_));
    host.add(std::make_unique<LeaderService>(component_, leader_));
    host.add(std::make_unique<MetricsService>(component_, plugin_metrics_));
    host.add(std::make_unique<ConfigService>(component_, flags_, *cloud_config_));
    host.add(
        std::make_unique<KubeService>(component_, cache_, api_, [this] { return leader_.lead; }));
    host.add(std::make_unique<EventService>(
        component_,
        [this](const std::string& source, const kube::ObjectReference& about, kube::EventType type,
               const std::string& reason, const std::string& message) {
          events_.push_back(source + " " + about.name + " " +
                            (type == kube::EventType::warning ? "Warning " : "Normal ") + reason);
          last_message_ = message;
        }));
  }

  prometheus::Registry registry_;
  MetricsRegistry plugin_metrics_{registry_};
  FixedFlags flags_;
  FixedLeader leader_;
  FixedCache cache_;
  std::shared_ptr<ScriptedApi> api_ = std::make_shared<ScriptedApi>();
  std::string path_;
  std::optional<CloudConfig> cloud_config_;
  std::vector<std::string> events_;
  std::string last_message_;
};

ccm_kube_reference node_reference(const char* name, const char* subresource = "") {
  return {sizeof(ccm_kube_reference), 0, c_str("v1/nodes"), c_str(""), c_str(name),
          c_str(subresource)};
}

TEST_F(HostServicesTest, AnUnknownServiceIsRefused) {
  ASSERT_TRUE(create(true).ok());
  ccm_interface found{};
  EXPECT_FALSE(plugin_.host->get_interface(plugin_.host->self, "draft.ccm.host.none/1", &found));
  EXPECT_EQ(found.table, nullptr);
}

TEST_F(HostServicesTest, KubePatchGoesOutInThePluginsNameAndGivesTheObject) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1", "status");
  const ccm_kube_patch patch{
      sizeof(patch), CCM_PATCH_STRATEGIC, &reference, c_str("{\"a\":1}"), 0, 0};
  Caught caught;
  std::string name;
  caught.on_result = [&](const void* result) {
    name = object_of(static_cast<const ccm_object*>(result))->name();
  };
  kube->patch(service.self, nullptr, &patch, caught.completion());
  EXPECT_TRUE(api_->calls.empty()) << "posted";
  poll();
  ASSERT_EQ(api_->calls.size(), 1u);
  EXPECT_EQ(api_->calls[0], "patch v1/nodes n1 2 {\"a\":1} status test.example");
  api_->open[0](std::string(R"({"metadata":{"name":"n1"}})"));
  EXPECT_EQ(name, "n1");
  EXPECT_TRUE(caught.status->ok());
}

TEST_F(HostServicesTest, AnAnswerThatIsNotWantedIsShortAndNotRead) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1");
  std::vector<bool> metadata;
  for (const uint32_t flags :
       {0U, unsigned{CCM_PATCH_ANSWER_METADATA}, unsigned{CCM_PATCH_ANSWER_NONE}}) {
    const ccm_kube_patch patch{sizeof(patch), CCM_PATCH_MERGE, &reference, c_str("{}"), flags, 0};
    Caught caught;
    const void* answer = nullptr;
    caught.on_result = [&](const void* result) { answer = result; };
    kube->patch(service.self, nullptr, &patch, caught.completion());
    poll();
    metadata.push_back(api_->answer_metadata);
    const bool wanted = flags != CCM_PATCH_ANSWER_NONE;
    api_->open.back()(std::string(wanted ? R"({"metadata":{"name":"n1"}})" : "no JSON"));
    ASSERT_TRUE(caught.status && caught.status->ok());
    EXPECT_EQ(answer != nullptr, wanted);
  }
  EXPECT_EQ(metadata, (std::vector<bool>{false, true, true}));
}

TEST_F(HostServicesTest, KubeWritesNothingWithoutTheLease) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1");
  const ccm_kube_patch patch{sizeof(patch), CCM_PATCH_MERGE, &reference, c_str("{}"), 0, 0};
  const ccm_kube_delete removal{sizeof(removal), 0, &reference, c_str("uid"), c_str("")};
  Caught patched, created, removed, read;
  kube->patch(service.self, nullptr, &patch, patched.completion());
  leader_.lead = false;  // lost between the call and the sending
  kube->create(service.self, nullptr, &reference, c_str("{}"), created.completion());
  kube->remove(service.self, nullptr, &removal, removed.completion());
  kube->get(service.self, nullptr, &reference, read.completion());
  poll();
  for (const Caught* caught : {&patched, &created, &removed}) {
    ASSERT_TRUE(caught->status);
    EXPECT_EQ(caught->status->code(), Code::failed_precondition);
  }
  EXPECT_EQ(api_->calls, (std::vector<std::string>{"get v1/nodes n1"})) << "reads are allowed";
  api_->open[0](Status(Code::not_found, ErrorClass::not_found, "gone"));
  EXPECT_EQ(read.status->error_class(), ErrorClass::not_found);
}

TEST_F(HostServicesTest, KubeCallsEndWithTheirCtx) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface contexts = plugin_.service(CCM_HOST_CTX, &ctx);
  const ccm_ctx* limited = ctx->with_timeout(contexts.self, nullptr, 2000);
  EXPECT_EQ(ctx->remaining_ms(contexts.self, limited), 2000);
  const auto reference = node_reference("n1");
  Caught caught;
  kube->get(service.self, limited, &reference, caught.completion());
  poll();
  EXPECT_EQ(api_->timeout, 2s);
  EXPECT_LE(api_->deadline, std::chrono::steady_clock::now() + 2s);
  EXPECT_FALSE(api_->stop.stop_requested());
  advance(2s);
  EXPECT_TRUE(api_->stop.stop_requested()) << "no retry goes on for nobody";
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->code(), Code::deadline_exceeded);
  EXPECT_TRUE(ctx->cancelled(contexts.self, limited));
  api_->open[0](std::string("{}"));
  EXPECT_EQ(caught.calls, 1) << "the late answer is dropped";
  ctx->release(contexts.self, limited);
}

TEST_F(HostServicesTest, KubeRefusesNonsense) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  auto reference = node_reference("n1");
  reference.resource = c_str("nodes");
  Caught bad_resource, no_patch, bad_type;
  kube->get(service.self, nullptr, &reference, bad_resource.completion());
  kube->patch(service.self, nullptr, nullptr, no_patch.completion());
  const auto good = node_reference("n1");
  const ccm_kube_patch patch{sizeof(patch), 9, &good, c_str("{}"), 0, 0};
  kube->patch(service.self, nullptr, &patch, bad_type.completion());
  poll();
  for (const Caught* caught : {&bad_resource, &no_patch, &bad_type}) {
    ASSERT_TRUE(caught->status);
    EXPECT_EQ(caught->status->code(), Code::invalid_argument);
  }
  EXPECT_TRUE(api_->calls.empty());
}

TEST_F(HostServicesTest, CachedObjectsAreHandlesThatCanBeKept) {
  ASSERT_TRUE(create(true).ok());
  cache_.objects = {object(R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k"}],"n":5}})"),
                    object(R"({"metadata":{"name":"b"}})")};
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const ccm_host_object* objects = nullptr;
  const ccm_interface reader = plugin_.service(CCM_HOST_OBJECT, &objects);
  int visited = 0;
  kube->cached_each(
      service.self, c_str("v1/nodes"), c_str(""),
      [](void* owner, const ccm_object*) { return ++*static_cast<int*>(owner) < 1; }, &visited);
  EXPECT_EQ(visited, 1) << "stopped by the visitor";
  const ccm_object* kept = kube->cached(service.self, c_str("v1/nodes"), c_str(""), c_str("a"));
  EXPECT_EQ(kube->cached(service.self, c_str("v1/nodes"), c_str(""), c_str("z")), nullptr);
  ASSERT_NE(kept, nullptr);
  cache_.objects.clear();
  ccm_str text{};
  const ccm_value taints = objects->find(reader.self, kept, c_str("/spec/taints"));
  EXPECT_EQ(objects->kind(reader.self, taints), CCM_VALUE_ARRAY);
  EXPECT_TRUE(
      objects->text(reader.self, objects->find_in(reader.self, taints, c_str("/0/key")), &text));
  EXPECT_EQ(view(text), "k");
  EXPECT_TRUE(
      objects->text(reader.self, objects->find(reader.self, kept, c_str("/spec/n")), &text));
  EXPECT_EQ(view(text), "5");
  EXPECT_FALSE(objects->text(reader.self, taints, &text));
  const ccm_value nothing = objects->find(reader.self, kept, c_str("/spec/none"));
  EXPECT_EQ(nothing.object, nullptr);
  EXPECT_EQ(objects->kind(reader.self, nothing), CCM_VALUE_ABSENT);
  EXPECT_TRUE(objects->equal(reader.self, taints, taints));
  EXPECT_FALSE(objects->equal(reader.self, taints, objects->find(reader.self, kept, c_str(""))));
  EXPECT_FALSE(objects->equal(reader.self, taints, nothing));
  EXPECT_TRUE(objects->equal(reader.self, nothing, nothing));
  int members = 0;
  objects->each(
      reader.self, objects->find(reader.self, kept, c_str("")),
      [](void* owner, ccm_str, ccm_value) { return ++*static_cast<int*>(owner) > 0; }, &members);
  EXPECT_EQ(members, 2);
  EXPECT_NE(view(objects->json(reader.self, kept)).find("\"taints\""), std::string_view::npos);
  objects->retain(reader.self, kept);
  objects->release(reader.self, kept);
  objects->release(reader.self, kept);
}

TEST_F(HostServicesTest, OnCancelRunsOnceAndCanBeRemoved) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  const ccm_ctx* limited = ctx->with_timeout(service.self, nullptr, 100);
  int calls = 0;
  int removed = 0;
  const auto count = [](void* owner) { ++*static_cast<int*>(owner); };
  EXPECT_NE(ctx->on_cancel(service.self, limited, count, &calls), 0u);
  const uint64_t second = ctx->on_cancel(service.self, limited, count, &removed);
  std::thread outside([&] { ctx->remove_on_cancel(service.self, limited, second); });
  outside.join();
  EXPECT_EQ(component_->wrong_thread_calls(), 1u) << "[serial] only";
  loop_.post([&] { ctx->remove_on_cancel(service.self, limited, second); });
  poll();
  advance(100ms);
  advance(100ms);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(removed, 0);
  EXPECT_NE(ctx->on_cancel(service.self, limited, count, &calls), 0u);
  EXPECT_EQ(calls, 1) << "never inside the call";
  poll();
  EXPECT_EQ(calls, 2);
  const ccm_ctx* child = ctx->with_timeout(service.self, limited, 1000);
  EXPECT_TRUE(ctx->cancelled(service.self, child));
  ctx->release(service.self, child);
  ctx->release(service.self, limited);
}

TEST_F(HostServicesTest, TimersRunInSerialAndAreTheComponentsOwn) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_timer* timer = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_TIMER, &timer);
  int fired = 0;
  const auto count = [](void* owner) { ++*static_cast<int*>(owner); };
  const int64_t begin = timer->now_ms(service.self);
  timer->after(service.self, 50, count, &fired);
  const uint64_t dropped = timer->after(service.self, 50, count, &fired);
  timer->cancel(service.self, dropped);
  timer->cancel(service.self, 999);
  advance(49ms);
  EXPECT_EQ(fired, 0);
  advance(1ms);
  EXPECT_EQ(fired, 1);
  EXPECT_EQ(timer->now_ms(service.self) - begin, 50);
  timer->after(service.self, 10, count, &fired);
  component_->destroy(1s, [](const Status&) {});
  poll();
  advance(1s);
  EXPECT_EQ(fired, 1) << "nothing is called after destroy";
}

TEST_F(HostServicesTest, PostComesFromAnyThreadInOrder) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_post* post = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_POST, &post);
  struct Entry {
    std::vector<int>* order;
    int number;
  };
  std::vector<int> order;
  Entry entries[] = {{&order, 1}, {&order, 2}, {&order, 3}};
  std::thread outside([&] {
    for (Entry& entry : entries) {
      post->post(
          service.self,
          [](void* owner) {
            auto& self = *static_cast<Entry*>(owner);
            self.order->push_back(self.number);
          },
          &entry);
    }
  });
  outside.join();
  EXPECT_TRUE(order.empty());
  poll();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST_F(HostServicesTest, WorkerRunsOffTheLoopAndEndsOnIt) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_worker* worker = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_WORKER, &worker);
  struct Work {
    runtime::EventLoop* loop;
    std::promise<bool> on_loop;
    std::shared_future<void> gate;
  };
  std::promise<void> go;
  Work work{&loop_, {}, go.get_future().share()};
  Caught caught;
  worker->run(
      service.self,
      [](void* owner) {
        auto& self = *static_cast<Work*>(owner);
        self.on_loop.set_value(self.loop->on_loop());
        self.gate.wait();
      },
      &work, caught.completion());
  poll();
  EXPECT_FALSE(work.on_loop.get_future().get());
  // While it runs the component is not freed, and its end is not told early.
  std::optional<Status> destroyed;
  component_->destroy(1h, [&](Status status) { destroyed = status; });
  poll();
  EXPECT_FALSE(caught.status);
  EXPECT_FALSE(destroyed);
  go.set_value();
  poll_until([&] { return destroyed.has_value(); });
  ASSERT_TRUE(caught.status);
  EXPECT_TRUE(caught.status->ok());
  EXPECT_TRUE(destroyed->ok());
}

TEST_F(HostServicesTest, MetricsAreDefinedInCreateOnlyAndCapped) {
  uint64_t number = 0;
  uint64_t same = 0;
  uint64_t other = 1;
  uint64_t bad = 1;
  const ccm_str labels[] = {c_str("zone")};
  const ccm_metric counter{sizeof(counter),
                           CCM_METRIC_COUNTER,
                           c_str("test_total"),
                           c_str("Help."),
                           labels,
                           1,
                           nullptr,
                           0};
  ccm_metric gauge = counter;
  gauge.kind = CCM_METRIC_GAUGE;
  ccm_metric wrong = counter;
  wrong.name = c_str("0bad");
  const ccm_host_metrics* metrics = nullptr;
  ccm_interface service{};
  plugin_.on_create = [&](const ccm_host* host, ccm_completion done) {
    plugin_.host = host;
    service = plugin_.service(CCM_HOST_METRICS, &metrics);
    number = metrics->define(service.self, &counter);
    same = metrics->define(service.self, &counter);
    other = metrics->define(service.self, &gauge);
    bad = metrics->define(service.self, &wrong);
    plugin_.complete_create(done);
  };
  ASSERT_TRUE(create(true).ok());
  EXPECT_NE(number, 0u);
  EXPECT_EQ(same, number);
  EXPECT_EQ(other, 0u) << "taken with another shape";
  EXPECT_EQ(bad, 0u);
  loop_.post([&] { EXPECT_EQ(metrics->define(service.self, &counter), 0u) << "only in create"; });
  poll();
  for (int zone = 0; zone < 1500; ++zone) {
    const std::string name = "z" + std::to_string(zone);
    const ccm_str value = c_str(name);
    metrics->record(service.self, number, &value, 1);
  }
  const ccm_str first = c_str("z0");
  metrics->record(service.self, number, &first, 2);
  metrics->record(service.self, number, &first, -5);
  metrics->record(service.self, 77, &first, 1);
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("test_total{zone=\"z0\"} 3"), std::string::npos);
  EXPECT_NE(text.find("test_total{zone=\"other\"} 501"), std::string::npos) << text.substr(0, 400);
}

// service_controller_nodesync_error_total is 0 before the first error, in Go and here.
TEST_F(HostServicesTest, MET_5_AMetricWithoutLabelsIsThereBeforeItsFirstValue) {
  const auto definition = [](const char* name, int32_t kind, const ccm_str* labels,
                             std::size_t count, const double* buckets) {
    return ccm_metric{sizeof(ccm_metric),
                      kind,
                      c_str(name),
                      c_str("Help."),
                      labels,
                      count,
                      buckets,
                      buckets != nullptr ? std::size_t{1} : 0};
  };
  plugin_.on_create = [&](const ccm_host* host, ccm_completion done) {
    plugin_.host = host;
    const ccm_host_metrics* metrics = nullptr;
    const ccm_interface service = plugin_.service(CCM_HOST_METRICS, &metrics);
    const ccm_str label = c_str("zone");
    const double bucket = 1;
    for (const auto& metric :
         {definition("errors_total", CCM_METRIC_COUNTER, nullptr, 0, nullptr),
          definition("latency_seconds", CCM_METRIC_HISTOGRAM, nullptr, 0, &bucket),
          definition("zones_total", CCM_METRIC_COUNTER, &label, 1, nullptr)}) {
      EXPECT_NE(metrics->define(service.self, &metric), 0u);
    }
    plugin_.complete_create(done);
  };
  ASSERT_TRUE(create(true).ok());
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("\nerrors_total 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nlatency_seconds_count 0\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("zones_total"), std::string::npos) << "its label has no values yet";
}

TEST_F(HostServicesTest, EventsKeepTheirSourceAndALimitedMessage) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_event* event = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_EVENT, &event);
  const auto node = object(R"({"kind":"Node","metadata":{"name":"n1"}})");
  const std::string text = std::string(1023, 'x') + "\xc3\xa9";
  const ccm_event record{sizeof(record), true,        {},       object_handle(node),
                         c_str("Gone"),  c_str(text), c_str("")};
  event->record(service.self, &record);
  poll();
  EXPECT_EQ(events_, (std::vector<std::string>{"tester n1 Warning Gone"}));
  EXPECT_EQ(last_message_, std::string(1023, 'x')) << "no half character";
}

TEST_F(HostServicesTest, ConfigGivesFlagsAndTheFileAndTellsOfChanges) {
  int changes = 0;
  const ccm_host_config* config = nullptr;
  ccm_interface service{};
  plugin_.on_create = [&](const ccm_host* host, ccm_completion done) {
    plugin_.host = host;
    service = plugin_.service(CCM_HOST_CONFIG, &config);
    config->on_change(
        service.self, [](void* owner) { ++*static_cast<int*>(owner); }, &changes);
    plugin_.complete_create(done);
  };
  ASSERT_TRUE(create(true).ok());
  ccm_str text{};
  EXPECT_TRUE(config->flag(service.self, c_str("cluster-name"), &text));
  EXPECT_EQ(view(text), "kubernetes");
  EXPECT_FALSE(config->flag(service.self, c_str("no-such-flag"), &text));
  ccm_str before{};
  ASSERT_TRUE(config->cloud_config(service.self, &before));
  EXPECT_EQ(view(before), "region = fra1");
  advance(10s);
  EXPECT_EQ(changes, 0);
  // As a mounted ConfigMap changes: another file under the same name.
  std::ofstream(path_ + ".new") << "region = ams3";
  std::filesystem::rename(path_ + ".new", path_);
  EXPECT_EQ(view(before), "region = fra1") << "borrowed until the change was told";
  advance(10s);
  EXPECT_EQ(changes, 1);
  ASSERT_TRUE(config->cloud_config(service.self, &text));
  EXPECT_EQ(view(text), "region = ams3");
  std::filesystem::remove(path_);
  advance(10s);
  ASSERT_TRUE(config->cloud_config(service.self, &text));
  EXPECT_EQ(view(text), "region = ams3") << "a missing file leaves the last good bytes";
}

TEST_F(HostServicesTest, SecretsComeFromAFileOrTheEnvironment) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_config* config = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CONFIG, &config);
  ::setenv("CCM_TEST_TOKEN", "from-environment", 1);
  char buffer[8] = {};
  EXPECT_EQ(config->secret(service.self, c_str("CCM_TEST_TOKEN"), buffer, 4), 16);
  EXPECT_STREQ(buffer, "from");
  std::ofstream(path_) << "  from-file\n";
  ::setenv("CCM_TEST_TOKEN_FILE", path_.c_str(), 1);
  EXPECT_EQ(config->secret(service.self, c_str("CCM_TEST_TOKEN"), buffer, sizeof(buffer)), 9);
  EXPECT_EQ(std::string(buffer, 8), "from-fil");
  ::unsetenv("CCM_TEST_TOKEN_FILE");
  ::unsetenv("CCM_TEST_TOKEN");
  EXPECT_EQ(config->secret(service.self, c_str("CCM_TEST_TOKEN"), buffer, sizeof(buffer)), -1);
}

TEST(CloudConfigTest, AMissingFileIsNamed) {
  runtime::ManualTimers timers;
  CloudConfig config(timers, "/nonexistent/cloud.conf");
  const Status status = config.load();
  EXPECT_EQ(status.code(), Code::not_found);
  EXPECT_NE(status.message().find("/nonexistent/cloud.conf"), std::string::npos);
  CloudConfig none(timers, "");
  EXPECT_TRUE(none.load().ok());
  EXPECT_EQ(none.bytes(), nullptr);
}

TEST_F(HostServicesTest, LeaderTellsStateAndFence) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_leader* leader = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_LEADER, &leader);
  EXPECT_TRUE(leader->leading(service.self));
  leader_.lead = false;
  EXPECT_FALSE(leader->leading(service.self));
  EXPECT_EQ(leader->transitions(service.self), 3u);
}

TEST_F(HostServicesTest, LogLinesCarryThePluginAndTheCtxFields) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_log* logger = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_LOG, &logger);
  std::vector<std::string> lines;
  log::redirect([&](std::string_view line) { lines.emplace_back(line); });
  const ccm_key_value pairs[] = {{c_str("size"), c_str("large")}};
  const ccm_log_record record{
      sizeof(record), CCM_LOG_WARNING, c_str("Resized"), pairs, 1, c_str("tester.c"), 12, 0};
  const ContextHandle ctx(component_->background()->child(std::nullopt, {{"node", "n1"}}));
  logger->write(service.self, ctx.get(), &record);
  ccm_log_record verbose = record;
  verbose.level = 9;
  logger->write(service.self, nullptr, &verbose);
  log::redirect({});
  ASSERT_EQ(lines.size(), 1u) << "verbosity 9 is off";
  for (const char* part : {"Resized", "size", "large", "n1", "test.example", "tester"}) {
    EXPECT_NE(lines[0].find(part), std::string::npos) << part << " in " << lines[0];
  }
  EXPECT_TRUE(logger->enabled(service.self, CCM_LOG_ERROR));
  EXPECT_FALSE(logger->enabled(service.self, 9));
}

}  // namespace
}  // namespace ccm::plugin
