// Calls to the provider about instances: listings and single questions, for whom they are made, and
// how many questions that controllers repeat the cloud can be asked. Loop thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "cloud/broker/known_instances.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "plugin/live_component.hpp"
#include "plugin/origin.hpp"
#include "runtime/timers.hpp"

#include <ccm/abi/instances.h>
#include <ccm/instance_limits.hpp>
#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ccm::cloud {

// The origin of a call for no particular object: the second observation of vanished instances.
inline std::shared_ptr<plugin::Origin> no_origin() {
  return std::make_shared<plugin::Origin>("instances", "", plugin::CallPriority::refresh);
}

// A call for several questions has the highest of their priorities.
template <typename Questions>
std::shared_ptr<plugin::Origin> common_origin(const Questions& questions) {
  const plugin::Origin* best = nullptr;
  for (const auto& question : questions) {
    const plugin::Origin* asks = question.query.origin.get();
    if (asks != nullptr && (best == nullptr || asks->priority() < best->priority())) best = asks;
  }
  if (best == nullptr) return no_origin();
  return std::make_shared<plugin::Origin>(best->controller(), "", best->priority());
}

// Records the cloud's last answer to the shared call for `caller`, too.
inline void tell_answer(const std::shared_ptr<plugin::Origin>& caller,
                        const std::shared_ptr<plugin::Origin>& shared) {
  if (caller && shared && caller != shared && shared->answer()) caller->answered(*shared->answer());
}

// The number of questions within a period. They arrive a few at a time, one for each worker of the
// controller, so only a whole period shows how many instances are asked about. A controller that
// wants answers of at most some age asks about twice as often.
class PollRate {
 public:
  void count(runtime::TimePoint now, std::chrono::milliseconds max_age) {
    const auto period = 2 * max_age;
    if (now - began_ >= period) {
      before_ = now - began_ < 2 * period ? count_ : 0;
      count_ = 0;
      began_ = now;
    }
    ++count_;
  }
  // The number of questions in this period or in the previous one, whichever had more.
  [[nodiscard]] std::size_t most() const { return std::max(count_, before_); }

 private:
  runtime::TimePoint began_;
  std::size_t count_ = 0;
  std::size_t before_ = 0;
};

// One call in kPause on average, and kBurst of them at once when there were none for a while: 460
// calls in the first hour, 360 in each further one, however many Nodes are asked about.
class PollBudget {
 public:
  static constexpr std::chrono::milliseconds kPause{10'000};
  static constexpr double kBurst = 100;

  // That many calls may be made now, and `reserve`, a share of kBurst, is left for more urgent
  // ones.
  [[nodiscard]] bool affords(runtime::TimePoint now, std::size_t calls, double reserve) const {
    return level(now) - static_cast<double>(calls) >= reserve * kBurst;
  }
  // Also calls that cannot be avoided: those that come later wait longer.
  void spend(runtime::TimePoint now, std::size_t calls) {
    level_ = std::max(level(now) - static_cast<double>(calls), -kBurst);
    at_ = now;
  }

 private:
  [[nodiscard]] double level(runtime::TimePoint now) const {
    return std::min(level_ + std::chrono::duration<double>(now - at_) / kPause, kBurst);
  }

  double level_ = kBurst;
  runtime::TimePoint at_;
};

// A provider's ccm.cloud.instances/1: each call with a deadline, for the given origin. It outlives
// its tasks.
class ProviderInstances {
 public:
  using Listing = Result<InstanceSnapshot::Ptr>;
  using OriginPtr = std::shared_ptr<plugin::Origin>;

  ProviderInstances(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface interface,
                    ProviderTimeouts timeouts);
  [[nodiscard]] runtime::Timers& timers() const { return provider_->runtime().timers; }
  [[nodiscard]] bool can_list() const { return table_.list != nullptr; }
  [[nodiscard]] bool can_describe() const { return table_.describe != nullptr; }
  [[nodiscard]] bool can_get() const { return table_.get != nullptr; }
  // Asks the provider for its limits, and keeps to its deadlines from then on. All 0 when it has
  // none.
  Task<Result<InstanceLimits>> limits();
  // Every instance, or a failure.
  Task<Listing> list(OriginPtr origin);
  // Instance i of the result answers queries[i], also where two of them are one instance.
  Task<Listing> describe(std::vector<InstanceQuery> queries, OriginPtr origin);
  // One instance; not_found of class not_found when it certainly does not exist.
  Task<Listing> get(InstanceQuery query, OriginPtr origin);

 private:
  [[nodiscard]] std::shared_ptr<plugin::Context> context_of(OriginPtr origin) const {
    return provider_->background()->child(std::nullopt, {}, std::move(origin));
  }

