// ccm::Ctx: deadline and cancellation of one operation, as Go's context. Hand on the one that you
// were given, and every call you make ends when its caller gives up.
#pragma once

#include <ccm/abi/ctx.h>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace ccm {

// One reference to a host's context; copies share it. Empty when the host has no contexts: then
// there is no deadline and nothing is cancelled. [any-thread]
class Ctx {
 public:
  using Host = Service<ccm_host_ctx>;

  Ctx() = default;
  // Takes a reference of its own to `ctx`, which may be NULL.
  Ctx(Host host, const ccm_ctx* ctx) : host_(host), ctx_(ctx) { retain(); }
  Ctx(const Ctx& other) : host_(other.host_), ctx_(other.ctx_) { retain(); }
  Ctx(Ctx&& other) noexcept : host_(other.host_), ctx_(std::exchange(other.ctx_, nullptr)) {}
  Ctx& operator=(Ctx other) noexcept {
    std::swap(host_, other.host_);
    std::swap(ctx_, other.ctx_);
    return *this;
  }
  ~Ctx() {
    const auto release = ctx_ != nullptr ? host_.get(&ccm_host_ctx::release) : nullptr;
    if (release != nullptr) release(host_.self(), ctx_);
  }

  // A ctx without deadline that ends with the component.
  static Ctx background(Host host) {
    const auto make = host.get(&ccm_host_ctx::background);
    return make != nullptr ? adopt(host, make(host.self())) : Ctx();
  }

  // A child that also ends after `timeout`.
  [[nodiscard]] Ctx with_timeout(std::chrono::milliseconds timeout) const {
    const auto make = ctx_ != nullptr ? host_.get(&ccm_host_ctx::with_timeout) : nullptr;
    return make != nullptr ? adopt(host_, make(host_.self(), ctx_, timeout.count())) : *this;
  }

  // Time left; milliseconds::max() without a deadline, not above 0 when it is over.
  [[nodiscard]] std::chrono::milliseconds remaining() const {
    const auto left = ctx_ != nullptr ? host_.get(&ccm_host_ctx::remaining_ms) : nullptr;
    return left != nullptr ? std::chrono::milliseconds(left(host_.self(), ctx_))
                           : std::chrono::milliseconds::max();
  }

  // True once it was cancelled or its deadline passed.
  [[nodiscard]] bool cancelled() const {
    const auto ended = ctx_ != nullptr ? host_.get(&ccm_host_ctx::cancelled) : nullptr;
    return ended != nullptr && ended(host_.self(), ctx_);
  }

  // Code::cancelled or Code::deadline_exceeded; ok while it has not ended.
  [[nodiscard]] Status status() const {
    if (!cancelled()) return {};
    return remaining() <= std::chrono::milliseconds(0)
               ? Status(Code::deadline_exceeded, ErrorClass::unavailable, "the time is over")
               : Status(Code::cancelled, "the operation was cancelled");
  }

  // Calls `fn(owner)` once on the host's loop when it ends; 0 = it will not. `fn` may be called
  // before this returns. [any-thread]
  [[nodiscard]] uint64_t on_cancel(void (*fn)(void* owner), void* owner) const {
    const auto add = ctx_ != nullptr ? host_.get(&ccm_host_ctx::on_cancel) : nullptr;
    return add != nullptr ? add(host_.self(), ctx_, fn, owner) : 0;
  }
  // [serial]
  void remove_on_cancel(uint64_t registration) const {
    const auto remove = ctx_ != nullptr ? host_.get(&ccm_host_ctx::remove_on_cancel) : nullptr;
    if (remove != nullptr && registration != 0) remove(host_.self(), ctx_, registration);
  }

  [[nodiscard]] const ccm_ctx* get() const { return ctx_; }

 private:
  static Ctx adopt(Host host, const ccm_ctx* reference) {
    Ctx ctx;
    ctx.host_ = host;
    ctx.ctx_ = reference;
    return ctx;
  }
  void retain() const {
    const auto add = ctx_ != nullptr ? host_.get(&ccm_host_ctx::retain) : nullptr;
    if (add != nullptr) add(host_.self(), ctx_);
  }

  Host host_;
  const ccm_ctx* ctx_ = nullptr;
};

}  // namespace ccm
