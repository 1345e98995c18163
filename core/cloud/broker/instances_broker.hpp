// The instances of the cloud, shared by all controllers. One listing answers thousands of Nodes;
// missing answers are fetched at once for many Nodes or singly for a few; and a failure never looks
// like a vanished instance. One rule decides which answers count: an answer must have begun after
// the moment that the question names (InstanceQuery), whatever it says. Loop thread.
#pragma once

#include "cloud/broker/instance_calls.hpp"
#include "cloud/broker/known_instances.hpp"
#include "cloud/broker/lookalikes.hpp"
#include "runtime/timers.hpp"

#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::cloud {

struct BrokerOptions {
  std::chrono::milliseconds max_age{60'000};       // an answer that is reused
  std::chrono::milliseconds list_interval{5'000};  // between the starts of two listings
  std::vector<std::string> provider_id_prefixes;   // empty = every provider ID is ours
};

// The answer about an instance of another provider: unimplemented/unsupported "ForeignProviderID".
Status foreign_instance(const std::string& provider_id);

class InstancesBroker {
 public:
  using Listing = ProviderInstances::Listing;

  InstancesBroker(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface interface,
                  ProviderTimeouts timeouts, BrokerOptions options);
  // Open questions are never answered: it outlives who asks.
  ~InstancesBroker();
  InstancesBroker& operator=(InstancesBroker&&) = delete;

  // The provider has at least one of the three functions.
  [[nodiscard]] bool usable() const { return can_list() || can_confirm(); }

  // Finds one instance: by provider ID if there is one, else by its name, which must match exactly
  // one. Failures: the provider's own; unimplemented/unsupported "ForeignProviderID" for an
  // instance of another provider; unknown "AmbiguousInstance"; unknown "DoubtfulListing" when a
  // listing without it is not trusted and there is no other call to make.
  Task<InstanceAnswer> find(InstanceQuery query);

  // One instance by a separate call that begins after this one, whatever is known: for a second
  // independent observation. unimplemented when the provider can only list.
  Task<InstanceAnswer> confirm(InstanceQuery query);
  [[nodiscard]] bool can_confirm() const { return singles_.possible(); }
  [[nodiscard]] bool can_list() const { return lists_.possible(); }

  // The known state of that instance is outdated; either may be empty.
  void hinted(const std::string& name, const std::string& provider_id) {
    known_.outdated(name, provider_id, timers_.now());
  }

  // For people, of an answer that has no instance: what was looked for, and which one resembles it.
  std::string absence_text(const InstanceQuery& query);

  // The provider's own; this broker keeps to it from then on.
  Task<Status> limits();

  // The instance's own provider ID, as far as the last listing tells; else the given one.
  [[nodiscard]] std::string own_id(const std::string& provider_id) const {
    return known_.own_id(provider_id);
  }

  // For how long nothing has been concluded from what listings lack; nothing: it is concluded.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> suspect_for() const {
    const auto since = known_.suspect_since();
    if (!since) return std::nullopt;
    return timers_.now() - *since;
  }

  // How many calls a listing costs: the last one's, or about that.
  [[nodiscard]] std::size_t listing_calls() const;

  // The instance belongs to another provider: this provider cannot be asked about it.
  [[nodiscard]] bool foreign(std::string_view provider_id) const;

  // `fn` is called with every listing.
  void on_listing(std::function<void(const InstanceSnapshot::Ptr&)> fn) {
    on_listing_ = std::move(fn);
  }

  // `fn` is called with every question about one instance that a look-up of the cloud found.
  using FoundFn = std::function<void(const InstanceQuery&, const InstanceAnswer&)>;
  void on_found(FoundFn fn) { on_found_ = std::move(fn); }

  // `fn` is called with the first listing after failures, and with the duration of those failures.
  // Until then the listing is retried every BrokerOptions::list_interval, even when nobody waits
  // for it.
  void on_recovery(std::function<void(std::chrono::nanoseconds outage)> fn) {
    on_recovery_ = std::move(fn);
  }

  // Every instance: the last listing if it is younger than BrokerOptions::list_interval, else a new
  // one. unimplemented when the provider cannot list.
  // A running listing will do, however long it takes.
  Task<Listing> list() {
    return find_all(lists_.running() ? lists_.began() : timers_.now() - options_.list_interval);
  }

  // A listing that begins after this call, for a second independent observation.
  Task<Listing> refresh() { return find_all(lists_.next()); }

 private:
  // About one instance, or about all of them: then the answer is the listing.
  struct Question {
    InstanceQuery query;
    runtime::TimePoint needed;  // earlier answers do not count
    runtime::TimePoint wanted;  // a later answer is worth a call; not before `needed`
    bool all = false;
    // For a repeated question: the share of the budget that it leaves for more urgent ones.
    double reserve = 0;
    [[nodiscard]] bool polled() const { return query.max_age > std::chrono::milliseconds(0); }
  };
  // The way to an answer: what is known already, a call for this instance, or a listing.
  enum class Way { known, single, listing };
  // How the listing ended that a question waited for.
  struct ListingEnd {
    Status status;
    runtime::TimePoint began;
  };
  // A question with what goes on when its way is chosen, or when the listing has ended.
  template <typename T>
  struct Waiting : Question {
    std::function<void(T)> go_on;
  };

  [[nodiscard]] Question question_of(InstanceQuery query) const;
  Task<Listing> find_all(runtime::TimePoint needed);
  [[nodiscard]] std::optional<InstanceAnswer> known_answer(const Question& question,
                                                           runtime::TimePoint since) const;
  [[nodiscard]] bool few() const;
  Task<InstanceAnswer> ask(Question question);
  Task<Way> choose(const Question& question);
  void choose_polled();
  Way choose_polled(const Question& question, std::size_t& singles);
  [[nodiscard]] bool lists_cheaper(const Question& question) const;
  Task<InstanceAnswer> ask_singly(InstanceQuery query);
  [[nodiscard]] InstanceAnswer conclude(const InstanceQuery& query, InstanceAnswer answer,
                                        runtime::TimePoint began);

  Task<ListingEnd> next_listing(const Question& question);
  void begin_listing();
  Task<void> list_all(std::shared_ptr<plugin::Origin> origin) {
    listing_ended(co_await lists_.call(std::move(origin)));
  }
  void listing_ended(Listing listed);
  [[nodiscard]] std::chrono::milliseconds pause_before(const Question& question) const;
  [[nodiscard]] std::chrono::milliseconds poll_interval() const;
  [[nodiscard]] Status check(const InstanceSnapshot& instances, std::size_t index) const;

  ProviderInstances provider_;
  runtime::Timers& timers_;
  const BrokerOptions options_;
  KnownInstances known_;
  ListCalls lists_;
  SingleCalls singles_;
  Lookalikes lookalikes_;
  std::size_t singles_since_listing_ = 0;
  bool second_reading_ = false;  // the running listing follows one that shifted
  std::vector<Waiting<ListingEnd>> waiting_;
  std::vector<Waiting<Way>> undecided_;  // until the end of this step
  PollRate quick_polls_;                 // wanted young
  PollRate slow_polls_;
  PollBudget poll_budget_;
  runtime::Timers::Id poll_timer_ = 0;
  std::function<void(const InstanceSnapshot::Ptr&)> on_listing_;
  FoundFn on_found_;
  std::function<void(std::chrono::nanoseconds)> on_recovery_;
  Scope listings_;  // last: its coroutines use the others
};

}  // namespace ccm::cloud
