// ccm::Semaphore: lets a bounded number of coroutines of one component pass at once. [serial]
//   auto permit = co_await semaphore.acquire();    // given back when `permit` goes out of scope
#pragma once

#include <ccm/timer.hpp>

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <deque>
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
      if (semaphore_ != nullptr) semaphore_->release();
    }

   private:
    Semaphore* semaphore_;
  };

  class [[nodiscard]] Acquire {
   public:
    explicit Acquire(Semaphore& semaphore) : semaphore_(semaphore) {}
    Acquire(const Acquire&) = delete;
    Acquire& operator=(const Acquire&) = delete;
    ~Acquire() { std::erase(semaphore_.waiting_, this); }

    bool await_ready() const noexcept {
      if (semaphore_.free_ == 0) return false;
      --semaphore_.free_;
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      semaphore_.waiting_.push_back(this);
    }
    Permit await_resume() const { return Permit(&semaphore_); }

   private:
    friend Semaphore;
    Semaphore& semaphore_;
    std::coroutine_handle<> waiting_;
  };

  // `post` must outlive it, and it every coroutine that uses it.
  Semaphore(const Post& post, std::size_t permits) : post_(post), free_(permits) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // First come, first served.
  [[nodiscard]] Acquire acquire() { return Acquire(*this); }

 private:
  // The next one is posted, not run here: a permit may be given back while the component ends.
  void release() {
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    const auto next = waiting_.front()->waiting_;
    waiting_.pop_front();
    if (!post_([next] { next.resume(); })) next.resume();
  }

  const Post& post_;
  std::size_t free_;
  std::deque<Acquire*> waiting_;
};

}  // namespace ccm
