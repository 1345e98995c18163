// ccm::Semaphore: lets a bounded number of coroutines of one component pass at once. [serial]
//   auto permit = co_await semaphore.acquire();    // given back when `permit` goes out of scope
// Operations that tenants cause name the namespace, so that many of one do not delay those of
// another:
//   auto permit = co_await semaphore.acquire(service.namespace_name);
#pragma once

#include <ccm/fair_list.hpp>
#include <ccm/timer.hpp>

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
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
    Acquire(Semaphore& semaphore, std::string namespace_name)
        : semaphore_(semaphore), namespace_(std::move(namespace_name)) {}
    Acquire(const Acquire&) = delete;
    Acquire& operator=(const Acquire&) = delete;
    ~Acquire() {
      if (place_) semaphore_.state_->waiting.erase(*place_);
    }

    bool await_ready() const noexcept {
      if (semaphore_.state_->free == 0) return false;
      --semaphore_.state_->free;
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      place_ = semaphore_.state_->waiting.push_back(namespace_, this);
    }
    Permit await_resume() const { return Permit(&semaphore_); }

   private:
    friend Semaphore;
    Semaphore& semaphore_;
    const std::string namespace_;
    std::coroutine_handle<> waiting_;
    std::optional<FairList<Acquire*>::Place> place_;  // while it waits
  };

  // `post` must outlive it, and it every coroutine that uses it.
  Semaphore(const Post& post, std::size_t permits)
      : state_(std::make_shared<State>(post, permits)) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // The namespaces that wait take turns; within one, and where none is given, first come, first
  // served. The cost does not grow with the number of those that wait.
  [[nodiscard]] Acquire acquire(std::string namespace_name = {}) {
    return Acquire(*this, std::move(namespace_name));
  }

 private:
  // Held by what is posted, too, which may run after the semaphore is gone.
  struct State {
    State(const Post& the_post, std::size_t permits) : post(the_post), free(permits) {}
    const Post& post;
    std::size_t free;
    FairList<Acquire*> waiting;
  };

  // The next one is posted, not run here: a permit may be given back while the component ends.
  static void release(const std::shared_ptr<State>& state) {
    if (state->waiting.empty()) {
      ++state->free;
    } else if (!state->post([state] { pass_on(state); })) {
      pass_on(state);
    }
  }
  // To the next that waits by now: those of before may have been destroyed.
  static void pass_on(const std::shared_ptr<State>& state) {
    const auto next = state->waiting.take();
    if (!next) {
      ++state->free;
      return;
    }
    (*next)->place_.reset();
    (*next)->waiting_.resume();
  }

  const std::shared_ptr<State> state_;
};

}  // namespace ccm
