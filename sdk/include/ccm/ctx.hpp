// ccm::Ctx: deadline and cancellation of one operation, as Go's context. Hand on the one that you
// were given, and every call you make ends when its caller gives up.
#pragma once

#include <ccm/abi/ctx.h>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace ccm {

// A host's context; copies are the same one. Empty when the host has no contexts: then there is no
// deadline and nothing is cancelled. One that is used after its operation ended counts as
// cancelled, and the host refuses what is started with it. [any-thread]
class Ctx {
 public:
  using Host = Service<ccm_host_ctx>;

  Ctx() = default;
  Ctx(Host host, ccm_ctx ctx) : host_(host), ctx_(ctx) {}

  // The ctx without deadline that ends with the component.
  static Ctx background(Host host) {
    const auto find = host.get(&ccm_host_ctx::background);
    return find != nullptr ? Ctx(host, find(host.self())) : Ctx();
  }

  // A child that also ends after `timeout`, by cancel(), or with the last copy of it.
  [[nodiscard]] Ctx with_timeout(std::chrono::milliseconds timeout) const {
    const auto make = host_.get(&ccm_host_ctx::with_timeout);
    if (make == nullptr) return *this;
    Ctx child(host_, make(host_.self(), ctx_, timeout.count()));
    child.owner_ = std::make_shared<const Owner>(host_, child.ctx_, owner_);
    return child;
  }
  // A child without a deadline of its own.
  [[nodiscard]] Ctx with_cancel() const {
    return with_timeout(std::chrono::milliseconds(std::numeric_limits<int64_t>::max()));
  }
  // Ends a child, and everything that was started with it; any other ctx is left alone.
  void cancel() const {
    if (owner_) owner_->cancel();
  }

  // Time left; milliseconds::max() without a deadline, not above 0 when it is over.
  [[nodiscard]] std::chrono::milliseconds remaining() const {
    const auto left = host_.get(&ccm_host_ctx::remaining_ms);
    return left != nullptr ? std::chrono::milliseconds(left(host_.self(), ctx_))
                           : std::chrono::milliseconds::max();
  }

  // True once it was cancelled, its deadline passed, or its operation ended.
  [[nodiscard]] bool cancelled() const {
    const auto ended = host_.get(&ccm_host_ctx::ended);
    return ended != nullptr && ended(host_.self(), ctx_) != 0;
  }

  // Code::cancelled or Code::deadline_exceeded; ok while it has not ended.
  [[nodiscard]] Status status() const {
    const auto why = host_.get(&ccm_host_ctx::end_code);
    switch (why != nullptr ? why(host_.self(), ctx_) : CCM_CODE_OK) {
      case CCM_CODE_OK:
        return {};
      case CCM_CODE_DEADLINE_EXCEEDED:
        return Status(Code::deadline_exceeded, ErrorClass::unavailable, "the time is over");
      default:
        return Status(Code::cancelled, "the operation was cancelled");
    }
  }

  // Calls `callback` once in [serial] when it ends, never inside this call; 0 = it will not.
  // OWNERSHIP: the host drops it, in any case.
  [[nodiscard]] uint64_t on_end(ccm_callback callback) const {
    const auto add = host_.get(&ccm_host_ctx::on_end);
    if (add != nullptr) return add(host_.self(), ctx_, callback);
    if (callback.drop != nullptr) callback.drop(callback.owner);
    return 0;
  }
  // After it returned in [serial] the callback is not called any more.
  void remove_on_end(uint64_t registration) const {
    const auto remove = host_.get(&ccm_host_ctx::remove_on_end);
    if (remove != nullptr && registration != 0) remove(host_.self(), ctx_, registration);
  }

  [[nodiscard]] ccm_ctx get() const { return ctx_; }

 private:
  // Ends a child with its last copy, and keeps the parent until then.
  class Owner {
   public:
    Owner(Host host, ccm_ctx ctx, std::shared_ptr<const Owner> parent)
        : host_(host), ctx_(ctx), parent_(std::move(parent)) {}
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { cancel(); }
    void cancel() const {
      const auto end = host_.get(&ccm_host_ctx::cancel);
      if (end != nullptr) end(host_.self(), ctx_);
    }

   private:
    Host host_;
    ccm_ctx ctx_;
    std::shared_ptr<const Owner> parent_;
  };

  Host host_;
  ccm_ctx ctx_{0};
  std::shared_ptr<const Owner> owner_;
};

}  // namespace ccm
