// Components that block, complete nothing, or are destroyed while they work.
#include "test_runtime.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>

namespace ccm::plugin {
namespace {

using LiveComponentTest = PluginHostTest;

TEST_F(LiveComponentTest, ABlockingPluginRunsOnTheWorkerPool) {
  ASSERT_TRUE(create(false, 2).ok());
  std::latch both(2);  // passes only when two run at once
  std::atomic<int> on_loop{0};
  for (int number = 0; number < 2; ++number) {
    call([&](ccm_ctx, ccm_completion done) {
      if (loop_.on_loop()) ++on_loop;
      both.arrive_and_wait();
      complete(done);
    });
  }
  poll_until([&] { return outcomes_ == 2; });
  EXPECT_EQ(outcomes_, 2);
  EXPECT_EQ(on_loop, 0);
  call([](ccm_ctx, ccm_completion) { throw std::runtime_error("escaped"); });
  poll_until([&] { return outcome_.has_value(); });
  EXPECT_EQ(outcome_->code(), Code::internal);
}

// It may have connections of its own, so until it has returned and completed nobody knows what it
// writes, whatever the host has given up.
TEST_F(LiveComponentTest, WhatBlocksMayBeWritingUntilItReturns) {
  ASSERT_TRUE(create(false, 2).ok());
  std::promise<void> go;
  std::atomic<bool> started{false};
  call(
      [&, gate = go.get_future().share()](ccm_ctx, ccm_completion done) {
        started = true;
        complete(done);
        gate.wait();
      },
      1s);
  poll_until([&] { return started.load() && outcome_.has_value(); });
  EXPECT_EQ(component_->unseen_write(), "test");
  go.set_value();
  poll_until([&] { return !component_->unseen_write(); });
  EXPECT_FALSE(component_->unseen_write());
}

// Turns end with what was lent, and have no lock.
TEST_F(LiveComponentTest, WhatWasLentEndsOnTheLoopThoughTheFunctionReturnsLast) {
  ASSERT_TRUE(create(false, 1).ok());
  std::promise<void> go;
  std::atomic<int> ended_on_loop{-1};
  std::shared_ptr<void> lent(nullptr, [&](void*) { ended_on_loop = loop_.on_loop() ? 1 : 0; });
  component_->call<Nothing>(
      "test", nullptr, 30s, {},
      [gate = go.get_future().share()](ccm_ctx, ccm_completion done) {
        complete(done);
        gate.wait();
      },
      copy_nothing, [this](Result<Nothing> ended) { outcome_ = ended.status(); }, std::move(lent));
  poll_until([&] { return outcome_.has_value(); });
  EXPECT_EQ(ended_on_loop, -1) << "the function still runs";
  go.set_value();
  poll_until([&] { return ended_on_loop >= 0; });
  EXPECT_EQ(ended_on_loop, 1);
}

TEST_F(LiveComponentTest, WhatOnlyReadsIsNoWriteHoweverLongItBlocks) {
  ASSERT_TRUE(create(false, 1).ok());
  std::promise<void> go;
  std::atomic<bool> started{false};
  component_->call<Nothing>(
      "instances.list", nullptr, 30s, {},
      [&, gate = go.get_future().share()](ccm_ctx, ccm_completion done) {
        started = true;
        gate.wait();
        complete(done);
      },
      copy_nothing, [this](Result<Nothing> ended) { outcome_ = ended.status(); });
  poll_until([&] { return started.load(); });
  EXPECT_FALSE(component_->unseen_write());
  go.set_value();
  poll_until([&] { return outcome_.has_value(); });
}

// A provider that blocks every thread it is given: what waits for one leaves nothing behind when
// its time is over.
TEST_F(LiveComponentTest, CallsBehindOneThatBlocksDoNotPileUp) {
  ASSERT_TRUE(create(false, 1).ok());
  std::promise<void> go;
  std::atomic<bool> started{false};
  call([&, gate = go.get_future().share()](ccm_ctx, ccm_completion done) {
    started = true;
    gate.wait();
    complete(done);
  });
  poll_until([&] { return started.load(); });
  for (int i = 0; i < 1'000; ++i) {
    call([](ccm_ctx, ccm_completion done) { complete(done); }, 1s);
    advance(1s);
    poll();
    ASSERT_EQ(outcome_->code(), Code::deadline_exceeded) << i;
  }
  EXPECT_EQ(component_->lane().waiting(), 0u);
  EXPECT_LE(component_->operations()->in_flight(), 2u) << "the one that blocks, and its return";
  go.set_value();
  poll_until([&] { return component_->operations()->in_flight() == 0; });
}

TEST_F(LiveComponentTest, WhatAComponentNeverCompletesIsBounded) {
  ASSERT_TRUE(create(true).ok());
  std::size_t begun = 0;
  ccm_completion last{};
  for (int i = 0; i < 1'000; ++i) {
    call(
        [&](ccm_ctx, ccm_completion done) {
          ++begun;
          last = done;
        },
        1s);
    advance(1s);
    poll();
  }
  EXPECT_EQ(begun, 256u);
  EXPECT_EQ(component_->operations()->in_flight(), 256u);
  EXPECT_EQ(outcome_->reason(), "OperationNotCompleted");
  complete(last);  // one has ended, so one more may begin
  poll();
  call([&](ccm_ctx, ccm_completion done) { complete(done); });
  poll();
  EXPECT_TRUE(outcome_->ok()) << outcome_->message();
}

// One listing answers for all Nodes: a second one beside one that hangs helps nobody. A lost one
// holds it up for five minutes and no longer.
TEST_F(LiveComponentTest, AListingIsBegunAgainWhenTheLastOneHasEnded) {
  ASSERT_TRUE(create(true).ok());
  std::vector<ccm_completion> begun;
  const auto list = [&] {
    outcome_.reset();
    component_->call<Nothing>(
        "instances.list", nullptr, 60s, {},
        [&](ccm_ctx, ccm_completion done) { begun.push_back(done); }, copy_nothing,
        [this](Result<Nothing> ended) { outcome_ = ended.status(); });
    poll();
  };
  list();
  advance(60s);
  EXPECT_EQ(outcome_->code(), Code::deadline_exceeded);
  list();
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->reason(), "OperationNotCompleted");
  EXPECT_EQ(begun.size(), 1u);
  complete(begun.back());
  poll();
  list();
  EXPECT_EQ(begun.size(), 2u) << "the last one has ended";
  advance(60s);
  list();
  EXPECT_EQ(begun.size(), 2u);
  advance(300s);
  list();
  EXPECT_EQ(begun.size(), 3u) << "that one is lost";
  complete(begun.back());
  poll();
}

TEST_F(LiveComponentTest, WhatWaitedForAThreadTooLongIsNotStarted) {
  ASSERT_TRUE(create(false, 1).ok());
  std::promise<void> go;
  call([gate = go.get_future().share()](ccm_ctx, ccm_completion done) {
    gate.wait();
    complete(done);
  });
  std::atomic<bool> started{false};
  call(
      [&](ccm_ctx, ccm_completion done) {
        started = true;
        complete(done);
      },
      1s);
  advance(1s);
  EXPECT_EQ(outcome_->code(), Code::deadline_exceeded);
  go.set_value();
  poll_until([&] { return component_->operations()->in_flight() == 0; });
  EXPECT_FALSE(started);
}

TEST_F(LiveComponentTest, DestroyWaitsForRunningOperations) {
  ASSERT_TRUE(create(true).ok());
  ccm_completion open{};
  call([&](ccm_ctx, ccm_completion done) { open = done; });
  std::optional<Status> destroyed;
  component_->destroy(10s, [&](Status status) { destroyed = status; });
  poll();
  EXPECT_EQ(outcome_->code(), Code::cancelled);
  EXPECT_FALSE(destroyed);
  EXPECT_EQ(plugin_.destroyed, 0);
  complete(open);
  poll();
  ASSERT_TRUE(destroyed);
  EXPECT_TRUE(destroyed->ok());
  EXPECT_EQ(plugin_.destroyed, 1);
  call([](ccm_ctx, ccm_completion) { FAIL() << "called after destroy"; });
  poll();
  EXPECT_EQ(outcome_->code(), Code::failed_precondition);
}

TEST_F(LiveComponentTest, DestroyWaitsForABlockingCallThatGoesOnAfterItCompleted) {
  ASSERT_TRUE(create(false).ok());
  std::promise<void> go;
  std::atomic<bool> returned{false};
  plugin_.on_destroy = [&] { EXPECT_TRUE(returned); };
  call([&, gate = go.get_future().share()](ccm_ctx, ccm_completion done) {
    complete(done);
    gate.wait();
    returned = true;
  });
  poll_until([&] { return outcome_.has_value(); });
  std::optional<Status> destroyed;
  component_->destroy(1h, [&](Status status) { destroyed = status; });
  poll();
  EXPECT_EQ(plugin_.destroyed, 0);
  go.set_value();
  poll_until([&] { return destroyed.has_value(); });
  EXPECT_EQ(plugin_.destroyed, 1);
}

TEST_F(LiveComponentTest, WhatNeverCompletesIsLeakedNotFreed) {
  ASSERT_TRUE(create(true).ok());
  ccm_completion open{};
  call([&](ccm_ctx, ccm_completion done) { open = done; });
  std::optional<Status> destroyed;
  component_->destroy(10s, [&](Status status) { destroyed = status; });
  advance(10s);
  ASSERT_TRUE(destroyed);
  EXPECT_EQ(destroyed->code(), Code::failed_precondition);
  EXPECT_EQ(plugin_.destroyed, 0);
  EXPECT_EQ(component_->state(), LiveComponent::State::leaked);
  complete(open);  // harmless
  poll();
  EXPECT_EQ(plugin_.destroyed, 0);
}

TEST_F(LiveComponentTest, DestroyHappensOnce) {
  ASSERT_TRUE(create(true).ok());
  std::vector<Status> ends;
  component_->destroy(1s, [&](Status status) { ends.push_back(status); });
  poll();
  component_->destroy(1s, [&](Status status) { ends.push_back(status); });
  poll();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_TRUE(ends[0].ok());
  EXPECT_FALSE(ends[1].ok());
  EXPECT_EQ(plugin_.destroyed, 1);
}

}  // namespace
}  // namespace ccm::plugin
