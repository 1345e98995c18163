#include "runtime/controller_runner.hpp"

#include "manual_timers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccm::runtime {
namespace {

using namespace std::chrono_literals;

// Keeps each reconcile open until the test ends it.
class ScriptedReconciler final : public Reconciler {
 public:
  void reconcile(const ReconcileRequest& request, std::chrono::milliseconds timeout,
                 Done done) override {
    order.push_back(request.key);
    last_request = request;
    last_timeout = timeout;
    open[request.key] = std::move(done);
  }
  void cancel() override { ++cancels; }

  void end(const std::string& key, Status status = {}, ReconcileResult result = {}) {
    auto place = open.find(key);
    ASSERT_NE(place, open.end()) << key << " does not run";
    auto done = std::move(place->second);
    open.erase(place);
    done(std::move(status), result);
  }

  std::vector<std::string> order;
  std::map<std::string, Done> open;
  ReconcileRequest last_request;
  std::chrono::milliseconds last_timeout{0};
  int cancels = 0;
};

class ScriptedSource final : public EventSource {
 public:
  Status watch(const WatchSpec& spec, kube::InformerHandler handler) override {
    if (spec.resource == "bad") return Status(Code::invalid_argument, "bad resource");
    handlers.push_back(std::move(handler));
    return {};
  }
  std::vector<kube::InformerHandler> handlers;
};

WatchSpec watched(const char* resource) {
  WatchSpec spec;
  spec.resource = resource;
  return spec;
}

kube::ObjectPtr object(const std::string& name, const std::string& namespace_name = {}) {
  std::string text = R"({"metadata":{"name":")" + name + "\"";
  if (!namespace_name.empty()) text += R"(,"namespace":")" + namespace_name + "\"";
  auto decoded = kube::Object::decode(text + "}}");
  EXPECT_TRUE(decoded.ok()) << decoded.status().message();
  return *decoded;
}

class ControllerRunnerTest : public testing::Test {
 protected:
  void make(std::size_t workers) {
    RunnerOptions options;
    options.workers = workers;
    options.reconcile_timeout = 7s;
    runner_.emplace(loop_, timers_, reconciler_, options, nullptr,
                    [this](const ReconcileReport& report) { next_.push_back(report.next); });
    ASSERT_TRUE(runner_->watch(source_, watched("v1/nodes")).ok());
  }
  void sync() { source_.handlers.at(0).on_synced(); }
  void add(const std::string& name, const std::string& namespace_name = {}) {
    source_.handlers.at(0).on_add(object(name, namespace_name), true);
  }
  void poll() { loop_.poll(); }
  void advance(std::chrono::milliseconds step) {
    timers_.advance(step);
    poll();
  }
  void end(const std::string& key, Status status = {}, ReconcileResult result = {}) {
    reconciler_.end(key, std::move(status), result);
    poll();
  }
  [[nodiscard]] std::size_t runs() const { return reconciler_.order.size(); }

  ManualTimers timers_;
  EventLoop loop_;
  ScriptedReconciler reconciler_;
  ScriptedSource source_;
  std::vector<std::chrono::milliseconds> next_;
  std::optional<ControllerRunner> runner_;
};

TEST_F(ControllerRunnerTest, WaitsForLeadershipAndForTheCache) {
  make(1);
  add("a");
  poll();
  EXPECT_EQ(runs(), 0u) << "a standby reconciles nothing";
  runner_->start();
  poll();
  EXPECT_EQ(runs(), 0u) << "the cache is not synced";
  sync();
  poll();
  ASSERT_EQ(runs(), 1u);
  EXPECT_EQ(reconciler_.last_timeout, 7s);
}

