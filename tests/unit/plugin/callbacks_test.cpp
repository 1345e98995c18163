// whatever becomes of a callback that a component handed over, it is dropped exactly once.
#include "base/log.hpp"
#include "callbacks_fixture.hpp"
#include "plugin/live_component.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <stdexcept>
#include <thread>

namespace ccm::plugin {
namespace {

TEST_F(CallbackMatrixTest, R_13_WhenItRan) {
  for (std::size_t index = 0; index < 4; ++index) {
    begin_again();
    const Way way = ways().at(index);
    SCOPED_TRACE(way.name);
    Owner owner;
    EXPECT_NE(way.add(owner.callback()), 0u);
    EXPECT_EQ(owner.calls, 0) << "never inside the call";
    way.happen();
    EXPECT_EQ(owner.calls, 1);
    EXPECT_EQ(owner.drops, way.repeats ? 0 : 1);
    end_component();
    EXPECT_EQ(owner.calls, 1);
    EXPECT_EQ(owner.drops, 1);
  }
}

TEST_F(CallbackMatrixTest, R_13_WhenItIsRemoved) {
  for (std::size_t index = 0; index < 4; ++index) {
    begin_again();
    const Way way = ways().at(index);
    if (!way.remove) continue;
    SCOPED_TRACE(way.name);
    Owner owner;
    const uint64_t number = way.add(owner.callback());
    way.remove(number);
    EXPECT_EQ(owner.drops, 1) << "inside the call that removed it";
    way.remove(number);
    way.remove(number + 100);
    way.happen();
    end_component();
    EXPECT_EQ(owner.calls, 0);
    EXPECT_EQ(owner.drops, 1);
  }
}

TEST_F(CallbackMatrixTest, R_13_WhenItIsRefused) {
  for (std::size_t index = 0; index < 4; ++index) {
    begin_again();
    const Way way = ways().at(index);
    SCOPED_TRACE(way.name);
    Owner nothing;
    ccm_callback without_function = nothing.callback();
    without_function.fn = nullptr;
    way.add(without_function);
    EXPECT_EQ(nothing.drops, 1);
    Owner within, after, stray;
    plugin_.on_destroy = [&] { way.add(within.callback()); };
    end_component();
    plugin_.on_destroy = {};
    way.add(after.callback());
    std::thread outside([&] { way.add(stray.callback()); });
    outside.join();
    poll();
    advance(1s);
    for (const Owner* owner : {&within, &after, &stray}) {
      EXPECT_EQ(owner->calls, 0);
      EXPECT_EQ(owner->drops, 1);
    }
  }
}

TEST_F(CallbackMatrixTest, R_13_WhenTheComponentEnds) {
  for (std::size_t index = 0; index < 4; ++index) {
    begin_again();
    const Way way = ways().at(index);
    SCOPED_TRACE(way.name);
    Owner owner;
    way.add(owner.callback());
    int drops_before_destroy = 0;
    plugin_.on_destroy = [&] { drops_before_destroy = owner.drops; };
    end_component();
    plugin_.on_destroy = {};
    EXPECT_EQ(drops_before_destroy, 1);
    advance(1s);
    EXPECT_LE(owner.calls, 1);
    EXPECT_EQ(owner.drops, 1);
  }
}

// Cancelled before it begins, while it runs, once it is completed, and when its end was told.
TEST_F(CallbackMatrixTest, R_13_CancelAtEveryStepOfAnOperation) {
  for (int step = 0; step < 5; ++step) {
    SCOPED_TRACE(step);
    begin_again();
    ways();
    const ccm_interface ctx = plugin_.service(CCM_HOST_CTX, &ctx_);
    const auto parent = component_->background()->child(std::nullopt);
    Owner owner, removed, of_child;
    ccm_completion open{};
    bool began = false;
    if (step == 0) parent->cancel();
    call(
        [&](ccm_ctx given, ccm_completion done) {
          began = true;
          if (step == 1) parent->cancel();
          EXPECT_NE(ctx_->on_end(ctx.self, given, owner.callback()), 0u);
          const uint64_t number = ctx_->on_end(ctx.self, given, removed.callback());
          const ccm_ctx child = ctx_->with_timeout(ctx.self, given, 1'000);
          EXPECT_NE(ctx_->on_end(ctx.self, child, of_child.callback()), 0u);
          if (step == 2) parent->cancel();
          ctx_->remove_on_end(ctx.self, given, number);
          open = done;
        },
        30s, parent);
    poll();
    if (began) complete(open);
    if (step == 3) parent->cancel();
    poll();
    if (step == 4) parent->cancel();
    poll();
    ASSERT_TRUE(outcome_);
    EXPECT_EQ(outcome_->ok(), step >= 3) << outcome_->message();
    if (began) {
      EXPECT_EQ(owner.calls, 1);
      EXPECT_EQ(owner.drops, 1);
      EXPECT_EQ(of_child.calls, 1);
      EXPECT_EQ(of_child.drops, 1);
      EXPECT_EQ(removed.calls, 0);
      EXPECT_EQ(removed.drops, 1);
    }
    end_component();
    EXPECT_EQ(owner.drops, began ? 1 : 0);
  }
}

TEST_F(CallbackMatrixTest, R_13_AWorkersFunctionIsDroppedWhetherItRanOrNot) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_worker* worker = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_WORKER, &worker);
  const ccm_interface ctx = plugin_.service(CCM_HOST_CTX, &ctx_);
  const ccm_ctx over = ctx_->with_timeout(ctx.self, {}, 1'000);
  ctx_->cancel(ctx.self, over);
  Owner ran, late, flagged, stray;
  auto request = sized<ccm_work_request>();
  request.work = ran.callback();
  Caught ended;
  worker->run(service.self, {}, &request, ended.completion());
  request.work = late.callback();
  Caught late_end;
  worker->run(service.self, over, &request, late_end.completion());
  request.work = flagged.callback();
  request.flags = 8;
  Caught flagged_end;
  worker->run(service.self, {}, &request, flagged_end.completion());
  poll_until([&] { return ended.status && late_end.status && flagged_end.status; });
  EXPECT_EQ(ran.calls, 1);
  EXPECT_EQ(late.calls + flagged.calls, 0);
  EXPECT_EQ(flagged_end.status->reason(), CCM_REASON_UNKNOWN_REQUEST);
  end_component();
  request.flags = 0;
  request.work = stray.callback();
  Caught stray_end;
  worker->run(service.self, {}, &request, stray_end.completion());
  ASSERT_TRUE(stray_end.status);
  for (const Owner* owner : {&ran, &late, &flagged, &stray}) EXPECT_EQ(owner->drops, 1);
  EXPECT_EQ(stray.calls, 0);
}

// Registered on other threads, removed on others, called on the loop.
TEST_F(CallbackMatrixTest, R_13_FromManyThreadsAtOnce) {
  begin_again();
  const std::vector<Way> all = ways();
  constexpr int kRounds = 400;
  std::deque<Owner> owners(3 * kRounds);
  std::array<std::thread, 3> threads;
  std::atomic<int> running{3};
  for (std::size_t which = 0; which < threads.size(); ++which) {
    threads[which] = std::thread([&, which] {
      for (int round = 0; round < kRounds; ++round) {
        const Way& way = all[which];
        const uint64_t number =
            way.add(owners[which * kRounds + static_cast<std::size_t>(round)].callback());
        if (way.remove && round % 3 == 0) way.remove(number);
      }
      --running;
    });
  }
  poll_until([&] {
    timers_.advance(1ms);
    return running == 0;
  });
  for (std::thread& thread : threads) thread.join();
  end_component();
  for (const Owner& owner : owners) {
    ASSERT_EQ(owner.drops, 1);
    ASSERT_LE(owner.calls, 1);
  }
}

// --- the list itself

void serially(std::string_view, const std::function<void()>& fn) { fn(); }

TEST(CallbackListTest, OneThatRemovesItselfIsDroppedAfterItsCall) {
  struct Self {
    Callbacks* list;
    uint64_t number = 0;
    int drops = 0;
    int drops_within = 0;
  };
  Callbacks list;
  Self self{&list};
  const auto remove = [](void* owner) {
    auto& me = *static_cast<Self*>(owner);
    me.list->remove(me.number);
    me.drops_within = me.drops;
  };
  const auto drop = [](void* owner) { ++static_cast<Self*>(owner)->drops; };
  self.number = list.add({remove, drop, &self});
  list.run(self.number, "test", serially);
  EXPECT_EQ(self.drops_within, 0) << "its owner is in use";
  EXPECT_EQ(self.drops, 1);
  list.run(self.number, "test", serially);
  self.number = list.add({remove, drop, &self});
  list.run_once(self.number, "test", serially);
  EXPECT_EQ(self.drops, 2);
}

TEST(CallbackListTest, ADropMayRemoveOthers) {
  struct Chain {
    Callbacks* list;
    uint64_t next = 0;
    int drops = 0;
  };
  Callbacks list;
  Chain first{&list}, second{&list};
  const auto nothing = [](void*) {};
  const auto drop = [](void* owner) {
    auto& me = *static_cast<Chain*>(owner);
    ++me.drops;
    if (me.next != 0) me.list->remove(me.next);
  };
  const uint64_t begin = list.add({nothing, drop, &first});
  first.next = list.add({nothing, drop, &second});
  list.remove(begin);
  EXPECT_EQ(first.drops, 1);
  EXPECT_EQ(second.drops, 1);
  first.next = list.add({nothing, drop, &second});
  second.next = list.add({nothing, drop, &first});
  list.close();
  EXPECT_EQ(first.drops, 2);
  EXPECT_EQ(second.drops, 2);
}

TEST(CallbackListTest, WhatADropThrowsIsLogged) {
  std::string lines;
  log::redirect([&](std::string_view line) { lines += line; });
  Callbacks list;
  const uint64_t number =
      list.add({[](void*) {}, [](void*) { throw std::runtime_error("in drop"); }, nullptr});
  EXPECT_TRUE(list.remove(number));
  log::redirect({});
  EXPECT_NE(lines.find("Plugin let an exception escape"), std::string::npos) << lines;
}

TEST(CallbackListTest, ACallbackWithoutDropNeedsNone) {
  Callbacks list;
  int calls = 0;
  const uint64_t number =
      list.add({[](void* owner) { ++*static_cast<int*>(owner); }, nullptr, &calls});
  list.run_once(number, "test", serially);
  list.run_once(number, "test", serially);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(list.remove(number));
}

}  // namespace
}  // namespace ccm::plugin
