// Load balancers between the controllers and the provider. Loop thread.
#pragma once

#include "base/recent_map.hpp"
#include "cloud/broker/change_limits.hpp"
#include "cloud/broker/creation_brake.hpp"
#include "cloud/broker/key_locks.hpp"
#include "cloud/broker/load_balancer_values.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "cloud/deletion/absence_brake.hpp"
#include "plugin/live_component.hpp"
#include "runtime/timers.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::cloud {

struct LoadBalancerReport {
  std::string id;  // the cloud's, or else as the Service records it
  std::string name;
  LoadBalancerState state = LoadBalancerState::absent;  // absent: not known
  std::vector<std::string> addresses;                   // IPs and host names
  std::string left_alone;             // why another program manages it; empty = this one does
  std::chrono::nanoseconds since{0};  // the cloud or the provider said so
};

// The cloud's last statement about each Service's load balancer, for status pages.
class LoadBalancerNotes {
 public:
  static constexpr std::size_t kMost = 16'384;  // then the one with the oldest statement is dropped

  explicit LoadBalancerNotes(const runtime::Timers& timers) : timers_(timers) {}

  // The result of an operation other than the deletion. A failure changes nothing.
  void answered(const LoadBalancerService& service, const Result<LoadBalancer>& answer);
  void forget(const LoadBalancerService& service);

  // The id of the Service's load balancer by the last statement; empty when there is none.
  [[nodiscard]] std::string id_of(const LoadBalancerService& service) const;

  // `service`: "namespace/name".
  [[nodiscard]] std::optional<LoadBalancerReport> find(std::string_view service) const;

 private:
  struct Note {
    std::string uid;
    LoadBalancerReport report;
    runtime::TimePoint at;
  };

  const runtime::Timers& timers_;
  RecentMap<Note> notes_{kMost};
};

struct LoadBalancerLimitOptions {
  ChangeLimitOptions changes;
  std::function<bool()> scarce;  // whether the cloud's calls are; empty = always
  std::chrono::milliseconds replacement_window{600'000};  // CreationBrake
};

// The provider's load balancers for all controllers: every operation has a deadline and is counted,
// one runs at a time for each Service, or each lane that the provider names, and deletions pass the
// brake unless the Service itself shows that it gave its load balancer up, as does what leaves a
// load balancer without members. An operation that the
// provider never completes loses its lock after a grace period; then the cloud is observed before
// anything else is changed, and a deletion is repeated when the lost operation completes after all
// (docs/decisions/0010). A tenant's changes are limited, so that something is left for the others,
// and a Service whose load balancer is replaced again and again is held. Loop thread.
class LoadBalancersBroker {
 public:
  using Request = std::shared_ptr<const LoadBalancerRequest>;
  using Function = decltype(ccm_cloud_loadbalancers::ensure);

  struct Brakes {
    AbsenceBrake& deletions;
    AbsenceBrake& members;  // the last ones of a load balancer
  };

  // `brakes` and `registry` must outlive it.
  LoadBalancersBroker(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface interface,
                      ProviderTimeouts timeouts, Brakes brakes, prometheus::Registry& registry,
                      const LoadBalancerLimitOptions& limits);
  // The provider has the two functions without which there are no load balancers.
  [[nodiscard]] bool usable() const { return table_.ensure != nullptr && table_.remove != nullptr; }

  // The end of `context` ends each operation; one that waits for its lock learns of it then. While
  // an operation of the Service outlives its ctx inside the provider, another one is
  // unavailable/waiting "OperationNotCompleted". An `ensure` may be refused as ChangeLimits and
  // CreationBrake say; `update_backends` may not, since Nodes cause it. This object outlives them.
  Task<Result<LoadBalancer>> observe(Request request, std::shared_ptr<plugin::Context> context);
  Task<Result<LoadBalancer>> ensure(Request request, std::shared_ptr<plugin::Context> context);
  Task<Result<LoadBalancer>> update_backends(Request request,
                                             std::shared_ptr<plugin::Context> context);
  // May be refused as ChangeLimits says, but for the first removal after an `ensure`.
  Task<Status> remove(Request request, std::shared_ptr<plugin::Context> context);
  Task<Result<std::string>> name(Request request, std::shared_ptr<plugin::Context> context);
  // The lane in which the Service's operations run; empty = its own.
  Task<Result<std::string>> lane(Request request, std::shared_ptr<plugin::Context> context);
  // The provider's own; this broker keeps to it from then on.
  Task<Result<LoadBalancerLimits>> limits(std::shared_ptr<plugin::Context> context);

  // Called when the provider has done what a Service asks for.
  using Served = std::function<void(const LoadBalancerService&)>;
  void on_served(Served served) { served_ = std::move(served); }

  // The known state of the load balancer of one Service, "namespace/name".
  [[nodiscard]] std::optional<LoadBalancerReport> balancer_of(std::string_view service) const {
    return notes_.find(service);
  }
  // The changes that wait for their turn, and how many had to wait, in all.
  [[nodiscard]] ChangeLimitReport change_limits() const { return changes_.report(); }
  [[nodiscard]] uint64_t changes_held() const { return changes_.held(); }
  // Services that the creation brake keeps from another load balancer.
  [[nodiscard]] std::size_t replacements_held() const { return creations_.held(); }

 private:
  // One operation that has its lock.
  struct Running {
    Request request;
    std::shared_ptr<plugin::Context> context;
    std::string lock_key;
    KeyLocks::Lock lock;
  };
  struct Removed {
    Request request;
    std::string lock_key;
  };

  // The key of the operation's lock: the lane that the provider names, else the Service.
  Task<Result<std::string>> lock_key(Request request, std::shared_ptr<plugin::Context> context);
  Task<Result<Running>> begin(std::string key, Request request,
                              std::shared_ptr<plugin::Context> context);
  Task<Result<Running>> begin(Request request, std::shared_ptr<plugin::Context> context);
  // Changes the load balancer once it is known: at once unless its outcome is unknown, or it was
  // replaced a while ago and `function` could make another one.
  Task<Result<LoadBalancer>> change(Running& running, std::string_view operation,
                                    Function function);
  Task<Result<LoadBalancer>> call(Running& running, std::string_view operation, Function function);
  Task<Status> remove_now(Request request, std::shared_ptr<plugin::Context> context);
  // Until it is gone.
  Task<void> remove_again(std::string uid);
  template <typename T>
  Task<Result<T>> ask(std::string_view operation, Function function, Request request,
                      std::shared_ptr<plugin::Context> context, plugin::Copy<T> copy);
  [[nodiscard]] plugin::Invoke asking(Function function, Request request, bool with_backends) const;
  [[nodiscard]] std::string known_id(const LoadBalancerService& service) const;
  // Whether a change without backends may take the last members. ok: there are none, or it may.
  Status may_empty(const LoadBalancerRequest& request);
  void note_members(const LoadBalancerRequest& request, const Result<LoadBalancer>& outcome);

  const std::shared_ptr<plugin::LiveComponent> provider_;
  void* const self_;
  const ccm_cloud_loadbalancers table_;  // functions beyond its size are NULL
  ProviderTimeouts timeouts_;
  AbsenceBrake& brake_;
  AbsenceBrake& members_brake_;
  std::unordered_set<std::string> without_members_;  // UIDs, by the last change
  KeyLocks locks_;
  LoadBalancerNotes notes_;
  Served served_;
  ChangeLimits changes_;
  CreationBrake creations_;
  // By UID: what was deleted while an operation ran on without its lock.
  std::unordered_map<std::string, Removed> removed_;
  Scope running_;  // last: its coroutines use the others
};

}  // namespace ccm::cloud