// A standby may wait for months, and see thousands of Nodes come and go.
TEST_F(ControllerRunnerTest, AStandbyKeepsNoKeyOfWhatIsGone) {
  bool clean_up = false;
  auto map = [&](EventKind kind, const kube::ObjectPtr&, const kube::ObjectPtr& now) {
    if (kind == EventKind::deleted && !clean_up) return;
    runner_->queue().add(now->name(), Priority::changed, now->name() == "late" ? 1h : 0h);
  };
  RunnerOptions options;
  options.workers = 2;
  runner_.emplace(loop_, timers_, reconciler_, options, nullptr);
  ASSERT_TRUE(runner_->watch(source_, watched("v1/nodes"), map).ok());
  ASSERT_TRUE(runner_->watch(source_, watched("v1/services"), map).ok());
  const kube::InformerHandler& nodes = source_.handlers.at(0);
  const kube::InformerHandler& services = source_.handlers.at(1);
  for (const char* name : {"gone", "late", "stays", "cleaned"}) nodes.on_add(object(name), true);
  nodes.on_delete(object("gone"), false);
  nodes.on_delete(object("late"), false);
  services.on_delete(object("stays", "shop"), false);
  services.on_delete(object("stays"), false);  // of a scope that Services do not have
  EXPECT_EQ(runner_->queue().ready(), 2u);
  EXPECT_EQ(runner_->queue().delayed(), 0u);
  clean_up = true;
  nodes.on_delete(object("cleaned"), false);
  nodes.on_synced();
  services.on_synced();
  runner_->start();
  poll();
  EXPECT_EQ(reconciler_.order, (std::vector<std::string>{"stays", "cleaned"}));
}

TEST_F(ControllerRunnerTest, AStandbyKeepsAKeyThatTwoWatchesMayMean) {
  make(1);
  auto map = [&](EventKind kind, const kube::ObjectPtr&, const kube::ObjectPtr& now) {
    if (kind != EventKind::deleted) runner_->queue().add(now->name(), Priority::changed);
  };
  ASSERT_TRUE(runner_->watch(source_, watched("v1/nodes"), map).ok());
  add("a");
  source_.handlers.at(1).on_delete(object("a"), false);
  EXPECT_EQ(runner_->queue().ready(), 1u);
}

TEST_F(ControllerRunnerTest, WithoutAMapOnlyALeaderGetsTheKeyOfWhatIsGone) {
  make(1);
  for (const bool leads : {false, true}) {
    if (leads) runner_->start();
    source_.handlers.at(0).on_delete(object("gone"), false);
    EXPECT_EQ(runner_->queue().ready(), leads ? 1u : 0u);
  }
}

TEST_F(ControllerRunnerTest, WaitsForEveryWatch) {
  make(1);
  ASSERT_TRUE(runner_->watch(source_, watched("v1/services")).ok());
  EXPECT_FALSE(runner_->watch(source_, watched("bad")).ok());
  runner_->start();
  add("a");
  sync();
  poll();
  EXPECT_EQ(runs(), 0u);
  source_.handlers.at(1).on_synced();
  poll();
  EXPECT_EQ(runs(), 1u);
}

TEST_F(ControllerRunnerTest, RunsAtMostItsWorkersAtOnce) {
  make(2);
  runner_->start();
  sync();
  for (const char* name : {"a", "b", "c"}) add(name);
  poll();
  EXPECT_EQ(reconciler_.order, (std::vector<std::string>{"a", "b"}));
  end("b");
  EXPECT_EQ(reconciler_.order.back(), "c");
}

// Operations of one tenant that hang.
TEST_F(ControllerRunnerTest, Issue37_7_OneNamespaceDoesNotTakeEveryWorker) {
  make(8);
  runner_->start();
  sync();
  for (int i = 0; i < 20; ++i) add(std::to_string(i), "bad");
  poll();
  EXPECT_EQ(runs(), 6u);
  add("shop", "good");
  add("blog", "good");
  poll();
  EXPECT_EQ(reconciler_.order.back(), "good/shop");
  EXPECT_EQ(runs(), 7u);
  end("good/shop");
  EXPECT_EQ(reconciler_.order.back(), "good/blog");
  add("node-1");
  add("node-2");
  poll();
  EXPECT_EQ(reconciler_.order.back(), "node-1");
  EXPECT_EQ(runs(), 9u) << "no more than eight at once";
}

