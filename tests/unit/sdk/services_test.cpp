#include <ccm/json_writer.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;
using testing::plugin_of;

// A component whose host a test can use directly.
struct Open {
  explicit Open(Host& h) : host(h) {
    counter = host.metrics.counter("things_total", "counts", {"kind"});
    histogram = host.metrics.histogram("delay_seconds", "delays", {1, 4, 16});
    host.config.on_change([this] { ++changes; });
    last = this;
  }
  Task<Status> initialize(Ctx ctx) { return script(*this, std::move(ctx)); }

  static inline Open* last = nullptr;
  static inline Task<Status> (*script)(Open&, Ctx) = nullptr;
  Host& host;
  Metric counter;
  Metric histogram;
  int changes = 0;
  std::vector<std::string> seen;
};

class Services : public ::testing::Test {
 protected:
  Status run(Task<Status> (*script)(Open&, Ctx)) {
    Open::script = script;
    return component.initialize();
  }
  FakeHost host;
  FakeComponent component{host, plugin_of<Open, Dispatch::loop>(), "test"};
};

Task<Status> background_task(Open* open) {
  Status slept = co_await open->host.timer.sleep(open->host.background(), std::chrono::seconds(1));
  open->seen.push_back(slept.ok() ? "slept" : slept.message());
  co_return Status(Code::unavailable, "background trouble");
}

Task<Status> use_worker(Open& open, Ctx) {
  const auto number = co_await open.host.worker.run([] { return 41 + 1; });
  if (!number.ok() || *number != 42) co_return Status(Code::internal, "wrong number");
  const Status done = co_await open.host.worker.run([] {});
  if (!done.ok()) co_return done;
  const Status failed = co_await open.host.worker.run([] { return Status(Code::aborted, "no"); });
  if (failed.code() != Code::aborted) co_return Status(Code::internal, "status lost");
  const auto threw = co_await open.host.worker.run([]() -> int { throw std::runtime_error("x"); });
  co_return threw.status();
}

TEST_F(Services, WorkerGivesWhatTheFunctionGave) {
  EXPECT_EQ(run(&use_worker).message(), "unhandled exception: x");
}

TEST_F(Services, WorkerMayCallBlockingServices) {
  host.http.expect("GET", "http://cloud/x").answer(204, "");
  const Status status = run([](Open& open, Ctx ctx) -> Task<Status> {
    Host* host = &open.host;
    auto ask = [host, ctx]() -> Result<uint32_t> {
      HttpRequest request;
      request.url = "http://cloud/x";
      const auto answer = host->http.send_blocking(ctx, std::move(request));
      if (!answer.ok()) return answer.status();
      return answer->status_code;
    };
    const auto code = co_await host->worker.run(std::move(ask));
    if (!code.ok()) co_return code.status();
    co_return *code == 204 ? Status() : Status(Code::internal, "another answer");
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Services, SpawnedTasksRunOnAndTheirFailureIsLogged) {
  Open& open = *Open::last;
  open.host.spawn(background_task(&open));
  EXPECT_TRUE(open.seen.empty());
  host.loop.advance(std::chrono::seconds(1));
  EXPECT_EQ(open.seen, std::vector<std::string>{"slept"});
  ASSERT_EQ(host.log.lines(CCM_LOG_ERROR).size(), 1U);
  EXPECT_EQ(host.log.lines(CCM_LOG_ERROR)[0].value("err"), "background trouble");
}

TEST_F(Services, PostRunsLaterAndInOrder) {
  Open& open = *Open::last;
  EXPECT_TRUE(open.host.post([&] { open.seen.push_back("first"); }));
  EXPECT_TRUE(open.host.post([&] { open.seen.push_back("second"); }));
  EXPECT_TRUE(open.seen.empty());
  host.loop.run();
  EXPECT_EQ(open.seen, (std::vector<std::string>{"first", "second"}));
}

TEST_F(Services, LogCarriesPairsAndThePlace) {
  Open::last->host.log.warning("node has no machine",
                               {{"node", "n1"}, {"tries", 3}, {"ready", false}});
  const auto lines = host.log.lines(CCM_LOG_WARNING);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].text(), "node has no machine node=n1 tries=3 ready=false");
  EXPECT_EQ(lines[0].file, "services_test.cpp");
  EXPECT_GT(lines[0].line, 0U);
}

TEST_F(Services, LogIsSilentBelowItsVerbosity) {
  host.log.set_verbosity(2);
  Open::last->host.log.debug("details");
  Open::last->host.log.v(2, "shown");
  ASSERT_EQ(host.log.lines().size(), 1U);
  EXPECT_EQ(host.log.lines()[0].message, "shown");
}

TEST_F(Services, MetricsAreRecordedWithTheirLabels) {
  Open::last->counter.record(1, {"small"});
  Open::last->histogram.record(2.5);
  EXPECT_EQ(host.metrics.find("things_total")->records,
            (std::vector<std::pair<std::string, double>>{{"small", 1.0}}));
  const auto histogram = host.metrics.find("delay_seconds");
  EXPECT_EQ(histogram->kind, CCM_METRIC_HISTOGRAM);
  EXPECT_EQ(histogram->buckets, (std::vector<double>{1, 4, 16}));
  EXPECT_EQ(histogram->records.at(0).second, 2.5);
}

