// The instances of the cloud, shared by all controllers. One listing answers thousands of Nodes;
// missing answers are fetched at once for many Nodes or singly for a few; and a failure never looks
// like a vanished instance. One rule decides which answers count: an answer must have begun after
// the moment that the question names (InstanceQuery), whatever it says. Loop thread.
#pragma once

#include "cloud/broker/instance_source.hpp"
#include "cloud/broker/known_instances.hpp"
#include "cloud/broker/poll_rate.hpp"
#include "cloud/broker/single_calls.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ccm::plugin {

struct BrokerOptions {
  std::chrono::milliseconds max_age{60'000};       // of a reused answer
  std::chrono::milliseconds list_interval{5'000};  // between the starts of two listings
  std::size_t gets_before_list = 4;  // new instances asked for singly before all are listed again
  std::size_t max_parallel = 8;      // single calls at once
  std::size_t describe_batch = 100;  // instances of one describe call
  std::chrono::milliseconds doubt{600'000};  // how long a listing that shrank by half is doubted
  std::vector<std::string> provider_id_prefixes;  // empty = every provider ID is ours
};

struct BrokerStatistics {
  uint64_t hits = 0;  // answered without a call
  uint64_t listings = 0;
  uint64_t describes = 0;
  uint64_t gets = 0;
  uint64_t failures = 0;  // of any of them
};

// The answer about an instance of another provider: unimplemented/unsupported "ForeignProviderID".
Status foreign_instance(const std::string& provider_id);

class InstancesBroker {
 public:
  using AnswerDone = std::function<void(const InstanceAnswer&)>;
  using ListDone = std::function<void(Result<InstanceSnapshot::Ptr>)>;

  // `source` and `timers` must outlive it.
  InstancesBroker(InstanceSource& source, runtime::Timers& timers, BrokerOptions options);
  ~InstancesBroker();  // open questions are never answered
  InstancesBroker(const InstancesBroker&) = delete;
  InstancesBroker& operator=(const InstancesBroker&) = delete;

  // Finds one instance: by provider ID if there is one, else by its name, which must match exactly
  // one. Failures: the provider's own; unimplemented/unsupported "ForeignProviderID" for an
  // instance of another provider; unknown "AmbiguousMachine"; unknown "DoubtfulListing" when a
  // listing without it is not trusted and there is no other call to make. `done` may be called
  // inside this call.
  void find(InstanceQuery query, AnswerDone done);

  // One instance by a separate call that begins after this one, whatever is known: for a second
  // independent observation. unimplemented when the provider can only list. `done` is never called
  // inside this call unless it fails.
  void confirm(InstanceQuery query, AnswerDone done);
  [[nodiscard]] bool can_confirm() const { return singles_.possible(); }
  [[nodiscard]] bool can_list() const { return source_.can_list(); }

  // The known state of that instance is outdated; either may be empty.
  void hinted(const std::string& name, const std::string& provider_id);

  // The provider's own limits: 0 leaves the host's choice.
  void set_limits(int64_t batch, int64_t parallel) { singles_.set_limits(batch, parallel); }

  // About how many calls a listing costs.
  [[nodiscard]] std::size_t listing_calls() const;

  // The instance belongs to another provider: this provider cannot be asked about it.
  [[nodiscard]] bool foreign(std::string_view provider_id) const;

  // `fn` is called with every listing.
  void on_listing(std::function<void(const InstanceSnapshot::Ptr&)> fn) {
    on_listing_ = std::move(fn);
  }

  // `fn` is called with the first listing after failures, and with the duration of those failures.
  // Until then the listing is retried every BrokerOptions::list_interval, even when nobody waits
  // for it.
  void on_recovery(std::function<void(std::chrono::nanoseconds outage)> fn) {
    on_recovery_ = std::move(fn);
  }

  // Every instance: the last listing if it is younger than BrokerOptions::list_interval, else a new
  // one. unimplemented when the provider cannot list.
  void list(ListDone done);

  // A listing that begins after this call, for a second independent observation.
  void refresh(ListDone done);

  // The last listing and when it began; null before the first one.
  [[nodiscard]] const InstanceSnapshot::Ptr& snapshot() const { return known_.listing(); }
  [[nodiscard]] runtime::TimePoint snapshot_began() const { return known_.began(); }
  [[nodiscard]] bool doubtful() const { return known_.doubtful(); }
  [[nodiscard]] BrokerStatistics statistics() const;

 private:
  struct Question {
    InstanceQuery query;
    AnswerDone done;
    runtime::TimePoint needed;  // earlier answers do not count
    runtime::TimePoint wanted;  // a later answer is worth a call; not before `needed`
    [[nodiscard]] bool polled() const { return query.max_age > std::chrono::milliseconds(0); }
  };
  struct ListQuestion {
    uint64_t first;  // number of the first listing that answers it
    ListDone done;
  };

  [[nodiscard]] Question question_of(InstanceQuery query, AnswerDone done) const;
  bool give(const Question& question, runtime::TimePoint since);
  [[nodiscard]] bool few() const;
  void ask(Question question);
  void poll(Question question);
  void pump_polled();
  void ask_singly(Question question);
  [[nodiscard]] InstanceAnswer conclude(const InstanceQuery& query,
                                        const SingleCalls::Outcome& outcome);

  void join_listing(Question question);
  [[nodiscard]] bool raises_priority(const Question& question) const;
  void wait_for_listing(Question question);
  void begin_listing();
  void listing_ended(Result<InstanceSnapshot::Ptr> listed);
  void serve_lists(const Result<InstanceSnapshot::Ptr>& listed);
  void serve(const Status& failure, const std::shared_ptr<Origin>& origin);
  void list_later(std::chrono::milliseconds pause);
  void tell_recovery();
  [[nodiscard]] std::chrono::milliseconds pause_before(const Question& question) const;
  [[nodiscard]] std::chrono::milliseconds poll_interval() const;
  [[nodiscard]] std::chrono::milliseconds retry_pause(const Status& failure) const;
  [[nodiscard]] Status check(const InstanceSnapshot& instances, std::size_t index) const;

  InstanceSource& source_;
  runtime::Timers& timers_;
  BrokerOptions options_;
  uint64_t hits_ = 0;
  uint64_t listings_ = 0;
  uint64_t failures_ = 0;

  KnownInstances known_;
  SingleCalls singles_;
  std::size_t singles_since_listing_ = 0;

  std::unordered_map<std::string, runtime::TimePoint> hints_;  // by name or provider ID

  bool listing_ = false;
  bool second_reading_ = false;             // the running listing follows one that shifted
  std::shared_ptr<Origin> listing_origin_;  // of the running or last one
  CallPriority listing_began_as_ = CallPriority::refresh;
  std::optional<runtime::TimePoint> last_began_;
  std::optional<Status> last_failure_;
  std::optional<runtime::TimePoint> failing_since_;  // listings
  runtime::Timers::Id list_timer_ = 0;
  runtime::TimePoint list_due_;
  std::vector<Question> waiting_;  // for a listing
  std::vector<ListQuestion> list_waiting_;

  // Questions that a controller repeats while instances are in doubt.
  PollRate polls_;
  std::vector<Question> polled_;  // in this step of the loop
  runtime::Timers::Id poll_timer_ = 0;

  std::function<void(const InstanceSnapshot::Ptr&)> on_listing_;
  std::function<void(std::chrono::nanoseconds)> on_recovery_;
  std::shared_ptr<InstancesBroker*> self_;  // calls to the source hold it weakly
};

}  // namespace ccm::plugin