TEST_F(ControllerRunnerTest, KeysNameTheNamespaceAndResyncsArePeriodic) {
  make(1);
  runner_->start();
  sync();
  const auto service = object("web", "shop");
  source_.handlers.at(0).on_update(service, service, false);
  poll();
  EXPECT_EQ(reconciler_.last_request.key, "shop/web");
  EXPECT_EQ(reconciler_.last_request.priority, Priority::periodic);
}

TEST_F(ControllerRunnerTest, AMapTurnsOneEventIntoAnyKeys) {
  make(3);
  std::vector<std::pair<EventKind, bool>> seen;  // kind, whether before == now
  auto map = [&](EventKind kind, const kube::ObjectPtr& before, const kube::ObjectPtr& now) {
    seen.emplace_back(kind, before == now);
    runner_->queue().add("x", Priority::changed);
    runner_->queue().add("y", Priority::changed, 1s);
  };
  ASSERT_TRUE(runner_->watch(source_, watched("v1/services"), map).ok());
  sync();
  source_.handlers.at(1).on_synced();
  runner_->start();
  const auto one = object("one");
  const auto two = object("one");
  source_.handlers.at(1).on_add(one, false);
  EXPECT_EQ(runs(), 0u) << "a reconcile must not start inside the map function";
  poll();
  EXPECT_EQ(reconciler_.order, (std::vector<std::string>{"x"}));
  advance(1s);
  EXPECT_EQ(reconciler_.order.back(), "y");
  source_.handlers.at(1).on_update(one, two, true);
  source_.handlers.at(1).on_update(one, two, false);
  source_.handlers.at(1).on_update(two, two, false);
  source_.handlers.at(1).on_delete(two, false);
  using Seen = std::vector<std::pair<EventKind, bool>>;
  EXPECT_EQ(seen, (Seen{{EventKind::added, false},
                        {EventKind::updated, false},
                        {EventKind::updated, true},
                        {EventKind::resync, true},
                        {EventKind::deleted, false}}));
}

TEST_F(ControllerRunnerTest, FailuresBackOffAndSuccessForgets) {
  make(1);
  runner_->start();
  sync();
  add("a");
  poll();
  end("a", Status(Code::unavailable, "down"));
  EXPECT_EQ(next_.back(), 5ms);
  advance(5ms);
  EXPECT_EQ(reconciler_.last_request.attempt, 1u);
  end("a", Status(Code::unavailable, "down"));
  EXPECT_EQ(next_.back(), 10ms);
  advance(10ms);
  end("a");
  EXPECT_EQ(next_.back(), -1ms);
  add("a");
  poll();
  EXPECT_EQ(reconciler_.last_request.attempt, 0u);
}

TEST_F(ControllerRunnerTest, APermanentFailureWaitsForTheNextEvent) {
  make(1);
  runner_->start();
  sync();
  add("a");
  poll();
  end("a", Status(Code::invalid_argument, ErrorClass::invalid_spec, "no such size"));
  EXPECT_EQ(next_.back(), -1ms);
  advance(1h);
  EXPECT_EQ(runs(), 1u);
  add("a");
  poll();
  EXPECT_EQ(runs(), 2u);
}

TEST_F(ControllerRunnerTest, RetryAfterIsHonoured) {
  make(1);
  runner_->start();
  sync();
  add("a");
  poll();
  end("a", Status(Code::resource_exhausted, ErrorClass::throttled, "slow").with_retry_after(60s));
  advance(59'999ms);
  EXPECT_EQ(runs(), 1u);
  advance(1ms);
  ASSERT_EQ(runs(), 2u);
  EXPECT_EQ(reconciler_.last_request.attempt, 1u);
  end("a", Status(Code::unavailable, ErrorClass::waiting, "creating").with_retry_after(2s));
  advance(2s);
  ASSERT_EQ(runs(), 3u);
  EXPECT_EQ(reconciler_.last_request.attempt, 0u) << "waiting is no failure";
  EXPECT_EQ(reconciler_.last_request.priority, Priority::changed);
  end("a", Status(Code::unauthenticated, ErrorClass::auth, "bad token"));
  EXPECT_EQ(next_.back(), 10s) << "a refused credential is retried slowly";
}

TEST_F(ControllerRunnerTest, ARefusedKeyComesBackOnlyAtATimeThatItsControllerNames) {
  make(1);
  runner_->start();
  sync();
  add("a");
  poll();
  const auto refused = [] {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, "no such size");
  };
  end("a", refused().with_retry_after(10min));
  EXPECT_EQ(next_.back(), 10min);
  advance(10min);
  ASSERT_EQ(runs(), 2u);
  EXPECT_EQ(reconciler_.last_request.attempt, 0u) << "no back-off";
  end("a", refused());
  advance(24h);
  EXPECT_EQ(runs(), 2u);
}

