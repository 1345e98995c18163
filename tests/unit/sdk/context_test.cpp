// Contexts: children, their ends, and handles that are not known any more.
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace ccm {
namespace {

using std::chrono::milliseconds;
using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;
using testing::plugin_of;

// Keeps the ctx of its operations, which ends with them.
struct CtxKeeper {
  explicit CtxKeeper(Host& h) : host(h) { last = this; }
  Task<Status> initialize(Ctx ctx) {
    kept = ctx;
    co_return Status();
  }
  Task<Status> shutdown(Ctx ctx) {
    HttpRequest request;
    request.url = "http://cloud/slow";
    child = ctx.with_timeout(milliseconds(100));
    const auto answer = co_await host.http.send(*child, std::move(request));
    co_return answer.status();
  }
  static inline CtxKeeper* last = nullptr;
  Host& host;
  std::optional<Ctx> kept;
  std::optional<Ctx> child;
};

class ContextTest : public ::testing::Test {
 protected:
  Result<HttpResponse> send(Ctx ctx) {
    HttpRequest request;
    request.url = "http://cloud/x";
    std::optional<Result<HttpResponse>> out;
    const Http::Send call{host_view.find<ccm_host_http>(CCM_HOST_HTTP), std::move(ctx),
                          std::move(request), nullptr};
    const auto done = [](void* owner, uint64_t, const ccm_status* status, const void* result) {
      static_cast<std::optional<Result<HttpResponse>>*>(owner)->emplace(
          Http::Send::decode(Status::from_c(status), result));
    };
    EXPECT_TRUE(call.start({done, &out, 1}).ok());
    EXPECT_FALSE(out.has_value());
    host.loop.run();
    return *out;
  }

  FakeHost host;
  Host host_view{host.abi()};
  FakeComponent component{host, plugin_of<CtxKeeper, Dispatch::loop>(), "test"};
};

TEST_F(ContextTest, R_42_AnOperationsCtxIsKnownUntilItCompleted) {
  ASSERT_TRUE(component.initialize().ok());
  const Ctx stale = *CtxKeeper::last->kept;
  EXPECT_TRUE(stale.cancelled());
  EXPECT_EQ(stale.status().code(), Code::cancelled);
  EXPECT_LE(stale.remaining(), milliseconds(0));
}

TEST_F(ContextTest, R_44_AnOperationWithAStaleCtxIsRefused) {
  ASSERT_TRUE(component.initialize().ok());
  const auto answer = send(*CtxKeeper::last->kept);
  EXPECT_EQ(answer.status().code(), Code::failed_precondition);
  EXPECT_EQ(answer.status().reason(), CCM_REASON_CONTEXT_ENDED);
  EXPECT_TRUE(host.http.requests().empty());
  const auto invented = send(Ctx(host.contexts.service(), ccm_ctx{0xDEADBEEF}));
  EXPECT_EQ(invented.status().reason(), CCM_REASON_CONTEXT_ENDED);
  const auto cached = host_view.kube.get(*CtxKeeper::last->kept, {"v1/nodes", "n1", "", ""});
  EXPECT_TRUE(host.kube.calls().empty());
}

TEST_F(ContextTest, R_44_AChildOfAStaleCtxHasEnded) {
  ASSERT_TRUE(component.initialize().ok());
  EXPECT_EQ(CtxKeeper::last->kept->with_timeout(milliseconds(10)).status().code(), Code::cancelled);
  int called = 0;
  const ccm_callback count{[](void* owner) { ++*static_cast<int*>(owner); }, nullptr, &called};
  EXPECT_NE(CtxKeeper::last->kept->on_end(count), 0U);
  EXPECT_EQ(called, 0);
  host.loop.run();
  EXPECT_EQ(called, 1);
}

TEST_F(ContextTest, R_40_TheEndSaysWhy) {
  const Ctx parent = host.contexts.make();
  const Ctx late = parent.with_timeout(milliseconds(10));
  const Ctx cancelled = parent.with_cancel();
  const Ctx below = cancelled.with_timeout(std::chrono::hours(1));
  EXPECT_TRUE(late.status().ok() && cancelled.status().ok() && below.status().ok());
  cancelled.cancel();
  EXPECT_EQ(below.status().code(), Code::cancelled);
  host.loop.advance(milliseconds(10));
  EXPECT_EQ(late.status().code(), Code::deadline_exceeded);
  EXPECT_TRUE(parent.status().ok());
  parent.cancel();  // no child of ours: it is left alone
  EXPECT_TRUE(parent.status().ok());
}

TEST_F(ContextTest, R_42_AChildEndsWithItsLastCopy) {
  const Ctx parent = host.contexts.make();
  {
    const Ctx inner =
        parent.with_timeout(std::chrono::hours(2)).with_timeout(std::chrono::hours(1));
    EXPECT_TRUE(inner.status().ok());
    EXPECT_EQ(host.contexts.live(), 2U);
  }
  EXPECT_EQ(host.contexts.live(), 0U);
}

TEST_F(ContextTest, AChildsDeadlineEndsTheCallThatItBounds) {
  host.http.expect("GET", "http://cloud/slow").hang();
  EXPECT_EQ(component.shutdown().code(), Code::deadline_exceeded);
  EXPECT_EQ(host.http.requests().size(), 1U);
}

TEST_F(ContextTest, R_43_AnyThreadMayAskAndCancel) {
  const Ctx ctx = host.contexts.make(milliseconds(50)).with_cancel();
  int called = 0;
  const ccm_callback count{[](void* owner) { ++*static_cast<int*>(owner); }, nullptr, &called};
  EXPECT_NE(ctx.on_end(count), 0U);
  std::thread([&] {
    EXPECT_FALSE(ctx.cancelled());
    EXPECT_EQ(ctx.remaining(), milliseconds(50));
    ctx.cancel();
    EXPECT_TRUE(ctx.cancelled());
  }).join();
  EXPECT_EQ(called, 0);  // in [serial]
  host.loop.run();
  EXPECT_EQ(called, 1);
}

TEST_F(ContextTest, R_33_WhatAComponentStartedCompletesBeforeItsDestruction) {
  host.http.expect("GET", "http://cloud/slow").hang();
  const auto pending = component.start_shutdown(host.contexts.make());
  host.loop.run();
  EXPECT_FALSE(pending.done());
  component.destroy();
  host.loop.run();
  ASSERT_TRUE(pending.done());
  EXPECT_EQ(pending.outcome().code(), Code::cancelled);
  EXPECT_TRUE(host.faults().empty());
}

TEST(Context, WithoutContextsNothingEnds) {
  const Ctx none;
  EXPECT_FALSE(none.cancelled());
  EXPECT_TRUE(none.with_timeout(milliseconds(1)).status().ok());
  EXPECT_EQ(none.remaining(), milliseconds::max());
}

}  // namespace
}  // namespace ccm
