// The calls to the cloud for Nodes that are not Ready: the real controller on the host's real
// broker, an hour of the fake loop's time (hcloud#661).
#include "../../support/start_task.hpp"
#include "../cloud/instances_provider.hpp"
#include "../plugin/test_runtime.hpp"
#include "cloud/broker/instances_broker.hpp"
#include "lifecycle_fixture.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::node_lifecycle {
namespace {

using cloud::InstanceAnswer;
using cloud::InstanceQuery;
using cloud::InstancesBroker;

// The fake loop's clock, for the broker. What it runs may complete operations of the component.
class LoopTimers final : public runtime::Timers {
 public:
  LoopTimers(testing::FakeLoop& loop, runtime::EventLoop& host) : loop_(loop), host_(host) {}
  [[nodiscard]] runtime::TimePoint now() const override { return runtime::TimePoint(loop_.now()); }
  Id after(std::chrono::milliseconds delay, std::function<void()> fn) override {
    return loop_.after(std::max(delay, 0ms), [this, fn = std::move(fn)] {
      fn();
      host_.poll();
    });
  }
  bool cancel(Id id) override {
    loop_.cancel(id);
    return true;
  }

 private:
  testing::FakeLoop& loop_;
  runtime::EventLoop& host_;
};

// HTTP calls that a listing and a look-up of a provider make.
struct Prices {
  std::size_t list = 1;
  std::size_t get = 1;
};

// Its component, too: what the broker calls.
class CountingCloud final : public cloud::InstancesProvider {
 public:
  explicit CountingCloud(testing::FakeLoop& loop) : timers_(loop, loop_) {
    std::optional<Status> created;
    loop_.post([&] {
      component_->create(plugin_.plugin, nullptr, host_.host(),
                         [&](Status status) { created = std::move(status); });
    });
    while (!created) loop_.poll();
    EXPECT_TRUE(created->ok());
  }
  [[nodiscard]] std::shared_ptr<InstancesBroker> broker() {
    return std::make_shared<InstancesBroker>(component_, interface(listing, true),
                                             cloud::ProviderTimeouts(), cloud::BrokerOptions());
  }
  void list(ccm_ctx ctx, Call call) override {
    count(ctx, prices.list);
    timers_.after(200ms, [this, call] { call.end(machines); });
  }
  void get(ccm_ctx ctx, Asked asked, Call call) override {
    count(ctx, prices.get);
    timers_.after(50ms, [this, call, id = asked.provider_id] {
      const auto found = std::find_if(machines.begin(), machines.end(), [&](const auto& machine) {
        return machine.provider_id == id;
      });
      if (found == machines.end()) {
        return call.end(Status(Code::not_found, ErrorClass::not_found, "no such machine"));
      }
      call.end(std::vector<cloud::Machine>{*found});
    });
  }

  std::vector<cloud::Machine> machines;
  Prices prices;
  bool listing = true;  // of a broker that begins then
  std::size_t calls = 0;

 private:
  void count(ccm_ctx ctx, std::size_t price) {
    calls += price;
    const auto origin = component_->find_context(ctx)->origin();
    for (std::size_t i = 0; i < price; ++i) origin->answered({});
  }
  runtime::EventLoop loop_;
  LoopTimers timers_;
  runtime::WorkerPool workers_;
  runtime::Watchdog watchdog_{timers_, [](const runtime::Watchdog::Stall&) {}};
  plugin::CompletionTable completions_{loop_};
  plugin::ComponentRuntime runtime_{loop_, timers_, workers_, watchdog_, completions_, {}};
  plugin::TestPlugin plugin_;
  plugin::ComponentHost host_{true};
  std::shared_ptr<plugin::LiveComponent> component_ = std::make_shared<plugin::LiveComponent>(
      runtime_, plugin::ComponentIdentity{"test.example", "tester", "tester", true, 2, {}, {}});
};

class QuotaTest : public LifecycleTest {
 protected:
  QuotaTest() {
    table_.size = sizeof(table_);
    table_.describe = &QuotaTest::describe;
    host.offer(CCM_CLOUD_INSTANCES, {this, &table_});
  }
  ~QuotaTest() override {
    controller.reset();
    host.loop.clear();
  }

