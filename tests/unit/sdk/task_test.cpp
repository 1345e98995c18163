#include <ccm/scope.hpp>
#include <ccm/task.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <stdexcept>
#include <string>

namespace ccm {
namespace {

// Lets a test resume a coroutine by hand.
struct Gate {
  std::coroutine_handle<> waiting;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiting = handle; }
  void await_resume() const noexcept {}
};

Task<int> add(int left, int right) { co_return left + right; }
Task<Status> sum_into(int* out) {
  const int three = co_await add(1, 2);
  const int seven = co_await add(three, 4);
  *out = seven;
  co_return Status();
}
Task<Status> wait_at(Gate* gate, std::shared_ptr<int> held) {
  co_await *gate;
  ++*held;
  co_return Status(Code::aborted, "after the gate");
}
Task<Result<int>> throws_runtime_error() {
  throw std::runtime_error("broken machine");
  co_return 1;
}
Task<Status> throws_number() {
  throw 5;
  co_return Status();
}
Task<int> throws_plainly() {
  throw std::out_of_range("too far");
  co_return 1;
}
Task<Status> catches() {
  try {
    co_await throws_plainly();
  } catch (const std::out_of_range&) {
    co_return Status(Code::out_of_range, "caught");
  }
  co_return Status();
}
Task<void> throws_in_void() {
  throw std::runtime_error("nobody awaits this");
  co_return;
}
Task<int> deep(int depth) {
  if (depth == 0) co_return 0;
  const int below = co_await deep(depth - 1);
  co_return below + 1;
}
Task<Status> go_deep(int* out) {
  *out = co_await deep(500);
  co_return Status();
}

TEST(Task, IsLazy) {
  int out = 0;
  { const Task<Status> never_started = sum_into(&out); }
  EXPECT_EQ(out, 0);
}

TEST(Task, RunsChildrenAndGivesTheirValues) {
  Scope scope;
  int out = 0;
  int ended = 0;
  scope.start(sum_into(&out), [&](const Status& status) { ended += status.ok() ? 1 : 100; });
  EXPECT_EQ(out, 7);
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(scope.empty());
}

TEST(Task, ResumesWhereItWaited) {
  Scope scope;
  Gate gate;
  auto held = std::make_shared<int>(0);
  std::string outcome;
  scope.start(wait_at(&gate, held), [&](const Status& status) { outcome = status.message(); });
  EXPECT_EQ(*held, 0);
  EXPECT_FALSE(scope.empty());
  gate.waiting.resume();
  EXPECT_EQ(*held, 1);
  EXPECT_EQ(outcome, "after the gate");
  EXPECT_TRUE(scope.empty());
}

TEST(Task, ScopeDestroysWhatStillWaits) {
  Gate first;
  Gate second;
  auto held = std::make_shared<int>(0);
  bool ended = false;
  {
    Scope scope;
    scope.start(wait_at(&first, held), [&](const Status&) { ended = true; });
    scope.start(wait_at(&second, held), [&](const Status&) { ended = true; });
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(ended);
}

TEST(Task, ScopeKeepsTheRestWhenOneInTheMiddleEnds) {
  Gate gates[3];
  auto held = std::make_shared<int>(0);
  int ended = 0;
  Scope scope;
  for (Gate& gate : gates) {
    scope.start(wait_at(&gate, held), [&](const Status&) { ++ended; });
  }
  gates[1].waiting.resume();
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(held.use_count(), 3);
  gates[0].waiting.resume();
  gates[2].waiting.resume();
  EXPECT_EQ(ended, 3);
  EXPECT_TRUE(scope.empty());
}

TEST(Task, AnExceptionBecomesAStatus) {
  Scope scope;
  Status status;
  scope.start(throws_runtime_error(), [&](const Result<int>& result) { status = result.status(); });
  EXPECT_EQ(status.code(), Code::internal);
  EXPECT_EQ(status.message(), "unhandled exception: broken machine");
  scope.start(throws_number(), [&](const Status& outcome) { status = outcome; });
  EXPECT_EQ(status.code(), Code::internal);
  EXPECT_EQ(status.message(), "unhandled exception of an unknown type");
}

TEST(Task, AnExceptionOutOfAPlainTaskReachesItsCaller) {
  Scope scope;
  Status status;
  scope.start(catches(), [&](const Status& outcome) { status = outcome; });
  EXPECT_EQ(status.message(), "caught");
}

TEST(Task, AThrowingVoidTaskEndsWithAStatus) {
  Scope scope;
  Status status;
  scope.start(throws_in_void(), [&](const Status& outcome) { status = outcome; });
  EXPECT_EQ(status.message(), "unhandled exception: nobody awaits this");
}

TEST(Task, NestsDeeply) {
  Scope scope;
  int out = 0;
  scope.start(go_deep(&out), [](const Status&) {});
  EXPECT_EQ(out, 500);
}

}  // namespace
}  // namespace ccm
