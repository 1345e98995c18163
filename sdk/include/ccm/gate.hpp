// ccm::Gate: coroutines of one component that wait for something which happens once. [serial]
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/timer.hpp>

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <utility>
#include <vector>

namespace ccm {

// Must outlive who waits at it. A coroutine that is destroyed while it waits is forgotten.
class Gate {
 public:
  explicit Gate(const Post& post) : post_(post) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  class [[nodiscard]] Wait {
   public:
    explicit Wait(Gate& gate) : gate_(gate) {}
    Wait(Gate& gate, Ctx ctx) : gate_(gate), ctx_(std::move(ctx)) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
      leave();
      ctx_.remove_on_end(registration_);
    }

    bool await_ready() const noexcept { return gate_.open_; }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      gate_.waiting_.push_back(this);
      registration_ = ctx_.on_end({&Wait::on_end, nullptr, this});
    }
    void await_resume() const noexcept {}

   private:
    friend Gate;
    bool leave() { return std::erase(gate_.waiting_, this) > 0; }
    static void on_end(void* owner) {
      auto& self = *static_cast<Wait*>(owner);
      self.registration_ = 0;
      if (self.leave()) self.waiting_.resume();
    }

    Gate& gate_;
    Ctx ctx_;
    uint64_t registration_ = 0;
    std::coroutine_handle<> waiting_;
  };

  [[nodiscard]] Wait wait() { return Wait(*this); }
  // Until then, or until `ctx` ends: for an operation that waits for what several share.
  [[nodiscard]] Wait wait(Ctx ctx) { return Wait(*this, std::move(ctx)); }
  [[nodiscard]] bool is_open() const { return open_; }

  // Everyone goes on, in the order of their coming, not inside this call. The posted function
  // looks at each again: one may have been destroyed by another in between.
  void open() {
    open_ = true;
    if (!waiting_.empty()) post_([this] { resume_first(); });
  }

 private:
  void resume_first() {
    if (waiting_.empty()) return;
    Wait* first = waiting_.front();
    waiting_.erase(waiting_.begin());
    // Before the coroutine runs: it may destroy this gate.
    if (!waiting_.empty()) post_([this] { resume_first(); });
    first->waiting_.resume();
  }

  const Post& post_;
  bool open_ = false;
  std::vector<Wait*> waiting_;
};

}  // namespace ccm