  // A cloud of that size, in which the first Nodes are not Ready.
  void begin(int instances, Prices prices, int not_ready) {
    counted_.prices = prices;
    broker_ = counted_.broker();
    for (int i = 0; i < instances; ++i) {
      const std::string name = "n" + std::to_string(i);
      counted_.machines.push_back({name, "sandbox://" + name});
    }
    for (int i = 0; i < not_ready; ++i) put(node("n" + std::to_string(i), "Unknown"));
    start();
  }
  void vanish(int number) {
    const std::string id = "sandbox://n" + std::to_string(number);
    std::erase_if(counted_.machines, [&](const auto& one) { return one.provider_id == id; });
  }
  // Calls of the controller and the node controller's refresh, which may need a listing of its own.
  std::size_t calls_in(std::chrono::minutes time) {
    const std::size_t before = counted_.calls;
    for (auto left = std::chrono::seconds(time); left.count() > 0; --left) {
      if (left.count() % 300 == 0) {
        InstanceQuery refresh;
        refresh.provider_id = "sandbox://n999";
        tasks_(broker_->find(refresh), [](const InstanceAnswer&) {});
      }
      controller->advance(1s);
    }
    return counted_.calls - before;
  }

  CountingCloud counted_{host.loop};
  std::shared_ptr<InstancesBroker> broker_;
  Tasks tasks_;

