// Tasks that wait for callbacks, whenever they come and when they never come; for a while; and for
// each other.
#include "plugin/await_callback.hpp"

#include "../runtime/manual_timers.hpp"
#include "plugin/waiting.hpp"
#include "runtime/event_loop.hpp"

#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {
namespace {

using Awaiter = CallbackAwaiter<std::string>;

struct CallbackAwaiterTest : testing::Test {
  static Task<Result<std::string>> wait(Awaiter::Start start, std::shared_ptr<int> kept = {}) {
    Awaiter answer(std::move(start));
    std::string text = co_await answer;
    co_return text + (kept ? " kept" : "");
  }
  void start(Awaiter::Start begin, std::shared_ptr<int> kept = {}) {
    scope.start(wait(std::move(begin), std::move(kept)),
                [this](const Result<std::string>& result) { ended = *result; });
  }
  std::function<void(std::string)> callback;
  const Awaiter::Start later = [this](std::function<void(std::string)> done) {
    callback = std::move(done);
  };
  std::string ended = "waits";
  Scope scope;
};

TEST_F(CallbackAwaiterTest, ACallbackInsideTheCallCounts) {
  start([](const std::function<void(std::string)>& done) { done("now"); });
  EXPECT_EQ(ended, "now");
  EXPECT_TRUE(scope.empty());
}

TEST_F(CallbackAwaiterTest, ALaterCallbackResumes) {
  start(later);
  EXPECT_EQ(ended, "waits");
  callback("later");
  EXPECT_EQ(ended, "later");
  EXPECT_TRUE(scope.empty());
}

TEST_F(CallbackAwaiterTest, TheCallbackOfADestroyedCoroutineDoesNothing) {
  const auto kept = std::make_shared<int>(1);
  start(later, kept);
  scope.clear();
  EXPECT_EQ(kept.use_count(), 1) << "nothing of the coroutine is left";
  callback("late");
  EXPECT_EQ(ended, "waits");
}

TEST(SleepTest, ATaskSleepsUntilItsTimeAndNotAfterItsEnd) {
  runtime::ManualTimers timers;
  Scope scope;
  int woken = 0;
  const auto begin = [&] {
    scope.start(sleep(timers, std::chrono::seconds(2)), [&](const Status&) { ++woken; });
  };
  begin();
  timers.advance(std::chrono::seconds(1));
  EXPECT_EQ(woken, 0);
  timers.advance(std::chrono::seconds(1));
  EXPECT_EQ(woken, 1);
  begin();
  scope.clear();
  timers.advance(std::chrono::seconds(2));
  EXPECT_EQ(woken, 1);
}

struct TogetherTest : testing::Test {
  using Done = std::function<void(bool)>;
  Task<void> operation(std::shared_ptr<int> kept = {}) {
    const CallbackAwaiter<bool>::Start begin = [this](Done done) {
      if (now) return done(true);
      open.push_back(std::move(done));
    };
    CallbackAwaiter<bool> answer(begin);
    if (!co_await answer) throw std::runtime_error("fault" + std::string(kept ? "!" : ""));
  }
  static Task<void> all(std::vector<Task<void>> tasks) {
    WhenAll all(std::move(tasks));
    co_await all;
  }
  void start(std::size_t count, const std::shared_ptr<int>& kept = {}) {
    std::vector<Task<void>> tasks;
    for (std::size_t i = 0; i < count; ++i) tasks.push_back(operation(kept));
    scope.start(all(std::move(tasks)),
                [this](const Status& status) { ended = status.ok() ? "ended" : status.message(); });
  }
  std::vector<Done> open;
  bool now = false;
  std::string ended = "waits";
  Scope scope;
};

TEST_F(TogetherTest, TheyRunSideBySideAndTheLastOneEndsIt) {
  start(3);
  ASSERT_EQ(open.size(), 3u);
  open[1](true);
  open[0](true);
  EXPECT_EQ(ended, "waits");
  open[2](true);
  EXPECT_EQ(ended, "ended");
  EXPECT_TRUE(scope.empty());
}

TEST_F(TogetherTest, NoneAndThoseThatDoNotWaitEndItAtOnce) {
  start(0);
  EXPECT_EQ(std::exchange(ended, ""), "ended");
  now = true;
  start(3);
  EXPECT_EQ(ended, "ended");
}

TEST_F(TogetherTest, WhatOneThrowsGoesOnWhenAllHaveEnded) {
  start(2);
  open[0](false);
  EXPECT_EQ(ended, "waits");
  open[1](true);
  EXPECT_EQ(ended, "unhandled exception: fault");
}

TEST_F(TogetherTest, DestroyedInTheMiddleItDestroysThoseThatRun) {
  const auto kept = std::make_shared<int>(1);
  start(2, kept);
  open[0](true);
  scope.clear();
  EXPECT_EQ(kept.use_count(), 1);
  open[1](true);
  EXPECT_EQ(ended, "waits");
}

Task<Result<std::string>> text(std::string given) { co_return given; }

boost::asio::awaitable<void> await_text(Scope& scope, Task<Result<std::string>> task,
                                        std::vector<std::string>& ended) {
  const Result<std::string> answer = co_await await_task(scope, std::move(task));
  ended.push_back(*answer);
}

// A Task may end at once; asio's coroutine goes on in a later step all the same.
TEST(AwaitTaskTest, AsiosCoroutineAwaitsATask) {
  runtime::EventLoop loop;
  Scope scope;
  std::vector<std::string> ended;
  std::function<void(std::string)> later;
  const Awaiter::Start keep = [&](std::function<void(std::string)> done) {
    later = std::move(done);
  };
  net::spawn(loop.executor(), await_text(scope, text("now"), ended));
  net::spawn(loop.executor(), await_text(scope, CallbackAwaiterTest::wait(keep), ended));
  loop.poll();
  EXPECT_EQ(ended, std::vector<std::string>{"now"});
  later("later");
  EXPECT_EQ(ended.size(), 1u) << "not inside the callback";
  loop.poll();
  EXPECT_EQ(ended, (std::vector<std::string>{"now", "later"}));
}

}  // namespace
}  // namespace ccm::plugin
