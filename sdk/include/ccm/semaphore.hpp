// ccm::Semaphore: lets a bounded number of coroutines of one component pass at once. [serial]
//   auto permit = co_await semaphore.acquire();    // given back when `permit` goes out of scope
#pragma once

#include <ccm/timer.hpp>

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

namespace ccm {

class Semaphore {
 public:
  // Gives its place back when it is destroyed. Move only.
  class [[nodiscard]] Permit {
   public:
    explicit Permit(Semaphore* semaphore) : semaphore_(semaphore) {}
    Permit(Permit&& other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (semaphore_ != nullptr) release(semaphore_->state_);
    }

   private:
    Semaphore* semaphore_;
  };

  class [[nodiscard]] Acquire {
   public:
    explicit Acquire(Semaphore& semaphore) : semaphore_(semaphore) {}
    Acquire(const Acquire&) = delete;
    Acquire& operator=(const Acquire&) = delete;
    ~Acquire() { std::erase(semaphore_.state_->waiting, this); }

    bool await_ready() const noexcept {
      if (semaphore_.state_->free == 0) return false;
      --semaphore_.state_->free;
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      semaphore_.state_->waiting.push_back(this);
    }
    Permit await_resume() const { return Permit(&semaphore_); }

   private:
    friend Semaphore;
    Semaphore& semaphore_;
    std::coroutine_handle<> waiting_;
  };

  // `post` must outlive it, and it every coroutine that uses it.
  Semaphore(const Post& post, std::size_t permits)
      : state_(std::make_shared<State>(post, permits)) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // First come, first served.
  [[nodiscard]] Acquire acquire() { return Acquire(*this); }

 private:
  // Held by what is posted, too, which may run after the semaphore is gone.
  struct State {
    State(const Post& the_post, std::size_t permits) : post(the_post), free(permits) {}
    const Post& post;
    std::size_t free;
    std::deque<Acquire*> waiting;
  };

  // The next one is posted, not run here: a permit may be given back while the component ends.
  static void release(const std::shared_ptr<State>& state) {
    if (state->waiting.empty()) {
      ++state->free;
    } else if (!state->post([state] { pass_on(state); })) {
      pass_on(state);
    }
  }
  // To the first that waits by now: those of before may have been destroyed.
  static void pass_on(const std::shared_ptr<State>& state) {
    if (state->waiting.empty()) {
      ++state->free;
      return;
    }
    const auto next = state->waiting.front()->waiting_;
    state->waiting.pop_front();
    next.resume();
  }

  const std::shared_ptr<State> state_;
};

}  // namespace ccm
