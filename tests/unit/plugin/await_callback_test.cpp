// A Task that waits for a callback: whenever it comes, and when it never comes.
#include "plugin/await_callback.hpp"

#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

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

}  // namespace
}  // namespace ccm::plugin
