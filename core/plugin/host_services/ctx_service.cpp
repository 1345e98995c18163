#include "plugin/host_services/ctx_service.hpp"

#include "plugin/bounded.hpp"

#include <limits>

namespace ccm::plugin {

void CtxService::retain_ctx(void*, const ccm_ctx* ctx) noexcept {
  if (ctx != nullptr) retain(ctx);
}

void CtxService::release_ctx(void*, const ccm_ctx* ctx) noexcept {
  if (ctx != nullptr) release(ctx);
}

const ccm_ctx* CtxService::background(void* self) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  return component ? new ccm_ctx(component->background()) : nullptr;
}

const ccm_ctx* CtxService::with_timeout(void* self, const ccm_ctx* parent,
                                        int64_t timeout_ms) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  if (!component) return nullptr;
  return new ccm_ctx(context_of(parent, *component)->child(bounded(timeout_ms)));
}

int64_t CtxService::remaining_ms(void*, const ccm_ctx* ctx) noexcept {
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  if (ctx == nullptr) return kNone;
  const auto left = ctx->context->remaining();
  return left ? left->count() : kNone;
}

bool CtxService::cancelled(void*, const ccm_ctx* ctx) noexcept {
  return ctx != nullptr && ctx->context->ended();
}

uint64_t CtxService::on_cancel(void* self, const ccm_ctx* ctx, void (*fn)(void* owner),
                               void* owner) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  const auto context = component ? context_of(ctx, *component) : nullptr;
  if (!context || fn == nullptr) return 1;
  return context->on_end([weak = std::weak_ptr(component), fn, owner] {
    if (const auto alive = weak.lock()) alive->call_serial("on_cancel", [&] { fn(owner); });
  });
}

void CtxService::remove_on_cancel(void* self, const ccm_ctx* ctx, uint64_t registration) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  if (!component || !component->check_thread(ThreadTag::serial, "ctx.remove_on_cancel")) return;
  context_of(ctx, *component)->remove(registration);
}

const void* CtxService::table() const {
  static const ccm_host_ctx table{
      sizeof(table), 0,          &retain_ctx, &release_ctx,     &background, &with_timeout,
      &remaining_ms, &cancelled, &on_cancel,  &remove_on_cancel};
  return &table;
}

}  // namespace ccm::plugin
