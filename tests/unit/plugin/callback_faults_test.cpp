// R-13 when something goes wrong: a callback that throws, one that is handed over where it may not
// be, a component that cannot be destroyed, and the numbers of another component.
#include "callbacks_fixture.hpp"

#include <stdexcept>
#include <thread>

namespace ccm::plugin {
namespace {

class CallbackFaultsTest : public CallbackMatrixTest {
 protected:
  // The plugin's create runs `fn`.
  void create_with(const std::function<void()>& fn) {
    plugin_.on_create = [this, fn](const ccm_host* host, ccm_completion done) {
      plugin_.host = host;
      fn();
      plugin_.complete_create(done);
    };
    begin_again();
    plugin_.on_create = {};
  }
};

TEST_F(CallbackFaultsTest, R_13_WhenItThrows) {
  for (std::size_t index = 0; index < 4; ++index) {
    begin_again();
    const Way way = ways().at(index);
    SCOPED_TRACE(way.name);
    Owner owner;
    ccm_callback thrower = owner.callback();
    thrower.fn = [](void* self) {
      ++static_cast<Owner*>(self)->calls;
      throw std::runtime_error("from a callback");
    };
    way.add(thrower);
    way.happen();
    EXPECT_EQ(owner.calls, 1);
    EXPECT_EQ(owner.drops, way.repeats ? 0 : 1);
    end_component();
    EXPECT_EQ(owner.calls, 1);
    EXPECT_EQ(owner.drops, 1);
  }
}

// The operation tells of a worker's function that throws.
TEST_F(CallbackFaultsTest, R_13_AWorkersFunctionThatThrows) {
  begin_again();
  const ccm_host_worker* worker = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_WORKER, &worker);
  Owner owner;
  auto request = sized<ccm_work_request>();
  request.work = owner.callback();
  request.work.fn = [](void*) { throw std::runtime_error("from a worker"); };
  Caught ended;
  worker->run(service.self, {}, &request, ended.completion());
  poll_until([&] { return ended.status.has_value(); });
  ASSERT_TRUE(ended.status);
  EXPECT_EQ(ended.status->code(), Code::internal);
  end_component();
  EXPECT_EQ(owner.drops, 1);
  EXPECT_EQ(ended.calls, 1);
}

// Two that are for create alone, and repeat until the component ends.
TEST_F(CallbackFaultsTest, R_13_CallbacksForCreate) {
  struct ForCreate {
    const char* name;
    std::function<bool(ccm_callback)> add;
  };
  const auto both = [this] {
    const ccm_host_leader* leader = nullptr;
    const ccm_host_config* config = nullptr;
    const ccm_interface led = plugin_.service(CCM_HOST_LEADER, &leader);
    const ccm_interface configured = plugin_.service(CCM_HOST_CONFIG, &config);
    return std::vector<ForCreate>{
        {"leader.on_change", [=](ccm_callback one) { return leader->on_change(led.self, one); }},
        {"config.on_change",
         [=](ccm_callback one) { return config->on_change(configured.self, one); }}};
  };
  for (std::size_t index = 0; index < 2; ++index) {
    Owner kept, nothing, late, stray, within, after;
    create_with([&] {
      const ForCreate way = both().at(index);
      EXPECT_TRUE(way.add(kept.callback()));
      ccm_callback without_function = nothing.callback();
      without_function.fn = nullptr;
      EXPECT_FALSE(way.add(without_function));
    });
    const ForCreate way = both().at(index);
    SCOPED_TRACE(way.name);
    EXPECT_FALSE(way.add(late.callback()));
    std::thread outside([&] { EXPECT_FALSE(way.add(stray.callback())); });
    outside.join();
    for (const Owner* owner : {&nothing, &late, &stray}) EXPECT_EQ(owner->drops, 1);
    leader_.lead = !leader_.lead;
    std::ofstream(path_) << "region = " << std::string(index + 5, 'x');
    poll_until([&] {
      advance(10s);
      return kept.calls > 0;
    });
    EXPECT_EQ(kept.calls, 1);
    EXPECT_EQ(kept.drops, 0);
    plugin_.on_destroy = [&] { EXPECT_FALSE(way.add(within.callback())); };
    end_component();
    plugin_.on_destroy = {};
    EXPECT_FALSE(way.add(after.callback()));
    leader_.lead = !leader_.lead;
    advance(10s);
    EXPECT_EQ(kept.calls, 1);
    for (const Owner* owner : {&kept, &nothing, &late, &stray, &within, &after}) {
      EXPECT_EQ(owner->drops, 1);
    }
  }
}

TEST_F(CallbackFaultsTest, R_54_AComponentThatIsNeverDestroyedKeepsThem) {
  static Owner timer, watch;  // they outlive the test, as the component does
  begin_again();
  const std::vector<Way> all = ways();
  timer_->after(plugin_.service(CCM_HOST_TIMER, &timer_).self, 3'600'000, timer.callback());
  all.at(3).add(watch.callback());
  ccm_completion open{};
  call([&](ccm_ctx, ccm_completion done) { open = done; });
  std::optional<Status> ended;
  component_->destroy(1s, [&](const Status& status) { ended = status; });
  poll();
  advance(1s);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code(), Code::failed_precondition);
  complete(open);  // too late
  poll();
  EXPECT_EQ(plugin_.destroyed, 0);
  EXPECT_EQ(timer.drops + watch.drops, 0);
  EXPECT_EQ(timer.calls + watch.calls, 0);
}

// Two components may have the same numbers.
TEST_F(CallbackFaultsTest, R_13_AComponentRemovesAndEndsItsOwnAlone) {
  begin_again();
  ways();
  const ccm_interface mine = plugin_.service(CCM_HOST_TIMER, &timer_);
  ComponentIdentity identity;
  identity.plugin_id = "test.example";
  identity.name = "sister";
  identity.nonblocking = true;
  const auto sister = std::make_shared<LiveComponent>(runtime_, identity);
  ComponentHost host(true);
  host.add(std::make_unique<TimerService>(sister));
  sister->create(plugin_.plugin, nullptr, host.host(), [](const Status&) {});
  poll();
  const ccm_host_timer* table = nullptr;
  const ccm_interface theirs = plugin_.service(CCM_HOST_TIMER, &table);
  ASSERT_NE(mine.self, theirs.self);
  Owner removed, ended, other;
  const uint64_t number = timer_->after(mine.self, 1'000, removed.callback());
  EXPECT_EQ(table->after(theirs.self, 1'000, other.callback()), number);
  timer_->after(mine.self, 1'000, ended.callback());
  timer_->cancel(mine.self, number);
  EXPECT_EQ(removed.drops, 1);
  end_component();
  EXPECT_EQ(ended.drops, 1);
  EXPECT_EQ(other.drops, 0);
  advance(1s);
  EXPECT_EQ(removed.calls + ended.calls, 0);
  EXPECT_EQ(other.calls, 1);
  EXPECT_EQ(other.drops, 1);
  sister->destroy(1s, [](const Status&) {});
  poll();
  EXPECT_EQ(plugin_.destroyed, 2);
}

}  // namespace
}  // namespace ccm::plugin