// Somebody may raise a limit at any time, and nothing tells of it.
TEST_F(ControllerRunnerTest, AQuotaIsTriedAgainSlowly) {
  make(1);
  runner_->start();
  sync();
  add("a");
  poll();
  end("a", Status(Code::resource_exhausted, ErrorClass::quota, "full"));
  EXPECT_EQ(next_.back(), 10min);
  advance(10min);
  ASSERT_EQ(runs(), 2u);
  EXPECT_EQ(reconciler_.last_request.attempt, 0u) << "no back-off";
  end("a", Status(Code::resource_exhausted, ErrorClass::quota, "full").with_retry_after(1min));
  EXPECT_EQ(next_.back(), 1min);
  add("a");
  poll();
  EXPECT_EQ(runs(), 3u) << "a change of the object ends the wait";
}

TEST_F(ControllerRunnerTest, RequeueAfterComesAsPeriodic) {
  make(1);
  runner_->start();
  sync();
  add("a");
  poll();
  end("a", {}, {30s});
  advance(30s);
  ASSERT_EQ(runs(), 2u);
  EXPECT_EQ(reconciler_.last_request.priority, Priority::periodic);
  end("a", Status(Code::implemented_elsewhere, "not ours"));
  advance(1h);
  EXPECT_EQ(runs(), 2u) << "left alone is no fault";
}

TEST_F(ControllerRunnerTest, PeriodicKeysComeAfterTheSyncAndThenAgain) {
  make(1);
  runner_->every("refresh", 5min);
  runner_->start();
  poll();
  EXPECT_EQ(runs(), 0u);
  sync();
  poll();
  ASSERT_EQ(runs(), 1u);
  advance(10min);
  EXPECT_EQ(runs(), 1u) << "the period begins when the reconcile ended";
  end("refresh", Status(Code::unimplemented, ErrorClass::unsupported, "no"));
  advance(5min);
  EXPECT_EQ(runs(), 2u) << "a period outlives a permanent failure";
}

TEST_F(ControllerRunnerTest, StopCancelsThenWaitsThenGivesUp) {
  make(2);
  runner_->start();
  sync();
  for (const char* name : {"a", "b", "c"}) add(name);
  poll();
  std::optional<std::size_t> left;
  runner_->stop(2s, [&](std::size_t running) { left = running; });
  EXPECT_EQ(reconciler_.cancels, 1);
  end("a");
  EXPECT_EQ(runs(), 2u) << "no key is taken any more";
  EXPECT_FALSE(left);
  advance(2s);
  EXPECT_EQ(left, 1u);
  end("b");  // late, harmless
}

TEST_F(ControllerRunnerTest, StopEndsAtOnceWhenNothingRuns) {
  make(1);
  std::optional<std::size_t> left;
  runner_->stop(2s, [&](std::size_t running) { left = running; });
  EXPECT_FALSE(left) << "posted, not called inside";
  poll();
  EXPECT_EQ(left, 0u);
}

TEST_F(ControllerRunnerTest, ItsEndLeavesNothingBehind) {
  make(1);
  runner_->start();
  sync();
  add("a");
  poll();
  auto late = std::move(reconciler_.open["a"]);
  runner_.reset();
  late({}, {});
  add("b");
  poll();
  EXPECT_EQ(timers_.waiting(), 0u);
}

}  // namespace
}  // namespace ccm::runtime
