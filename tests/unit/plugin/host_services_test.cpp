#include "base/log.hpp"
#include "host_services_fixture.hpp"

#include <prometheus/text_serializer.h>

#include <cstdlib>
#include <future>
#include <thread>

namespace ccm::plugin {
namespace {

TEST_F(HostServicesTest, AnUnknownServiceIsRefused) {
  ASSERT_TRUE(create(true).ok());
  ccm_interface found{};
  EXPECT_FALSE(plugin_.host->get_interface(plugin_.host->self, "draft.ccm.host.none/1", &found));
  EXPECT_EQ(found.table, nullptr);
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
