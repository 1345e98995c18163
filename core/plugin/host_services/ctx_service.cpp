#include "plugin/host_services/ctx_service.hpp"

#include "plugin/bounded.hpp"

#include <ccm/sized.hpp>

#include <limits>
#include <optional>

namespace ccm::plugin {

namespace {

constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

}  // namespace

// Null when the ctx does not exist or has ended.
std::shared_ptr<Context> CtxService::context(void* self, ccm_ctx ctx) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  return component ? component->find_context(ctx) : nullptr;
}

ccm_ctx CtxService::background(void* self) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  return component ? component->background_ctx() : ccm_ctx{0};
}

// A child of what is over is over, too: a number that was never given.
ccm_ctx CtxService::with_timeout(void* self, ccm_ctx parent, int64_t timeout_ms) noexcept {
  constexpr ccm_ctx kEnded{std::numeric_limits<uint64_t>::max()};
  const auto component = static_cast<CtxService*>(self)->component();
  if (!component) return kEnded;
  std::optional<std::chrono::milliseconds> timeout;
  if (timeout_ms != kNoDeadline) timeout = bounded(timeout_ms);
  const ccm_ctx child = component->make_context(parent, timeout);
  return child.id != 0 ? child : kEnded;
}

void CtxService::cancel(void* self, ccm_ctx ctx) noexcept {
  if (const auto component = static_cast<CtxService*>(self)->component()) {
    component->cancel_context(ctx);
  }
}

int64_t CtxService::remaining_ms(void* self, ccm_ctx ctx) noexcept {
  const auto known = context(self, ctx);
  if (!known) return 0;
  const auto left = known->remaining();
  return left ? left->count() : kNoDeadline;
}

ccm_bool CtxService::ended(void* self, ccm_ctx ctx) noexcept {
  const auto known = context(self, ctx);
  return !known || known->ended() ? 1 : 0;
}

int32_t CtxService::end_code(void* self, ccm_ctx ctx) noexcept {
  const auto known = context(self, ctx);
  return known ? static_cast<int32_t>(known->status().code()) : CCM_CODE_CANCELLED;
}

uint64_t CtxService::on_end(void* self, ccm_ctx ctx, ccm_callback callback) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  if (!component) return drop_callback(callback), 0;
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  auto call = [weak = std::weak_ptr(component), number] {
    if (const auto alive = weak.lock()) alive->run_callback_once(number, "ctx.on_end");
  };
  if (const auto known = component->find_context(ctx)) {
    const uint64_t registration = known->on_end(std::move(call));
    component->callbacks().on_removal(number, [weak = std::weak_ptr(known), registration] {
      if (const auto alive = weak.lock()) alive->remove(registration);
    });
  } else {
    component->runtime().loop.post(std::move(call));
  }
  return number;
}

void CtxService::remove_on_end(void* self, ccm_ctx, uint64_t registration) noexcept {
  remove_callback(self, registration);
}

const ccm_host_ctx CtxService::kTable{
    sizeof(kTable), 0,      &background, &with_timeout, &cancel,
    &remaining_ms,  &ended, &end_code,   &on_end,       &remove_on_end};

}  // namespace ccm::plugin
