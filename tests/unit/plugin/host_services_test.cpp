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
  EXPECT_FALSE(plugin_.host->get_interface(plugin_.host->self, "ccm.host.none/1", &found));
  EXPECT_EQ(found.table, nullptr);
}

TEST_F(HostServicesTest, ACallFromDestroyIsRefused) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface reader = plugin_.service(CCM_HOST_KUBE, &kube);
  Caught within, after;
  const auto request = sized<ccm_kube_get_request>();
  plugin_.on_destroy = [&] { kube->get(reader.self, {}, &request, within.completion()); };
  std::optional<Status> destroyed;
  component_->destroy(1s, [&](Status status) { destroyed = status; });
  poll();
  ASSERT_TRUE(destroyed);
  ASSERT_TRUE(within.status) << "inside the call";
  EXPECT_EQ(within.status->code(), Code::failed_precondition);
  std::thread stray([&] { kube->get(reader.self, {}, &request, after.completion()); });
  stray.join();
  ASSERT_TRUE(after.status);
  EXPECT_EQ(after.status->code(), Code::failed_precondition);
}

TEST_F(HostServicesTest, TimersRunInSerialAndAreTheComponentsOwn) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_timer* timer = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_TIMER, &timer);
  Counted first, cancelled, last;
  const int64_t begin = timer->now_ms(service.self);
  timer->after(service.self, 50, first.callback());
  const uint64_t number = timer->after(service.self, 50, cancelled.callback());
  timer->cancel(service.self, number);
  timer->cancel(service.self, 999);
  EXPECT_EQ(cancelled.drops, 1);
  advance(49ms);
  EXPECT_EQ(first.calls, 0);
  advance(1ms);
  EXPECT_EQ(first.calls, 1);
  EXPECT_EQ(first.drops, 1);
  EXPECT_EQ(cancelled.calls, 0);
  EXPECT_EQ(timer->now_ms(service.self) - begin, 50);
  timer->after(service.self, 10, last.callback());
  component_->destroy(1s, [](const Status&) {});
  poll();
  advance(1s);
  EXPECT_EQ(last.calls, 0) << "nothing is called after destroy";
  EXPECT_EQ(last.drops, 1);
  EXPECT_EQ(timer->after(service.self, 10, last.callback()), 0u);
  EXPECT_EQ(last.drops, 2) << "refused and dropped";
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
      post->post(service.self, {[](void* owner) {
                                  auto& self = *static_cast<Entry*>(owner);
                                  self.order->push_back(self.number);
                                },
                                nullptr, &entry});
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
  auto request = sized<ccm_work_request>();
  request.work = {[](void* owner) {
                    auto& self = *static_cast<Work*>(owner);
                    self.on_loop.set_value(self.loop->on_loop());
                    self.gate.wait();
                  },
                  nullptr, &work};
  worker->run(service.self, {}, &request, caught.completion());
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
  auto counter = sized<ccm_metric>();
  counter.kind = CCM_METRIC_COUNTER;
  counter.name = c_str("test_total");
  counter.help = c_str("Help.");
  counter.label_names = labels;
  counter.label_count = 1;
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
    metrics->record(service.self, number, &value, 1, 1);
  }
  const ccm_str first = c_str("z0");
  metrics->record(service.self, number, &first, 1, 2);
  metrics->record(service.self, number, &first, 1, -5);
  metrics->record(service.self, number, &first, 0, 1);
  metrics->record(service.self, 77, &first, 1, 1);
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("test_total{zone=\"z0\"} 3"), std::string::npos);
  EXPECT_NE(text.find("ccm_plugin_refused_metric_values_total 2"), std::string::npos);
  EXPECT_NE(text.find("test_total{zone=\"other\"} 501"), std::string::npos) << text.substr(0, 400);
}

// service_controller_nodesync_error_total is 0 before the first error, in Go and here.
TEST_F(HostServicesTest, MET_5_AMetricWithoutLabelsIsThereBeforeItsFirstValue) {
  const auto definition = [](const char* name, int32_t kind, const ccm_str* labels,
                             std::size_t count, const double* buckets) {
    auto metric = sized<ccm_metric>();
    metric.kind = kind;
    metric.name = c_str(name);
    metric.help = c_str("Help.");
    metric.label_names = labels;
    metric.label_count = count;
    metric.buckets = buckets;
    metric.bucket_count = buckets != nullptr ? 1 : 0;
    return metric;
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
  auto record = sized<ccm_event>();
  record.flags = CCM_EVENT_IS_WARNING;
  record.object = object_handle(node);
  record.reason = c_str("Gone");
  record.message = c_str(text);
  event->record(service.self, &record);
  poll();
  EXPECT_EQ(events_, (std::vector<std::string>{"tester n1 Warning Gone"}));
  EXPECT_EQ(last_message_, std::string(1023, 'x')) << "no half character";
  auto named = sized<ccm_object_reference>();
  named.kind = c_str("Node");
  named.name = c_str("n2");
  record.object = nullptr;
  event->record(service.self, &record);
  record.reference = &named;
  record.flags = 0;
  event->record(service.self, &record);
  poll();
  EXPECT_EQ(events_.size(), 2u) << "one about nothing is ignored";
  EXPECT_EQ(events_.back(), "tester n2 Normal Gone");
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

TEST_F(HostServicesTest, LeadershipThatChangesIsTold) {
  Counted changes;
  plugin_.on_create = [&](const ccm_host* host, ccm_completion done) {
    plugin_.host = host;
    const ccm_host_leader* leader = nullptr;
    const ccm_interface service = plugin_.service(CCM_HOST_LEADER, &leader);
    EXPECT_TRUE(leader->on_change(service.self, changes.callback()));
    plugin_.complete_create(done);
  };
  ASSERT_TRUE(create(true).ok());
  advance(1s);
  EXPECT_EQ(changes.calls, 0);
  leader_.lead = false;
  advance(1s);
  EXPECT_EQ(changes.calls, 1);
  leader_.lead = true;
  advance(1s);
  EXPECT_EQ(changes.calls, 2);
  component_->destroy(1s, [](const Status&) {});
  poll();
  EXPECT_EQ(changes.drops, 1);
}

TEST_F(HostServicesTest, LogLinesCarryThePluginAndTheCtxFields) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_log* logger = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_LOG, &logger);
  std::vector<std::string> lines;
  log::redirect([&](std::string_view line) { lines.emplace_back(line); });
  const ccm_key_value pairs[] = {{c_str("size"), c_str("large")}};
  auto record = sized<ccm_log_record>();
  record.level = CCM_LOG_WARNING;
  record.message = c_str("Resized");
  record.pairs = pairs;
  record.pair_count = 1;
  record.file = c_str("tester.c");
  record.line = 12;
  const KnownContext ctx(runtime_.contexts, plugin_number(),
                         component_->background()->child(std::nullopt, {{"node", "n1"}}));
  logger->write(service.self, ctx.get(), &record);
  ccm_log_record verbose = record;
  verbose.level = 9;
  logger->write(service.self, {}, &verbose);
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
