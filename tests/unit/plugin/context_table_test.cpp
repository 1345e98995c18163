// A plugin knows a ctx that is its own, until its operation ends (ccm/abi/ctx.h, R-40 to R-44).
#include "host_services_fixture.hpp"
#include "plugin/context.hpp"

#include <array>
#include <atomic>
#include <thread>

namespace ccm::plugin {
namespace {

class ContextTableTest : public testing::Test {
 protected:
  std::shared_ptr<Context> context() { return root_->child(std::nullopt); }

  runtime::ManualTimers timers_;
  runtime::EventLoop loop_;
  const std::shared_ptr<Context> root_ = Context::root(loop_, timers_);
  ContextTable table_;
};

TEST_F(ContextTableTest, APluginHasOneNumber) {
  const uint32_t first = table_.number_of("a");
  EXPECT_NE(first, 0u);
  EXPECT_NE(table_.number_of("b"), first);
  EXPECT_EQ(table_.number_of("a"), first);
}

TEST_F(ContextTableTest, R_44_AnotherPluginDoesNotKnowIt) {
  const ccm_ctx mine = table_.add(1, context());
  const ccm_ctx child = table_.add_child(1, context(), mine);
  ASSERT_NE(child.id, 0u);
  EXPECT_NE(table_.find(1, mine), nullptr);
  EXPECT_EQ(table_.find(2, mine), nullptr);
  EXPECT_EQ(table_.find(1, {0}), nullptr);
  EXPECT_EQ(table_.find(1, {12'345}), nullptr);
  EXPECT_EQ(table_.add_child(2, context(), mine).id, 0u);
  table_.cancel(2, child);
  ASSERT_NE(table_.find(1, child), nullptr);
  EXPECT_FALSE(table_.find(1, child)->ended());
}

TEST_F(ContextTableTest, CancelEndsAChildAndForgetsWhatIsBelow) {
  const ccm_ctx operation = table_.add(1, context());
  const auto middle = context();
  const ccm_ctx child = table_.add_child(1, middle, operation);
  const ccm_ctx below = table_.add_child(1, middle->child(std::nullopt), child);
  const ccm_ctx sibling = table_.add_child(1, context(), operation);
  table_.cancel(1, operation);
  EXPECT_NE(table_.find(1, operation), nullptr) << "only the host ends an operation";
  table_.cancel(1, child);
  EXPECT_TRUE(middle->ended());
  EXPECT_EQ(table_.find(1, child), nullptr);
  EXPECT_EQ(table_.find(1, below), nullptr);
  EXPECT_NE(table_.find(1, sibling), nullptr);
  table_.cancel(1, child);
  EXPECT_EQ(table_.size(), 2u);
  table_.forget(operation);
  EXPECT_EQ(table_.size(), 0u);
  EXPECT_EQ(table_.add_child(1, context(), operation).id, 0u) << "of what is over";
}

TEST_F(ContextTableTest, R_42_NoNumberComesTwice) {
  uint64_t last = 0;
  for (int round = 0; round < 1'000; ++round) {
    const ccm_ctx made = table_.add(1, context());
    EXPECT_GT(made.id, last);
    last = made.id;
    table_.forget(made);
    EXPECT_EQ(table_.find(1, made), nullptr);
  }
}

TEST_F(ContextTableTest, R_43_ManyThreadsMakeUseAndCancelChildren) {
  const ccm_ctx operation = table_.add(1, root_);
  std::array<std::thread, 4> threads;
  std::atomic<bool> known{true};
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (int round = 0; round < 500; ++round) {
        const ccm_ctx child = table_.add_child(1, context(), operation);
        const auto found = table_.find(1, child);
        if (!found || found->ended()) known = false;
        table_.cancel(1, child);
        if (table_.find(1, child) || (found && !found->ended())) known = false;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(known);
  EXPECT_EQ(table_.size(), 1u);
}

// --- as a component sees it

class ForeignCtxTest : public HostServicesTest {};

TEST_F(ForeignCtxTest, R_44_OneOfAnotherPluginIsRefused) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  const ccm_host_kube* kube = nullptr;
  const ccm_interface reader = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto theirs = component_->background()->child(std::nullopt);
  const KnownContext known(runtime_.contexts, runtime_.contexts->number_of("other"), theirs);
  EXPECT_TRUE(ctx->ended(service.self, known.get()));
  EXPECT_EQ(ctx->end_code(service.self, known.get()), CCM_CODE_CANCELLED);
  EXPECT_LE(ctx->remaining_ms(service.self, known.get()), 0);
  EXPECT_TRUE(ctx->ended(service.self, ctx->with_timeout(service.self, known.get(), 1'000)));
  ctx->cancel(service.self, known.get());
  EXPECT_FALSE(theirs->ended());
  Counted counted;
  EXPECT_NE(ctx->on_end(service.self, known.get(), counted.callback()), 0u);
  Caught caught;
  const auto request = sized<ccm_kube_get_request>();
  kube->get(reader.self, known.get(), &request, caught.completion());
  poll();
  EXPECT_EQ(counted.calls, 1);
  EXPECT_EQ(counted.drops, 1);
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->reason(), CCM_REASON_CONTEXT_ENDED);
}

TEST_F(ForeignCtxTest, R_43_OneOfAnotherComponentOfThePluginIsKnown) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  ComponentIdentity identity;
  identity.plugin_id = "test.example";
  identity.name = "sister";
  const auto sister = std::make_shared<LiveComponent>(runtime_, identity);
  const KnownContext known(runtime_.contexts, plugin_number(),
                           sister->background()->child(1'000ms));
  EXPECT_FALSE(ctx->ended(service.self, known.get()));
  EXPECT_EQ(ctx->remaining_ms(service.self, known.get()), 1'000);
  EXPECT_FALSE(ctx->ended(service.self, sister->background_ctx()));
  const ccm_ctx child = ctx->with_timeout(service.self, known.get(), INT64_MAX);
  EXPECT_EQ(ctx->remaining_ms(service.self, child), 1'000);
  advance(1s);
  EXPECT_EQ(ctx->end_code(service.self, child), CCM_CODE_DEADLINE_EXCEEDED);
}

TEST_F(ForeignCtxTest, R_42_OperationsLeaveNothingBehind) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  const std::size_t before = runtime_.contexts->size();
  for (int round = 0; round < 20; ++round) {
    call([&](ccm_ctx given, ccm_completion done) {
      const ccm_ctx child = ctx->with_timeout(service.self, given, 1'000);
      ctx->with_timeout(service.self, child, 1'000);  // never cancelled
      complete(done);
    });
    poll();
  }
  EXPECT_EQ(outcomes_, 20);
  EXPECT_EQ(runtime_.contexts->size(), before);
}

// After the deadline the component may still use the ctx to find out; its caller no longer waits.
TEST_F(ForeignCtxTest, R_42_AnAbandonedOperationKeepsItsCtxUntilItCompletes) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  const std::size_t before = runtime_.contexts->size();
  ccm_ctx kept{};
  ccm_completion open{};
  call(
      [&](ccm_ctx given, ccm_completion done) {
        kept = given;
        open = done;
      },
      1s);
  advance(1s);
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->code(), Code::deadline_exceeded);
  EXPECT_EQ(ctx->end_code(service.self, kept), CCM_CODE_DEADLINE_EXCEEDED);
  EXPECT_EQ(runtime_.contexts->size(), before + 1);
  complete(open);
  poll();
  EXPECT_EQ(runtime_.contexts->size(), before);
  EXPECT_EQ(ctx->end_code(service.self, kept), CCM_CODE_CANCELLED) << "it is not known any more";
}

}  // namespace
}  // namespace ccm::plugin
