// The instances of the cloud, shared by all controllers: one listing answers thousands of Nodes;
// what it does not know is asked again, at once for many or singly for few; and a failure never
// looks like a vanished machine. Loop thread.
#pragma once

#include "plugin/broker/instance_snapshot.hpp"
#include "plugin/broker/machine_source.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ccm::plugin {

struct BrokerOptions {
  std::chrono::milliseconds max_age{60'000};       // of an answer that is given again
  std::chrono::milliseconds list_interval{5'000};  // between the starts of two listings
  std::size_t gets_before_list = 4;  // new machines asked for singly before all are listed again
  std::size_t max_parallel = 8;      // single calls at once
  std::size_t describe_batch = 100;  // machines of one describe call
  std::chrono::milliseconds doubt{600'000};  // how long a listing that shrank by half is doubted
  std::vector<std::string> provider_id_prefixes;  // empty = every provider ID is ours
  std::function<std::chrono::system_clock::time_point()> wall_clock;  // empty = the real one
};

// What is known of one machine. `status` not ok: nothing, for that reason. Else `snapshot` holds it
// at `index`, or is null: the machine is absent.
struct MachineAnswer {
  Status status;
  InstanceSnapshot::Ptr snapshot;
  std::size_t index = 0;

  // CCM_INSTANCE_*
  [[nodiscard]] int32_t state() const;
};

struct BrokerStatistics {
  uint64_t hits = 0;  // answered without a call
  uint64_t listings = 0;
  uint64_t describes = 0;
  uint64_t gets = 0;
  uint64_t failures = 0;  // of any of them
};

class InstancesBroker {
 public:
  using AnswerDone = std::function<void(const MachineAnswer&)>;
  using ListDone = std::function<void(Result<InstanceSnapshot::Ptr>)>;

  // `source` and `timers` must outlive it.
  InstancesBroker(MachineSource& source, runtime::Timers& timers, BrokerOptions options);
  ~InstancesBroker();  // who waits hears nothing more
  InstancesBroker(const InstancesBroker&) = delete;
  InstancesBroker& operator=(const InstancesBroker&) = delete;

  // Finds one machine: by provider ID if there is one, else by its name, which must fit exactly
  // one. Failures: the provider's own; unimplemented/unsupported "ForeignProviderID" for a machine
  // of another provider; unknown "AmbiguousMachine"; unknown "DoubtfulListing" when a listing
  // without it is not trusted and nothing else can be asked. `done` may be called inside this call.
  void find(MachineQuery query, AnswerDone done);

  // One machine by a call of its own that begins after this one, whatever is known: for a second
  // independent look. unimplemented when the provider can only list. `done` is never called inside
  // this call unless it fails.
  void confirm(MachineQuery query, AnswerDone done);
  [[nodiscard]] bool can_confirm() const { return source_.can_get() || source_.can_describe(); }
  [[nodiscard]] bool can_list() const { return source_.can_list(); }

  // About how many calls a listing costs.
  [[nodiscard]] std::size_t listing_calls() const;

  // The machine belongs to another provider: nothing of it can be asked here.
  [[nodiscard]] bool foreign(const std::string& provider_id) const;

  // `fn` hears of every complete listing.
  void on_listing(std::function<void(const InstanceSnapshot::Ptr&)> fn) {
    on_listing_ = std::move(fn);
  }

  // Every machine: the last listing if it is younger than BrokerOptions::list_interval, else a new
  // one. unimplemented when the provider cannot list.
  void list(ListDone done);

  // A listing that begins after this call, for a second independent look.
  void refresh(ListDone done);

  // The last complete listing and when it began; null before the first one.
  [[nodiscard]] const InstanceSnapshot::Ptr& snapshot() const { return snapshot_; }
  [[nodiscard]] runtime::TimePoint snapshot_began() const { return snapshot_began_; }
  // The last listing was empty, or held less than half of the machines of the one before: nothing
  // is concluded from a machine's absence.
  [[nodiscard]] bool doubtful() const { return doubtful_; }
  [[nodiscard]] const BrokerStatistics& statistics() const { return statistics_; }

 private:
  struct Waiter {
    MachineQuery query;
    AnswerDone done;
    runtime::TimePoint asked;
  };
  struct Recent {  // an answer to a single call
    InstanceSnapshot::Ptr snapshot;
    std::size_t index;
    runtime::TimePoint at;
  };

  [[nodiscard]] std::chrono::milliseconds limit(const MachineQuery& query) const;
  [[nodiscard]] bool fresh(const MachineQuery& query) const;
  [[nodiscard]] bool predates_snapshot(const MachineQuery& query) const;
  [[nodiscard]] std::optional<MachineAnswer> look_up(const MachineQuery& query) const;
  [[nodiscard]] std::optional<MachineAnswer> look_up_recent(const MachineQuery& query) const;
  void ask(Waiter waiter);
  void ask_listing(Waiter waiter);
  void count_poll(std::chrono::milliseconds period);
  void poll(Waiter waiter);
  void pump_polled();
  bool answer_older(const Waiter& waiter);
  void absent(Waiter waiter);
  void join_listing(Waiter waiter);
  [[nodiscard]] bool begins_anew(const Waiter& waiter) const;

  void begin_listing();
  void listing_ended(const Result<InstanceSnapshot::Ptr>& listed);
  void accept(InstanceSnapshot::Ptr listed);
  void serve_waiters(const Status& failure);
  void list_later(std::chrono::milliseconds pause);
  [[nodiscard]] std::chrono::milliseconds poll_interval() const;

  void ask_singly(Waiter waiter);
  void pump_single();
  void call_get(Waiter waiter);
  void call_describe(std::vector<Waiter> waiters);
  void single_ended(const Waiter& waiter, const Status& status,
                    const InstanceSnapshot::Ptr& described, std::size_t index);

  MachineSource& source_;
  runtime::Timers& timers_;
  BrokerOptions options_;
  BrokerStatistics statistics_;

  InstanceSnapshot::Ptr snapshot_;
  runtime::TimePoint snapshot_began_;
  std::chrono::system_clock::time_point snapshot_wall_;
  bool doubtful_ = false;
  std::size_t trusted_size_ = 0;
  std::optional<runtime::TimePoint> doubted_since_;

  bool listing_ = false;
  std::shared_ptr<Origin> listing_origin_;  // of the running or last one
  CallPriority listing_began_as_ = CallPriority::refresh;
  std::optional<runtime::TimePoint> last_began_;
  std::chrono::system_clock::time_point last_wall_;
  std::optional<Status> last_failure_;
  runtime::Timers::Id list_timer_ = 0;
  std::vector<Waiter> waiters_;
  std::vector<ListDone> list_waiters_;
  std::vector<ListDone> refresh_waiters_;  // of the listing after the running one

  // Who looks after machines in doubt asks again and again: how often within its period, and within
  // the one before.
  runtime::TimePoint polls_began_;
  std::size_t polls_ = 0;
  std::size_t polls_before_ = 0;
  std::vector<Waiter> polled_;  // asked with an age limit in this turn of the loop
  std::deque<Waiter> single_;
  std::size_t single_running_ = 0;
  runtime::Timers::Id pump_timer_ = 0;
  std::size_t gets_since_listing_ = 0;
  std::unordered_map<std::string, Recent> recent_;
  std::size_t prune_recent_at_ = 64;
  std::function<void(const InstanceSnapshot::Ptr&)> on_listing_;
  std::shared_ptr<InstancesBroker*> self_;  // calls to the source hold it weakly
};

}  // namespace ccm::plugin
