// Calls into a component: completions, deadlines, threads.
#include "test_runtime.hpp"

#include <stdexcept>
#include <thread>

namespace ccm::plugin {
namespace {

using LiveComponentTest = PluginHostTest;

TEST_F(LiveComponentTest, CreateMayCompleteLater) {
  std::thread completer;
  plugin_.on_create = [&](const ccm_host*, ccm_completion done) {
    completer = std::thread([this, done] { plugin_.complete_create(done); });
  };
  EXPECT_TRUE(create(true).ok());
  completer.join();
  EXPECT_EQ(component_->state(), LiveComponent::State::live);
}

TEST_F(LiveComponentTest, CreateReportsTheFaultsOfAPlugin) {
  plugin_.on_create = [](const ccm_host*, ccm_completion done) {
    complete(done, Status(Code::failed_precondition, "needs more"));
  };
  EXPECT_EQ(create(true).message(), "needs more");
  plugin_.on_create = [](const ccm_host*, ccm_completion done) { complete(done); };
  EXPECT_EQ(create(true).code(), Code::internal) << "no component in the result";
  plugin_.on_create = [](const ccm_host*, ccm_completion) { throw std::runtime_error("no"); };
  EXPECT_EQ(create(true).code(), Code::internal);
  plugin_.plugin.size = offsetof(ccm_plugin, create);
  EXPECT_EQ(create(true).code(), Code::unimplemented) << "a table that ends before create";
}

TEST_F(LiveComponentTest, ACompletionInsideTheCallIsPosted) {
  ASSERT_TRUE(create(true).ok());
  call([&](ccm_ctx, ccm_completion done) {
    complete(done);
    EXPECT_FALSE(outcome_);
  });
  EXPECT_FALSE(outcome_);
  poll();
  ASSERT_TRUE(outcome_);
  EXPECT_TRUE(outcome_->ok());
  EXPECT_EQ(operations_.back(), "tester.test 0");
}

TEST_F(LiveComponentTest, DoubleCompletionIsCountedAndDropped) {
  ASSERT_TRUE(create(true).ok());
  call([&](ccm_ctx, ccm_completion done) {
    complete(done);
    complete(done, Status(Code::internal, "again"));
  });
  poll();
  EXPECT_TRUE(outcome_->ok());
  EXPECT_EQ(outcomes_, 1);
  EXPECT_EQ(completions_.faults().unknown, 1u);
}

TEST_F(LiveComponentTest, ADoubleCompletionDoesNotHitTheNextOperation) {
  ASSERT_TRUE(create(true).ok());
  ccm_completion first{};
  call([&](ccm_ctx, ccm_completion done) { complete(first = done); });
  poll();
  ccm_completion second{};
  call([&](ccm_ctx, ccm_completion done) { second = done; });
  EXPECT_EQ(static_cast<uint32_t>(first.operation), static_cast<uint32_t>(second.operation))
      << "the same slot, so that this test tests something";
  complete(first, Status(Code::internal, "stale"));
  poll();
  EXPECT_FALSE(outcome_);
  complete(second);
  poll();
  EXPECT_TRUE(outcome_ && outcome_->ok());
  EXPECT_EQ(completions_.faults().unknown, 1u);
}

TEST_F(LiveComponentTest, UnknownCompletionsAreHarmless) {
  ASSERT_TRUE(create(true).ok());
  ccm_completion done{};
  call([&](ccm_ctx, ccm_completion given) { done = given; });
  for (const uint64_t number : {uint64_t{0}, ~uint64_t{0}, done.operation + 1}) {
    complete({done.fn, done.owner, number});
  }
  poll();
  EXPECT_FALSE(outcome_);
  EXPECT_EQ(completions_.faults().unknown, 3u);
  complete(done);
  poll();
  EXPECT_TRUE(outcome_);
}

TEST_F(LiveComponentTest, TheDeadlineEndsTheWaitAndALateCompletionIsDropped) {
  ASSERT_TRUE(create(true).ok());
  ccm_completion late{};
  call([&](ccm_ctx, ccm_completion done) { late = done; }, 5s);
  advance(5s);
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->code(), Code::deadline_exceeded);
  EXPECT_EQ(component_->operations()->in_flight(), 1u) << "it still runs in the plugin";
  EXPECT_EQ(watchdog_.component("tester").missed_deadlines(), 1u);
  complete(late);
  poll();
  EXPECT_EQ(outcomes_, 1);
  EXPECT_EQ(completions_.faults().late, 1u);
  EXPECT_EQ(component_->operations()->in_flight(), 0u);
  complete(late);
  EXPECT_EQ(completions_.faults().unknown, 1u);
}

TEST_F(LiveComponentTest, CancelledByItsParent) {
  ASSERT_TRUE(create(true).ok());
  const auto parent = component_->background()->child(std::nullopt);
  ccm_completion late{};
  call([&](ccm_ctx, ccm_completion done) { late = done; }, 30s, parent);
  parent->cancel();
  poll();
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->code(), Code::cancelled);
  complete(late);
  poll();
}

TEST_F(LiveComponentTest, CompletesFromAnotherThread) {
  ASSERT_TRUE(create(true).ok());
  std::thread completer;
  call([&](ccm_ctx, ccm_completion done) {
    completer = std::thread([done] { complete(done, Status(Code::unavailable, "from outside")); });
  });
  poll_until([&] { return outcome_.has_value(); });
  completer.join();
  EXPECT_EQ(outcome_->message(), "from outside");
}

TEST_F(LiveComponentTest, AnExceptionEndsTheOperationAndNothingElse) {
  ASSERT_TRUE(create(true).ok());
  call([](ccm_ctx, ccm_completion) { throw std::runtime_error("escaped"); });
  poll();
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->code(), Code::internal);
  call([](ccm_ctx, ccm_completion done) {
    complete(done);
    throw 1;
  });
  poll();
  EXPECT_TRUE(outcome_->ok()) << "completed before it threw";
}

TEST_F(LiveComponentTest, SlowSerialCallsAreNamed) {
  ASSERT_TRUE(create(true).ok());
  call([&](ccm_ctx, ccm_completion done) {
    timers_.skip(51ms);
    complete(done);
  });
  ASSERT_EQ(stalls_.size(), 1u);
  EXPECT_EQ(stalls_[0], "tester");
  poll();
}

TEST_F(LiveComponentTest, AWrongThreadIsRefusedAndCounted) {
  ASSERT_TRUE(create(true).ok());
  bool allowed = true;
  std::thread outside([&] { allowed = component_->check_thread(ThreadTag::create, "f"); });
  outside.join();
  EXPECT_FALSE(allowed);
  bool created = true;
  bool in_setup = false;
  loop_.post([&] {
    created = component_->check_thread(ThreadTag::create, "g");
    const auto setup = component_->allow_create();
    in_setup = component_->check_thread(ThreadTag::create, "g");
  });
  poll();
  EXPECT_FALSE(created);
  EXPECT_TRUE(in_setup);
  EXPECT_EQ(component_->wrong_thread_calls(), 2u);
}

TEST_F(LiveComponentTest, InterfacesAreFoundById) {
  static const uint32_t table = 4;
  plugin_.tables["test.example/1"] = &table;
  ASSERT_TRUE(create(true).ok());
  ASSERT_TRUE(component_->get_interface("test.example/1"));
  EXPECT_EQ(component_->get_interface("test.example/1")->table, &table);
  EXPECT_FALSE(component_->get_interface("other.example/1"));
}

}  // namespace
}  // namespace ccm::plugin
