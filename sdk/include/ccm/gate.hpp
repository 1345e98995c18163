// ccm::Gate: coroutines of one component that wait for something which happens once. [serial]
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/timer.hpp>

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ccm {

// Must outlive who waits at it. A coroutine that is destroyed while it waits is forgotten.
class Gate {
 public:
  explicit Gate(const Post& post) : state_(std::make_shared<State>(post)) {}
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

    bool await_ready() const noexcept { return gate_.is_open(); }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      gate_.state_->waiting.push_back(this);
      registration_ = ctx_.on_end({&Wait::on_end, nullptr, this});
    }
    void await_resume() const noexcept {}

   private:
    friend Gate;
    bool leave() { return std::erase(gate_.state_->waiting, this) > 0; }
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
  [[nodiscard]] bool is_open() const { return state_->open; }

  // Everyone goes on, in the order of their coming, not inside this call. The posted function
  // looks at each again: one may have been destroyed by another in between.
  void open() {
    state_->open = true;
    if (!state_->waiting.empty()) post_next(state_);
  }

 private:
  // Held by what is posted, too: the last one that waits may end by its ctx, and the gate with it,
  // before that runs.
  struct State {
    explicit State(const Post& the_post) : post(the_post) {}
    const Post& post;
    bool open = false;
    std::vector<Wait*> waiting;
  };

  static void post_next(const std::shared_ptr<State>& state) {
    state->post([state] { resume_first(state); });
  }
  static void resume_first(const std::shared_ptr<State>& state) {
    if (state->waiting.empty()) return;
    Wait* first = state->waiting.front();
    state->waiting.erase(state->waiting.begin());
    if (!state->waiting.empty()) post_next(state);
    first->waiting_.resume();
  }

  const std::shared_ptr<State> state_;
};

}  // namespace ccm