  const std::shared_ptr<plugin::LiveComponent> provider_;
  void* const self_;
  const ccm_cloud_instances table_;  // functions beyond its size are NULL
  ProviderTimeouts timeouts_;
};

// The provider's listings, one at a time: how important the running one is, whether the last one
// failed, and when the next one begins.
class ListCalls {
 public:
  // `interval`: between the starts of two listings while the cloud fails. `due` begins a listing
  // that was put off. `provider` must outlive it.
  ListCalls(ProviderInstances& provider, std::chrono::milliseconds interval,
            std::function<void()> due);
  ~ListCalls();
  ListCalls& operator=(ListCalls&&) = delete;

  [[nodiscard]] bool possible() const { return provider_.can_list(); }
  [[nodiscard]] bool running() const { return origin_ != nullptr; }
  // One runs that began then or later.
  [[nodiscard]] bool running_since(runtime::TimePoint when) const {
    return running() && *began_ >= when;
  }
  // The beginning of the running or last one; there has been one.
  [[nodiscard]] runtime::TimePoint began() const { return *began_; }
  // The next one begins then or later, and after the last one: no two begin at the same moment.
  [[nodiscard]] runtime::TimePoint next() const;
  // The last one began that long ago.
  [[nodiscard]] bool due(std::chrono::milliseconds pause) const {
    return !began_ || next() - *began_ >= pause;
  }

  // The next one; none may run. Who awaits it calls ended().
  Task<ProviderInstances::Listing> call(std::shared_ptr<plugin::Origin> origin);
  // Begins the next one `pause` after the beginning of the last one, unless an earlier one is due.
  void begin_later(std::chrono::milliseconds pause);
  // Records how the running one ended, and retries it when the fault may pass by itself. Returns
  // its origin.
  std::shared_ptr<plugin::Origin> ended(const Status& status);

  // Such a question, too, waits for the running listing: the call budget may delay the listing,
  // which is now as important as the question. `asks` may be null.
  void raise(const std::shared_ptr<plugin::Origin>& asks) {
    if (running() && asks) origin_->raise(asks->priority());
  }
  // The call budget held the last listing back, and this question is more important than those for
  // which the listing began. `asks` may be null.
  [[nodiscard]] bool held_below(const std::shared_ptr<plugin::Origin>& asks) const;

  // HTTP calls of the last one that succeeded; 0: not known.
  [[nodiscard]] std::size_t price() const { return price_; }
  // One is to begin at a later time.
  [[nodiscard]] bool scheduled() const { return timer_ != 0; }

  // The failure of the last listing that ended; ok: it did not fail, or there was none.
  [[nodiscard]] const Status& failure() const { return failure_; }
  // The beginning of the first one that failed, while failure() is not ok.
  [[nodiscard]] runtime::TimePoint failing_since() const { return failing_since_; }

 private:
  ProviderInstances& provider_;
  runtime::Timers& timers_;
  const std::chrono::milliseconds interval_;
  const std::function<void()> due_;
  std::optional<runtime::TimePoint> began_;
  std::shared_ptr<plugin::Origin> origin_;  // the running listing's
  plugin::CallPriority began_as_ = plugin::CallPriority::refresh;
  std::size_t price_ = 0;
  Status failure_;
  runtime::TimePoint failing_since_;
  runtime::Timers::Id timer_ = 0;
  runtime::TimePoint timer_due_;
};

// Questions about single instances, as calls to a provider: one get each, or one describe for all
// questions of one moment, with a bounded number of calls at once.
class SingleCalls {
 public:
  // The provider's answer as it is, and when the call began.
  struct Answered {
    InstanceAnswer answer;
    runtime::TimePoint began;
  };

  // `provider` must outlive it.
  explicit SingleCalls(ProviderInstances& provider);
  ~SingleCalls();  // open questions are never answered
  SingleCalls& operator=(SingleCalls&&) = delete;

  [[nodiscard]] bool possible() const { return provider_.can_get() || provider_.can_describe(); }
  // Instances of one call.
  [[nodiscard]] std::size_t batch() const { return provider_.can_describe() ? batch_ : 1; }
  // HTTP calls of the last one that was answered; at least 1.
  [[nodiscard]] std::size_t price() const { return price_; }
  // The provider's limits, which never raise the host's; 0: it has none.
  void set_limits(int64_t batch, int64_t parallel) {
    if (batch > 0) batch_ = std::min(batch_, static_cast<std::size_t>(batch));
    if (parallel > 0) max_parallel_ = std::min(max_parallel_, static_cast<std::size_t>(parallel));
  }
  // The call begins in the next step of the loop, together with those for other questions.
  Task<Answered> ask(InstanceQuery query);

 private:
  struct Question {
    InstanceQuery query;
    std::function<void(Answered)> done;
  };

  void pump();
  Task<void> call(std::vector<Question> questions);

  ProviderInstances& provider_;
  runtime::Timers& timers_;
  std::size_t max_parallel_ = 8;
  std::size_t batch_ = 100;  // instances of one describe
  std::deque<Question> waiting_;
  std::size_t running_ = 0;
  std::size_t price_ = 1;
  runtime::Timers::Id pump_timer_ = 0;
  Scope calls_;  // last: its coroutines use the others
};

}  // namespace ccm::cloud
