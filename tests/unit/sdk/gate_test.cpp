// Gate: waiting for what happens once, until a ctx ends.
#include <ccm/gate.hpp>
#include <ccm/host.hpp>
#include <ccm/scope.hpp>
#include <ccm/task.hpp>
#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm {
namespace {

using std::chrono::milliseconds;

class GateTest : public ::testing::Test {
 protected:
  static Task<Status> pass(Gate* gate, Ctx ctx) {
    co_await gate->wait(ctx);
    co_return ctx.status();
  }
  static Task<Status> pass_without_ctx(Gate* gate) {
    co_await gate->wait();
    co_return Status();
  }
  auto note(std::string name) {
    return [this, name = std::move(name)](const Status& status) {
      passed.push_back(name + (status.ok() ? "" : ": " + std::string(status.message())));
    };
  }

  testing::FakeHost host;
  Host host_view{host.abi()};
  Gate gate{host_view.post};
  std::vector<std::string> passed;
  Scope scope;
};

TEST_F(GateTest, AllPassInTheirOrderWhenItOpens) {
  scope.start(pass(&gate, host.contexts.make()), note("first"));
  scope.start(pass_without_ctx(&gate), note("second"));
  host.loop.run();
  EXPECT_TRUE(passed.empty());
  gate.open();
  EXPECT_TRUE(passed.empty());  // not inside open()
  host.loop.run();
  EXPECT_EQ(passed, (std::vector<std::string>{"first", "second"}));
  scope.start(pass(&gate, host.contexts.make()), note("third"));
  EXPECT_EQ(passed.back(), "third");
}

TEST_F(GateTest, OneWhoseCtxIsCancelledGoesOnAlone) {
  const Ctx cancelled = host.contexts.make();
  scope.start(pass(&gate, cancelled), note("cancelled"));
  scope.start(pass(&gate, host.contexts.make()), note("patient"));
  host.contexts.cancel(cancelled);
  host.loop.run();
  EXPECT_EQ(passed, std::vector<std::string>{"cancelled: the operation was cancelled"});
  EXPECT_FALSE(gate.is_open());
  gate.open();
  host.loop.run();
  ASSERT_EQ(passed.size(), 2U);
  EXPECT_EQ(passed.back(), "patient");
}

TEST_F(GateTest, OneWhoseDeadlinePassesGoesOn) {
  scope.start(pass(&gate, host.contexts.make(milliseconds(50))), note("late"));
  host.loop.advance(milliseconds(49));
  EXPECT_TRUE(passed.empty());
  host.loop.advance(milliseconds(1));
  EXPECT_EQ(passed, std::vector<std::string>{"late: the time is over"});
}

TEST_F(GateTest, ACtxThatHadEndedDoesNotWait) {
  const Ctx ended = host.contexts.make();
  host.contexts.cancel(ended);
  scope.start(pass(&gate, ended), note("ended"));
  host.loop.run();
  EXPECT_EQ(passed.size(), 1U);
}

// Both ends of the wait are there when the loop gets to them.
TEST_F(GateTest, OneWhoseCtxEndsWhileTheGateOpensGoesOnOnce) {
  const Ctx first = host.contexts.make();
  const Ctx second = host.contexts.make();
  scope.start(pass(&gate, first), note("first"));
  scope.start(pass(&gate, second), note("second"));
  host.contexts.cancel(first);
  gate.open();
  host.contexts.cancel(second);
  host.loop.run();
  EXPECT_EQ(passed.size(), 2U);
  EXPECT_TRUE(scope.empty());
}

TEST_F(GateTest, ADestroyedOneIsForgotten) {
  const Ctx ctx = host.contexts.make();
  std::optional<Scope> short_lived(std::in_place);
  short_lived->start(pass(&gate, ctx), note("destroyed"));
  short_lived.reset();
  host.contexts.cancel(ctx);
  gate.open();
  host.loop.run();
  EXPECT_TRUE(passed.empty());
}

// As a session ends whose only caller was cancelled in the same moment.
TEST_F(GateTest, OneThatIsDestroyedAfterItOpenedIsNotTouchedAgain) {
  const Ctx ctx = host.contexts.make();
  auto short_lived = std::make_unique<Gate>(host_view.post);
  scope.start(pass(short_lived.get(), ctx), [&](const Status&) { short_lived.reset(); });
  host.contexts.cancel(ctx);
  short_lived->open();
  host.loop.run();
  EXPECT_EQ(short_lived, nullptr);
  EXPECT_TRUE(scope.empty());
}

}  // namespace
}  // namespace ccm
