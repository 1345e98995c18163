#include "cloud/broker/turns.hpp"

#include "base/duration.hpp"
#include "base/log.hpp"
#include "plugin/origin.hpp"

#include <ccm/fair_list.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

// A slow component completes a moment after its deadline.
constexpr milliseconds kFirstComeBack{1'000};
constexpr milliseconds kLastComeBack{30'000};

// From the moment when an operation is abandoned until its turn is taken away.
constexpr milliseconds kGrace{300'000};
// The number of operations that may run on without their turn. Beyond it each turn is kept: a
// component that completes nothing must not fill the memory.
constexpr std::size_t kMostRunningOn = 100;

// The namespace for which the operation is done.
std::string_view tenant_of(const Context& context) {
  if (!context.origin()) return {};
  return namespace_of(context.origin()->key());
}

}  // namespace

struct Turns::State : std::enable_shared_from_this<State> {
  struct Waiter {
    std::shared_ptr<Context> context;
    Start start;
    Refuse refuse;
  };
  struct Queued {
    std::string key;
    uint64_t holder;
    Start start;
    std::shared_ptr<Context> context;
  };
  struct Key {
    uint64_t holder = 0;  // the turn that is held; 0 = none
    runtime::TimePoint since;
    std::optional<runtime::TimePoint> given_up;
    runtime::Timers::Id timer = 0;
    FairList<Waiter> waiting;  // several Services may have one key
    std::size_t abandoned = 0;
    uint64_t doubt = 0;
  };

  State(runtime::EventLoop& wanted_loop, runtime::Timers& wanted_timers, std::string text)
      : loop(wanted_loop), timers(wanted_timers), what(std::move(text)) {}

  // The key is taken; with too many turns elsewhere its operation begins when one of them ends.
  void begin(const std::string& key, Key& entry, const Start& start,
             const std::shared_ptr<Context>& context) {
    entry.holder = ++last_number;
    entry.since = timers.now();
    entry.given_up.reset();
    if (most_parallel > 0 && parallel >= most_parallel) {
      queue.push_back(tenant_of(*context), {key, entry.holder, start, context});
      return;
    }
    give(key, entry.holder, start);
  }

  void give(const std::string& key, uint64_t holder, const Start& start) {
    ++parallel;
    auto release = [weak = weak_from_this(), key, holder](void*) {
      if (const auto self = weak.lock()) self->released(key, holder);
    };
    start({holder, std::shared_ptr<void>(nullptr, std::move(release))});
  }

  // Another operation of the queue may begin.
  void one_less() {
    --parallel;
    while (!queue.empty() && (most_parallel <= 0 || parallel < most_parallel)) {
      const Queued next = *queue.take();
      if (next.context->ended()) {
        pass_on(next.key);
      } else {
        give(next.key, next.holder, next.start);
      }
    }
  }

  void released(const std::string& key, uint64_t number) {
    const auto place = keys.find(key);
    if (place == keys.end()) return;
    if (place->second.holder != number) return completed_late(key, place->second);
    if (place->second.timer != 0) timers.cancel(std::exchange(place->second.timer, 0));
    pass_on(key);
    one_less();
  }

  void pass_on(const std::string& key) {
    Key& entry = keys.at(key);
    entry.holder = 0;
    while (const auto next = entry.waiting.take()) {
      if (!next->context->ended()) return begin(key, entry, next->start, next->context);
    }
    forget(key);
  }

  void completed_late(const std::string& key, Key& entry) {
    --entry.abandoned;
    --all_abandoned;
    entry.doubt = ++last_doubt;
    log::warning("Provider completed an operation that others no longer waited for",
                 {{"operation", what}, {"key", key}});
    if (on_late) on_late(key);
  }

  // Posted after the operation's end: a completion of that moment has released the turn.
  void check_given_up(const std::string& key, uint64_t number) {
    const auto place = keys.find(key);
    if (place == keys.end() || place->second.holder != number || place->second.given_up) return;
    Key& entry = place->second;
    entry.given_up = timers.now();
    arm(key, entry);
    FairList<Waiter> refused = std::exchange(entry.waiting, {});
    const Status status = refusal(entry);
    while (const auto waiter = refused.take()) {
      if (!waiter->context->ended()) waiter->refuse(status);
    }
  }

  void arm(const std::string& key, Key& entry) {
    entry.timer = timers.after(kGrace, [weak = weak_from_this(), key, number = entry.holder] {
      if (const auto self = weak.lock()) self->grace_over(key, number);
    });
  }

  void grace_over(const std::string& key, uint64_t number) {
    const auto place = keys.find(key);
    if (place == keys.end() || place->second.holder != number) return;
    Key& entry = place->second;
    entry.timer = 0;
    if (all_abandoned >= kMostRunningOn) {
      log::error("Provider completes nothing; only a restart of this process helps",
                 {{"operation", what}, {"abandoned", all_abandoned}});
      return arm(key, entry);
    }
    log::error("Provider has not completed an operation; others no longer wait for it",
               {{"operation", what}, {"key", key}, {"after", timers.now() - entry.since}});
    ++entry.abandoned;
    ++all_abandoned;
    entry.doubt = ++last_doubt;
    pass_on(key);
    one_less();
  }

  [[nodiscard]] Status refusal(const Key& entry) const {
    const runtime::TimePoint now = timers.now();
    const auto waited = std::chrono::duration_cast<milliseconds>(now - *entry.given_up);
    std::string text = "the provider has not completed an earlier " + what + ", which began ";
    text += short_duration(std::chrono::duration_cast<std::chrono::seconds>(now - entry.since));
    text += " ago; it gets another one at the latest " + short_duration(kGrace);
    text += " after its deadline";
    return Status(Code::unavailable, ErrorClass::waiting, std::move(text))
        .with_reason("OperationNotCompleted")
        .with_retry_after(std::clamp(waited, kFirstComeBack, kLastComeBack));
  }

  void forget(const std::string& key) {
    const auto place = keys.find(key);
    if (place == keys.end()) return;
    const Key& entry = place->second;
    if (entry.holder == 0 && entry.abandoned == 0 && entry.doubt == 0) keys.erase(place);
  }

  runtime::EventLoop& loop;
  runtime::Timers& timers;
  const std::string what;
  std::function<void(const std::string&)> on_late;
  std::unordered_map<std::string, Key> keys;  // keys with a held turn or with a record
  std::size_t all_abandoned = 0;
  int64_t most_parallel = 0;
  int64_t parallel = 0;  // operations that run and have their turn
  // Operations with their key's turn that wait until fewer run; namespaces take turns.
  FairList<Queued> queue;
  uint64_t last_number = 0;
  uint64_t last_doubt = 0;
};

Turns::Turns(runtime::EventLoop& loop, runtime::Timers& timers, std::string what)
    : state_(std::make_shared<State>(loop, timers, std::move(what))) {}

void Turns::take(const std::string& key, std::shared_ptr<Context> context, Start start,
                 Refuse refuse) {
  State::Key& entry = state_->keys[key];
  if (entry.holder == 0) return state_->begin(key, entry, start, context);
  if (entry.given_up) return refuse(state_->refusal(entry));
  const std::string tenant(tenant_of(*context));
  entry.waiting.push_back(tenant, {std::move(context), std::move(start), std::move(refuse)});
}

void Turns::ended(const std::string& key, uint64_t number, const Status& status) {
  if (status.code() != Code::deadline_exceeded && status.code() != Code::cancelled) return;
  state_->loop.post([weak = std::weak_ptr(state_), key, number] {
    if (const auto state = weak.lock()) state->check_given_up(key, number);
  });
}

void Turns::set_parallel(int64_t most) { state_->most_parallel = most; }

uint64_t Turns::doubt(const std::string& key) const {
  const auto place = state_->keys.find(key);
  return place == state_->keys.end() ? 0 : place->second.doubt;
}

void Turns::settle(const std::string& key, uint64_t seen) {
  const auto place = state_->keys.find(key);
  if (place == state_->keys.end() || place->second.doubt != seen) return;
  place->second.doubt = 0;
  state_->forget(key);
}

std::size_t Turns::abandoned(const std::string& key) const {
  const auto place = state_->keys.find(key);
  return place == state_->keys.end() ? 0 : place->second.abandoned;
}

void Turns::on_late(std::function<void(const std::string& key)> fn) {
  state_->on_late = std::move(fn);
}

}  // namespace ccm::plugin