 private:
  static void describe(void* self, ccm_ctx, const ccm_describe_instances_request* request,
                       ccm_completion done) {
    auto& test = *static_cast<QuotaTest*>(self);
    const NodeIdentity asked =
        NodeIdentity::from_c(test.host.objects.service(), *request->nodes[0]);
    InstanceQuery query;
    query.name = asked.name;
    query.provider_id = asked.provider_id;
    query.max_age = asked.max_age;
    test.tasks_(test.broker_->find(std::move(query)), [&test, done](const InstanceAnswer& found) {
      Instance instance;
      instance.state = static_cast<InstanceState>(found.state());
      test.host.loop.post([done, instance, status = found.status] {
        const ccm_status raw = status.to_c();
        const std::vector<Instance> one = {instance};  // the list points into it
        const detail::InstanceListC list(one);
        done.fn(done.owner, done.operation, &raw, status.ok() ? list.list() : nullptr);
      });
    });
  }
  ccm_cloud_instances table_{};
};

// DigitalOcean has 200 droplets on a page and a second kind of them; OpenStack 500 servers and as
// many ports on a page, and a look-up asks for both.
constexpr Prices kDroplets1000{6, 1};
constexpr Prices kDroplets5000{26, 1};
constexpr Prices kServers1000{6, 2};
constexpr Prices kServers5000{22, 2};

constexpr std::size_t kMost = 1'000;

TEST_F(QuotaTest, HCLOUD_661_1000DropletsAnd9NodesNotReady) {
  begin(1'000, kDroplets1000, 9);
  const std::size_t first = calls_in(60min);
  RecordProperty("first", static_cast<int>(first));
  EXPECT_LE(first, kMost);
  EXPECT_LE(calls_in(60min), kMost / 2) << "they stay so";
}

TEST_F(QuotaTest, HCLOUD_661_5000DropletsAnd12NodesNotReady) {
  begin(5'000, kDroplets5000, 12);
  const std::size_t first = calls_in(60min);
  RecordProperty("first", static_cast<int>(first));
  EXPECT_LE(first, kMost);
  const std::size_t second = calls_in(60min);
  RecordProperty("second", static_cast<int>(second));
  EXPECT_LE(second, kMost) << "312 of them for the refresh";
}

TEST_F(QuotaTest, HCLOUD_661_OpenStacksServers) {
  begin(1'000, kServers1000, 9);
  const std::size_t first = calls_in(60min);
  RecordProperty("first", static_cast<int>(first));
  EXPECT_LE(first, kMost);
}

TEST_F(QuotaTest, HCLOUD_661_5000OpenStackServers) {
  begin(5'000, kServers5000, 12);
  const std::size_t first = calls_in(60min);
  RecordProperty("first", static_cast<int>(first));
  EXPECT_LE(first, kMost);
}

TEST_F(QuotaTest, HCLOUD_661_AWholeZoneNotReady) {
  begin(5'000, kDroplets5000, 400);
  const std::size_t first = calls_in(60min);
  RecordProperty("first", static_cast<int>(first));
  EXPECT_LE(first, kMost);
}

TEST_F(QuotaTest, HCLOUD_661_AProviderThatCannotList) {
  counted_.listing = false;
  begin(1'000, kDroplets1000, 9);
  EXPECT_LE(calls_in(60min), kMost);
}

// Their look-ups find nothing, which is no answer that others get.
TEST_F(QuotaTest, HCLOUD_661_NodesWhoseDeletionIsHeld) {
  for (int i = 0; i < 3'000; ++i) {
    host.kube.fail_next(
        "delete", "v1/nodes",
        Status(Code::failed_precondition, ErrorClass::waiting, "held").with_reason("DeletionHeld"));
  }
  begin(5'000, kDroplets5000, 0);
  for (int i = 0; i < 12; ++i) {
    vanish(i);
    put(node("n" + std::to_string(i), "Unknown"));
  }
  EXPECT_LE(calls_in(60min), kMost);
}

// A kubelet that writes its own condition.
TEST_F(QuotaTest, HCLOUD_661_ANodeThatFlaps) {
  begin(1'000, kDroplets1000, 0);
  const std::size_t before = counted_.calls;
  for (int second = 0; second < 3'600; ++second) {
    put(node("n1", second % 2 == 0 ? "Unknown" : "True"));
    controller->advance(1s);
  }
  EXPECT_LE(counted_.calls - before, 24u + 30u);
}

TEST_F(QuotaTest, HCLOUD_661_ANodeStuckOnAnotherProgramsFinalizerCostsNothing) {
  begin(1'000, kDroplets1000, 0);
  Json stuck = node("n0", "Unknown");
  stuck["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  stuck["metadata"]["finalizers"] = Json::array({"example.com/keep"});
  put(stuck);
  vanish(0);
  for (int second = 0; second < 3'600; ++second) controller->advance(1s);
  EXPECT_EQ(counted_.calls, 0u);
}

// Nodes that were NotReady for hours do not delay it.
TEST_F(QuotaTest, LIFE_8_ANewAbsenceIsNoticedWithinTwoPeriods) {
  begin(5'000, kDroplets5000, 12);
  (void)calls_in(120min);
  for (int i = 20; i < 24; ++i) {
    put(node("n" + std::to_string(i), "Unknown"));
    controller->advance(1s);
    vanish(i);
  }
  controller->advance(10s);
  for (int i = 20; i < 24; ++i) EXPECT_TRUE(stored("n" + std::to_string(i)).is_null()) << i;
}

TEST_F(QuotaTest, AHundredThatVanishTogetherAreNoticedWithinTwoPeriods) {
  begin(5'000, kDroplets5000, 12);
  (void)calls_in(120min);
  for (int i = 100; i < 200; ++i) {
    vanish(i);
    put(node("n" + std::to_string(i), "Unknown"));
  }
  controller->advance(10s);
  for (int i = 100; i < 200; ++i) EXPECT_TRUE(stored("n" + std::to_string(i)).is_null()) << i;
}

}  // namespace
}  // namespace ccm::node_lifecycle
