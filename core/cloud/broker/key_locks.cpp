#include "cloud/broker/key_locks.hpp"

#include "base/duration.hpp"
#include "base/log.hpp"
#include "plugin/origin.hpp"
#include "plugin/waiting.hpp"

#include <ccm/fair_list.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace ccm::cloud {

using std::chrono::milliseconds;

namespace {

// A slow component completes a moment after its deadline.
constexpr milliseconds kFirstComeBack{1'000};
constexpr milliseconds kLastComeBack{30'000};

// From the moment when an operation is abandoned until its lock is taken away.
constexpr milliseconds kGrace{300'000};
// The number of operations that may run on without their lock. Beyond it each lock is kept: a
// component that completes nothing must not fill the memory.
constexpr std::size_t kMostRunningOn = 100;

// The namespace for which the operation is done.
std::string_view tenant_of(const plugin::Context& context) {
  if (!context.origin()) return {};
  return namespace_of(context.origin()->key());
}

}  // namespace

// What a Lock and its operation hold together.
struct KeyLocks::Held {
  std::weak_ptr<State> state;
  std::string key;
  uint64_t number = 0;
  ~Held();
};

struct KeyLocks::State : std::enable_shared_from_this<State> {
  using Go = std::function<void(Result<Lock>)>;  // nothing when its coroutine was destroyed
  struct Waiter {
    std::shared_ptr<plugin::Context> context;
    Go go;
  };
  struct Queued {
    std::string key;
    uint64_t holder;
    Waiter waiter;
  };
  struct Key {
    uint64_t holder = 0;  // the lock that is held; 0 = none
    runtime::TimePoint since;
    std::optional<runtime::TimePoint> given_up;
    runtime::Timers::Id timer = 0;
    FairList<Waiter> waiting;  // several Services may have one key
    std::size_t abandoned = 0;
    uint64_t unknown = 0;
  };

  State(runtime::EventLoop& wanted_loop, runtime::Timers& wanted_timers, std::string text)
      : loop(wanted_loop), timers(wanted_timers), what(std::move(text)) {}

  void take(const std::string& key, Waiter waiter) {
    Key& entry = keys[key];
    if (entry.holder == 0) {
      if (const auto held = hold(key, entry, waiter)) waiter.go(Lock(held));
    } else if (entry.given_up) {
      waiter.go(refusal(entry));
    } else {
      dismiss_ended(entry);
      const std::string tenant(tenant_of(*waiter.context));
      entry.waiting.push_back(tenant, std::move(waiter));
    }
  }

  // Behind a lock that never ends, as that of a blocking function that does not return, each retry
  // would leave a waiter for ever.
  void dismiss_ended(Key& entry) {
    FairList<Waiter> all = std::exchange(entry.waiting, {});
    while (auto waiter = all.take()) {
      if (waiter->context->ended()) {
        go_on(*std::move(waiter), nullptr);
      } else {
        const std::string tenant(tenant_of(*waiter->context));
        entry.waiting.push_back(tenant, *std::move(waiter));
      }
    }
  }

  // The key is taken. Null: with too many locks elsewhere `waiter` goes on when one of them ends.
  std::shared_ptr<Held> hold(const std::string& key, Key& entry, const Waiter& waiter) {
    entry.holder = ++last_number;
    entry.since = timers.now();
    entry.given_up.reset();
    if (most_parallel > 0 && parallel >= most_parallel) {
      queue.push_back(tenant_of(*waiter.context), {key, entry.holder, waiter});
      return nullptr;
    }
    ++parallel;
    return std::make_shared<Held>(weak_from_this(), key, entry.holder);
  }

  // Not inside the end of another lock: with it, all that waits here may be about to be destroyed.
  void go_on(Waiter waiter, std::shared_ptr<Held> held) {
    loop.post([waiter = std::move(waiter), held = std::move(held)]() mutable {
      if (waiter.context->ended()) return waiter.go(waiter.context->status());
      waiter.go(Lock(std::move(held)));
    });
  }

  // An operation has ended: another one of the queue may begin.
  void begin_queued() {
    --parallel;
    while (!queue.empty() && (most_parallel <= 0 || parallel < most_parallel)) {
      Queued next = *queue.take();
      if (next.waiter.context->ended()) {
        go_on(std::move(next.waiter), nullptr);
        pass_on(next.key);
      } else {
        ++parallel;
        go_on(std::move(next.waiter),
              std::make_shared<Held>(weak_from_this(), next.key, next.holder));
      }
    }
  }

  void released(const std::string& key, uint64_t number) {
    const auto place = keys.find(key);
    if (place == keys.end()) return;
    if (place->second.holder != number) return completed_late(key, place->second);
    if (place->second.timer != 0) timers.cancel(std::exchange(place->second.timer, 0));
    pass_on(key);
    begin_queued();
  }

  void pass_on(const std::string& key) {
    Key& entry = keys.at(key);
    entry.holder = 0;
    while (auto next = entry.waiting.take()) {
      if (next->context->ended()) {
        go_on(*std::move(next), nullptr);
        continue;
      }
      if (auto held = hold(key, entry, *next)) go_on(*std::move(next), std::move(held));
      return;
    }
    forget(key);
  }

  void completed_late(const std::string& key, Key& entry) {
    --entry.abandoned;
    --all_abandoned;
    entry.unknown = ++last_unknown;
    log::warning("Provider completed an operation that others no longer waited for",
                 {{"operation", what}, {"key", key}});
    if (on_late) on_late(key);
  }

  // Posted after the wait for the operation: a completion of that moment has released the lock.
  void check_given_up(const std::string& key, uint64_t number) {
    const auto place = keys.find(key);
    if (place == keys.end() || place->second.holder != number || place->second.given_up) return;
    Key& entry = place->second;
    entry.given_up = timers.now();
    arm(key, entry);
    FairList<Waiter> refused = std::exchange(entry.waiting, {});
    const Status status = refusal(entry);
    while (const auto waiter = refused.take()) {
      waiter->go(waiter->context->ended() ? waiter->context->status() : status);
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
    entry.unknown = ++last_unknown;
    pass_on(key);
    begin_queued();
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
    if (entry.holder == 0 && entry.abandoned == 0 && entry.unknown == 0) keys.erase(place);
  }

  runtime::EventLoop& loop;
  runtime::Timers& timers;
  const std::string what;
  std::function<void(const std::string&)> on_late;
  std::unordered_map<std::string, Key> keys;  // keys with a held lock or with a record
  std::size_t all_abandoned = 0;
  int64_t most_parallel = 0;
  int64_t parallel = 0;  // operations that run and have their lock
  // Operations with their key's lock that wait until fewer run; namespaces take turns.
  FairList<Queued> queue;
  uint64_t last_number = 0;
  uint64_t last_unknown = 0;
};

KeyLocks::Held::~Held() {
  if (const auto owner = state.lock()) owner->released(key, number);
}

KeyLocks::Lock::~Lock() {
  const auto state = held_ && shared_ ? held_->state.lock() : nullptr;
  if (!state) return;
  state->loop.post([weak = held_->state, key = held_->key, number = held_->number] {
    if (const auto still = weak.lock()) still->check_given_up(key, number);
  });
}

KeyLocks::KeyLocks(runtime::EventLoop& loop, runtime::Timers& timers, std::string what)
    : state_(std::make_shared<State>(loop, timers, std::move(what))) {}

Task<Result<KeyLocks::Lock>> KeyLocks::take(std::string key,
                                            std::shared_ptr<plugin::Context> context) {
  using Taking = plugin::CallbackAwaiter<Result<Lock>>;
  const Taking::Start start = [&](State::Go go) {
    state_->take(key, {std::move(context), std::move(go)});
  };
  Taking taking(start);
  co_return co_await taking;
}

void KeyLocks::set_parallel(int64_t most) { state_->most_parallel = most; }

uint64_t KeyLocks::outcome_unknown(const std::string& key) const {
  const auto place = state_->keys.find(key);
  return place == state_->keys.end() ? 0 : place->second.unknown;
}

void KeyLocks::confirm(const std::string& key, uint64_t seen) {
  const auto place = state_->keys.find(key);
  if (place == state_->keys.end() || place->second.unknown != seen) return;
  place->second.unknown = 0;
  state_->forget(key);
}

std::size_t KeyLocks::abandoned(const std::string& key) const {
  const auto place = state_->keys.find(key);
  return place == state_->keys.end() ? 0 : place->second.abandoned;
}

void KeyLocks::on_late(std::function<void(const std::string& key)> fn) {
  state_->on_late = std::move(fn);
}

}  // namespace ccm::cloud
