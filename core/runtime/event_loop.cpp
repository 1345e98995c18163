#include "runtime/event_loop.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <malloc.h>

#include <utility>

namespace ccm::runtime {

namespace {
constexpr std::chrono::milliseconds kBeat{250};
// Answers of a cloud come and go by the hundred, and glibc keeps their memory: with 200 load
// balancers of 3,000 backends two thirds of the process.
constexpr std::chrono::milliseconds kReturnMemory{5'000};
}  // namespace

class EventLoop::Binding {
 public:
  explicit Binding(EventLoop& loop)
      : loop_(loop), before_(loop.thread_.exchange(std::this_thread::get_id())) {}
  ~Binding() { loop_.thread_.store(before_); }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

 private:
  EventLoop& loop_;
  std::thread::id before_;
};

EventLoop::EventLoop()
    : timers_(context_), last_beat_(BootClock::now().time_since_epoch().count()) {}

EventLoop::~EventLoop() { context_.shutdown(); }

void EventLoop::run() {
  const Binding binding(*this);
  const auto work = boost::asio::make_work_guard(context_);
  beat();
  Timers::Id timer = 0;
  const std::function<void()> return_memory = [&] {
    malloc_trim(0);
    timer = timers_.after(kReturnMemory, return_memory);
  };
  timer = timers_.after(kReturnMemory, return_memory);
  context_.run();
  timers_.cancel(timer);
  timers_.cancel(beat_timer_);
  context_.restart();
}

void EventLoop::stop() { context_.stop(); }

std::size_t EventLoop::poll() {
  const Binding binding(*this);
  context_.restart();
  return context_.poll();
}

std::size_t EventLoop::run_for(std::chrono::milliseconds limit) {
  const Binding binding(*this);
  const auto work = boost::asio::make_work_guard(context_);
  context_.restart();
  const std::size_t first = context_.run_one_for(limit);
  return first + context_.poll();
}

void EventLoop::post(std::function<void()> fn) { boost::asio::post(context_, std::move(fn)); }

std::chrono::milliseconds EventLoop::heartbeat_age() const {
  const BootClock::duration beat(last_beat_.load(std::memory_order_relaxed));
  const auto age = BootClock::now().time_since_epoch() - beat;
  return std::chrono::duration_cast<std::chrono::milliseconds>(age);
}

void EventLoop::beat() {
  last_beat_.store(BootClock::now().time_since_epoch().count(), std::memory_order_relaxed);
  beat_timer_ = timers_.after(kBeat, [this] { beat(); });
}

}  // namespace ccm::runtime
