#include "runtime/loop_timers.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

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

}  // namespace ccm::runtime
