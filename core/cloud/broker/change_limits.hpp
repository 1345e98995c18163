// How often Services may change their load balancers: what one tenant spends of the cloud's calls
// is bounded, so that something is left for the others. A Service that has nothing left is told
// when its turn comes, and keeps that place. Buckets live in memory, and no longer than until they
// are full again. Loop thread.
//
// Each Service has a bucket of changes. Each namespace has one above those, which counts while the
// cloud's calls are scarce: as long as there are plenty a thousand Services may be rolled out at
// once, and whoever did that comes last when there are not. Removals count there as well, unless
// the cloud has shown the load balancer: a finalizer on ever new Services is a question each.
//
// A change is an `ensure` whose request differs from the last one that was let through. Free of
// charge are questions about a change on its way, repairs of a request that succeeded before, and
// whatever Nodes cause. A failed request that is sent again counts for the namespace: the queue's
// back-off spaces those of one Service, and of a thousand nothing does.
//
// A change of many ports takes many calls, so it weighs more: it counts once more for each 50 calls
// beyond the first 50 that were made for it. That is known afterwards, and the next change waits
// for it. Questions that change nothing in the cloud weigh nothing: how long it works is not the
// tenant's doing.
#pragma once

#include "runtime/timers.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace ccm::cloud {

struct ChangeLimitOptions {
  // So many changes at once, then one in each period. `burst` 0: no limit.
  struct Bucket {
    int32_t burst = 0;
    std::chrono::milliseconds period{0};
  };
  Bucket service{10, std::chrono::seconds(30)};
  Bucket of_namespace{100, std::chrono::seconds(5)};
};

// For pages and metrics.
struct ChangeLimitReport {
  std::size_t waiting_for_service = 0;  // changes and removals for which the own bucket is empty
  std::size_t waiting_for_namespace = 0;
};

class ChangeLimits {
 public:
  // `scarce`: whether the cloud's calls are scarce now; empty = always.
  ChangeLimits(const runtime::Timers& timers, ChangeLimitOptions options,
               std::function<bool()> scarce = {})
      : timers_(timers), options_(countable(options)), scarce_(std::move(scarce)) {}

  // The annotation in which the provider's ids are recorded: the manager writes it, too.
  void set_id_annotation(std::string name) { id_annotation_ = std::move(name); }

  // Whether the Service's request may go out now. Else unavailable/waiting "ChangesLimited" with
  // the time after which to ask again; nothing is gained or lost by asking earlier.
  Status admit(const LoadBalancerService& service);
  // How an `ensure` that was let through has ended, and how many calls of the cloud it took.
  void ended(const std::string& uid, const Result<LoadBalancer>& outcome, std::size_t calls);
  // Whether its load balancer may be removed now; a failure as of admit(). The first removal after
  // a request that was let through waits for nothing, nor do questions about one on its way.
  // `there`: the cloud has shown it.
  Status admit_removal(const LoadBalancerService& service, bool there);
  void ended_removal(const std::string& uid, const Status& outcome);
  // The Service has no load balancer any more; its bucket stays until it is full.
  void removed(const std::string& uid);

  // The changes that wait now.
  [[nodiscard]] ChangeLimitReport report() const;
  // Changes and removals that had to wait, in all.
  [[nodiscard]] uint64_t held() const { return held_; }
  // Buckets in memory.
  [[nodiscard]] std::size_t size() const { return services_.size() + namespaces_.size(); }

 private:
  using TimePoint = runtime::TimePoint;
  enum class Last : uint8_t { none, under_way, done, failed };
  // Which buckets bear what the last request that was let through weighs.
  enum class Bears : uint8_t { none, of_namespace, both };
  // When a change that waits may be made: not before each of these.
  struct Reservation {
    TimePoint own;
    TimePoint of_namespace;
  };
  struct Entry {
    std::string namespace_name;
    TimePoint full;        // when the Service's bucket is full again
    TimePoint touched;     // the last request
    std::string content;   // the last request that was let through
    std::string id;        // the load balancer's, by the last answer
    std::string asked_id;  // the one that the last request had, whosever it was
    Last last = Last::none;
    Bears bears = Bears::none;
    std::size_t calls = 0;  // that were made for it
    std::optional<Reservation> reservation;
    std::optional<Reservation> removal;  // one that waits
    bool may_go = false;                 // a request was let through since the last removal
    bool goes = false;                   // a removal is on its way
  };

  // Periods of a day at most, and bursts that last for ten years: more could not be counted.
  static ChangeLimitOptions countable(ChangeLimitOptions options);
  [[nodiscard]] std::string content_of(const LoadBalancerService& service) const;
  [[nodiscard]] static bool is_same(const Entry& entry, const LoadBalancerService& service,
                                    const std::string& content);
  [[nodiscard]] bool scarce() const { return !scarce_ || scarce_(); }
  [[nodiscard]] Reservation take(const LoadBalancerService& service, Entry& entry, bool again,
                                 TimePoint now);
  [[nodiscard]] bool waits(const Reservation& reservation, TimePoint now) const {
    return reservation.own > now || (reservation.of_namespace > now && scarce());
  }
  void weigh(Entry& entry, std::size_t calls);
  [[nodiscard]] Status refusal(const Entry& entry, TimePoint now) const;
  [[nodiscard]] Status removal_refusal(const Entry& entry, TimePoint now) const;
  [[nodiscard]] static Status not_before(std::string text, const Reservation& reservation,
                                         TimePoint now);
  void give_place_back(const Entry& entry, const std::optional<Reservation>& reservation);
  [[nodiscard]] bool idle(const Entry& entry) const;
  void prune();

  const runtime::Timers& timers_;
  const ChangeLimitOptions options_;
  const std::function<bool()> scarce_;
  std::string id_annotation_ = "cloud-controller-manager/load-balancer-id";
  std::unordered_map<std::string, Entry> services_;        // by UID
  std::unordered_map<std::string, TimePoint> namespaces_;  // when each one's bucket is full again
  std::size_t prune_at_ = 64;
  TimePoint pruned_;
  uint64_t held_ = 0;
};

}  // namespace ccm::cloud
