// A ctx as a plugin sees it: its end, its children, its use after the operation.
#include "host_services_fixture.hpp"

#include <thread>

namespace ccm::plugin {
namespace {

TEST_F(HostServicesTest, OnEndRunsOnceAndCanBeRemoved) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  const ccm_ctx limited = ctx->with_timeout(service.self, {}, 100);
  Counted first, second, third;
  EXPECT_NE(ctx->on_end(service.self, limited, first.callback()), 0u);
  const uint64_t removed = ctx->on_end(service.self, limited, second.callback());
  std::thread outside([&] { ctx->remove_on_end(service.self, limited, removed); });
  outside.join();
  EXPECT_EQ(second.drops, 1) << "inside the call that removed it";
  EXPECT_EQ(ctx->end_code(service.self, limited), CCM_CODE_OK);
  advance(100ms);
  advance(100ms);
  EXPECT_EQ(first.calls, 1);
  EXPECT_EQ(first.drops, 1);
  EXPECT_EQ(second.calls, 0);
  EXPECT_EQ(second.drops, 1);
  EXPECT_EQ(ctx->end_code(service.self, limited), CCM_CODE_DEADLINE_EXCEEDED);
  EXPECT_NE(ctx->on_end(service.self, limited, third.callback()), 0u);
  EXPECT_EQ(third.calls, 0) << "never inside the call";
  poll();
  EXPECT_EQ(third.calls, 1);
  const ccm_ctx child = ctx->with_timeout(service.self, limited, 1000);
  EXPECT_TRUE(ctx->ended(service.self, child));
}

TEST_F(HostServicesTest, AChildEndsByCancelAndNobodyElseDoes) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  const ccm_ctx background = ctx->background(service.self);
  const ccm_ctx child = ctx->with_timeout(service.self, background, 1000);
  const ccm_ctx grandchild = ctx->with_timeout(service.self, child, 1000);
  const std::size_t known = runtime_.contexts->size();
  ctx->cancel(service.self, background);
  EXPECT_FALSE(ctx->ended(service.self, background)) << "it is no child";
  Counted counted;
  ctx->on_end(service.self, grandchild, counted.callback());
  std::thread outside([&] { ctx->cancel(service.self, child); });
  outside.join();
  poll();
  EXPECT_EQ(counted.calls, 1);
  EXPECT_EQ(runtime_.contexts->size(), known - 2) << "both are forgotten";
  EXPECT_TRUE(ctx->ended(service.self, child));
  EXPECT_EQ(ctx->end_code(service.self, grandchild), CCM_CODE_CANCELLED);
  EXPECT_EQ(ctx->remaining_ms(service.self, grandchild), 0);
}

TEST_F(HostServicesTest, ACtxIsOfNoUseAfterItsOperation) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CTX, &ctx);
  const ccm_host_kube* kube = nullptr;
  const ccm_interface reader = plugin_.service(CCM_HOST_KUBE, &kube);
  ccm_ctx over{};
  ccm_ctx child{};
  Counted counted;
  call([&](ccm_ctx given, ccm_completion done) {
    over = given;
    child = ctx->with_timeout(service.self, given, 60'000);
    EXPECT_NE(ctx->on_end(service.self, given, counted.callback()), 0u);
    complete(done);
  });
  EXPECT_FALSE(ctx->ended(service.self, over));
  poll();
  EXPECT_EQ(counted.calls, 1) << "the end of an operation is the end of its ctx";
  EXPECT_EQ(counted.drops, 1);
  EXPECT_TRUE(ctx->ended(service.self, over));
  EXPECT_TRUE(ctx->ended(service.self, child));
  Caught caught;
  const auto request = sized<ccm_kube_get_request>();
  kube->get(reader.self, over, &request, caught.completion());
  EXPECT_FALSE(caught.status) << "not inside the call";
  poll();
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->code(), Code::failed_precondition);
  EXPECT_EQ(caught.status->reason(), CCM_REASON_CONTEXT_ENDED);
}

}  // namespace
}  // namespace ccm::plugin