TEST_F(Services, ConfigGivesFlagsInTheirTypes) {
  host.config.set_flag("concurrent-node-syncs", "7");
  host.config.set_flag("node-status-update-frequency", "5m0s", false);
  const Config& config = Open::last->host.config;
  EXPECT_EQ(config.integer_flag("concurrent-node-syncs"), 7);
  EXPECT_TRUE(config.flag_given("concurrent-node-syncs"));
  EXPECT_FALSE(config.flag_given("node-status-update-frequency"));
  EXPECT_EQ(config.duration_flag("node-status-update-frequency"), std::chrono::minutes(5));
  EXPECT_FALSE(config.flag("other").has_value());
  EXPECT_FALSE(config.integer_flag("node-status-update-frequency").has_value());
}

TEST_F(Services, ConfigReadsSecretsOfAnyLength) {
  const std::string key(5'000, 'k');
  host.config.set_secret("CLOUD_TOKEN", key);
  EXPECT_EQ(Open::last->host.config.secret("CLOUD_TOKEN"), key);
  EXPECT_FALSE(Open::last->host.config.secret("OTHER").has_value());
}

TEST_F(Services, ConfigTellsOfChanges) {
  host.config.change_cloud_config("new");
  EXPECT_EQ(Open::last->changes, 0);
  host.loop.run();
  EXPECT_EQ(Open::last->changes, 1);
  EXPECT_EQ(Open::last->host.config.cloud_config(), "new");
}

TEST(Config, DurationsInGosForm) {
  using std::chrono::milliseconds;
  EXPECT_EQ(Config::parse_duration("1h2m3s"), milliseconds(3'723'000));
  EXPECT_EQ(Config::parse_duration("1.5s"), milliseconds(1'500));
  EXPECT_EQ(Config::parse_duration("300ms"), milliseconds(300));
  EXPECT_EQ(Config::parse_duration("0"), milliseconds(0));
  EXPECT_EQ(Config::parse_duration("nans"), std::nullopt);
  EXPECT_EQ(Config::parse_duration("infh"), std::nullopt);
  for (const char* wrong : {"", "5", "s", "-1s", "1x", "1s 2s", "99999999999999h"}) {
    EXPECT_FALSE(Config::parse_duration(wrong).has_value()) << wrong;
  }
}

TEST_F(Services, EventsNameTheirObject) {
  const Object node = host.objects.make(R"({"metadata": {"name": "n1"}})");
  Open::last->host.events.warning(node, "Trouble", "something is wrong");
  ASSERT_EQ(host.events.all().size(), 1U);
  EXPECT_TRUE(host.events.all()[0].warning);
  EXPECT_EQ(host.events.all()[0].object, "n1");
  EXPECT_EQ(host.events.all()[0].reason, "Trouble");
}

TEST_F(Services, ObjectsAreReadWithoutCopies) {
  const Object node = host.objects.make(
      R"({"metadata": {"annotations": {"a.io/b~c": "v"}}, "status": {"n": 3, "ok": true,
          "list": [{"k": "1"}, {"k": "2"}], "nothing": null}})");
  EXPECT_EQ(node.text("/metadata/annotations" + pointer_segment("a.io/b~c")), "v");
  EXPECT_EQ(node.at("/status/n").integer(), 3);
  EXPECT_EQ(node.at("/status/ok").boolean(), true);
  EXPECT_EQ(node.at("/status/nothing").kind(), ValueKind::null);
  EXPECT_FALSE(node.at("/status/absent").exists());
  std::string keys;
  node.at("/status/list").each([&](std::string_view, const Value& element) {
    keys += element.text("/k");
    return keys.size() < 1;
  });
  EXPECT_EQ(keys, "1");
}

TEST_F(Services, ObjectsAndContextsAreReleased) {
  {
    const Object node = host.objects.make(R"({"metadata": {"name": "n1"}})");
    const Object copy = node;  // NOLINT: the count is what is tested
    Object moved = copy;
    moved = node;
    const Ctx ctx = host.contexts.make();
    const Ctx child = ctx.with_timeout(std::chrono::seconds(1));
    const Ctx other = child;
    EXPECT_EQ(host.objects.live(), 1U);
    EXPECT_EQ(host.contexts.live(), 1U);
  }
  EXPECT_EQ(host.objects.live(), 0U);
  EXPECT_EQ(host.contexts.live(), 0U);
}

TEST(JsonWriter, EscapesAndSeparates) {
  JsonWriter json;
  json.object([&] {
    json.member("a").text("quote \" back \\ line \n bell \x07");
    json.member("list").array([&] { json.number(1).boolean(false).null().array([] {}); });
    json.member("empty").object([] {});
  });
  EXPECT_EQ(json.str(),
            R"({"a":"quote \" back \\ line \u000a bell \u0007","list":[1,false,null,[]],)"
            R"("empty":{}})");
}

TEST_F(Services, JsonWriterCopiesValuesWhole) {
  const char* text = R"({"b":[1,{"x":null}],"a":{"t":true,"s":"ü"}})";
  const Object object = host.objects.make(text);
  JsonWriter json;
  json.value(object.at(""));
  EXPECT_EQ(json.str(), text);
}

}  // namespace
}  // namespace ccm
