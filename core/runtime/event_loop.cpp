#include "runtime/event_loop.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace ccm::runtime {

namespace {
// Asio's clock stands still while the machine sleeps, so check again this often.
constexpr std::chrono::seconds kLongestWait{5};
}  // namespace

struct LoopTimers::State : std::enable_shared_from_this<State> {
  using Key = std::pair<TimePoint, Id>;

  explicit State(boost::asio::io_context& loop) : context(loop), timer(loop) {}

  // On the loop.
  void arm() {
    TimePoint due;
    {
      const std::lock_guard lock(mutex);
      if (closed || waiting.empty()) return;
      due = waiting.begin()->first.first;
    }
    const auto left = std::max<BootClock::duration>(due - BootClock::now(), {});
    timer.expires_after(std::min<BootClock::duration>(left, kLongestWait));
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->run_due();
    });
  }

  // One at a time, because each may cancel the others.
  void run_due() {
    const TimePoint now = BootClock::now();
    while (auto fn = take_due(now)) fn();
    arm();
  }

  std::function<void()> take_due(TimePoint now) {
    const std::lock_guard lock(mutex);
    if (closed || waiting.empty() || waiting.begin()->first.first > now) return {};
    auto first = waiting.begin();
    auto fn = std::move(first->second);
    due_of.erase(first->first.second);
    waiting.erase(first);
    return fn;
  }

  boost::asio::io_context& context;
  boost::asio::steady_timer timer;  // on the loop only
  std::mutex mutex;
  std::map<Key, std::function<void()>> waiting;
  std::unordered_map<Id, TimePoint> due_of;
  Id last_id = 0;
  bool closed = false;
};

LoopTimers::LoopTimers(boost::asio::io_context& context)
    : state_(std::make_shared<State>(context)) {}

LoopTimers::~LoopTimers() {
  std::map<State::Key, std::function<void()>> dropped;  // destroyed without the lock
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
    dropped.swap(state_->waiting);
    state_->due_of.clear();
  }
  state_->timer.cancel();
}

Timers::Id LoopTimers::after(std::chrono::milliseconds delay, std::function<void()> fn) {
  const TimePoint due = BootClock::now() + std::max(delay, std::chrono::milliseconds(0));
  Id id = 0;
  bool earliest = false;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed) return ++state_->last_id;
    id = ++state_->last_id;
    const auto place = state_->waiting.emplace(State::Key{due, id}, std::move(fn)).first;
    state_->due_of.emplace(id, due);
    earliest = place == state_->waiting.begin();
  }
  if (earliest) boost::asio::post(state_->context, [state = state_] { state->arm(); });
  return id;
}

bool LoopTimers::cancel(Id id) {
  std::function<void()> dropped;  // destroyed without the lock
  const std::lock_guard lock(state_->mutex);
  const auto due = state_->due_of.find(id);
  if (due == state_->due_of.end()) return false;
  const auto place = state_->waiting.find(State::Key{due->second, id});
  dropped = std::move(place->second);
  state_->waiting.erase(place);
  state_->due_of.erase(due);
  return true;
}

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
  Binding& operator=(Binding&&) = delete;

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
