// The brake on creations: a Service whose load balancer was replaced by another one a while ago
// gets no third one. A provider that does not find what it has made would make one with each
// attempt, and the account pays for all of them. One replacement is allowed, since somebody may
// have deleted the load balancer; the next is held until the first is old, or an annotation on the
// Service permits it. Loop thread.
#pragma once

#include "base/metric_families.hpp"
#include "runtime/timers.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::cloud {

class CreationBrake {
 public:
  // On a Service, with the id of the load balancer that may be replaced. It permits one
  // replacement: afterwards the id is another one.
  static constexpr const char* kAllowAnnotation = "cloud-controller-manager/allow-replacement";

  // `registry` must outlive it. `window` 0: nothing is held.
  CreationBrake(const runtime::Timers& timers, prometheus::Registry& registry,
                std::chrono::milliseconds window);

  enum class Verdict {
    go,    // nothing is known against it
    look,  // it was replaced once: only if the cloud shows that it has one
    hold,  // it was replaced twice
  };
  [[nodiscard]] Verdict judge(const LoadBalancerService& service) const;
  // Why an `ensure` is not made, failed_precondition/waiting "ReplacementHeld", with the time until
  // judge() says something else.
  Status held(const LoadBalancerService& service);

  // An `ensure` has ended. `before` is the id that the Service's load balancer had.
  void answered(const LoadBalancerService& service, const std::string& before,
                const Result<LoadBalancer>& outcome);
  // The id of a load balancer that a failed operation made; empty when none is known.
  [[nodiscard]] std::string made_by_failure(const std::string& uid) const;
  // Services that get no other load balancer for now.
  [[nodiscard]] std::size_t held() const;
  // The Service has no load balancer any more. `existed`: it had one.
  void removed(const LoadBalancerService& service, bool existed);

 private:
  using TimePoint = runtime::TimePoint;
  struct Entry {
    std::string id;                   // by the last answer
    std::vector<TimePoint> replaced;  // the last two times, the older one first
    TimePoint touched;
    bool held = false;
  };

  [[nodiscard]] std::size_t recent(const Entry& entry) const;
  void count(const std::string& namespace_name, const char* event);
  void tell_held();
  void prune();

  const runtime::Timers& timers_;
  const std::chrono::milliseconds window_;
  metrics::Counters& lifecycle_;
  prometheus::Gauge& held_;
  std::unordered_set<std::string> namespaces_;  // with a series of their own
  // By UID: Services whose load balancer was replaced, or was made by an operation that failed.
  std::unordered_map<std::string, Entry> services_;
  std::size_t prune_at_ = 64;
  TimePoint pruned_;
};

}  // namespace ccm::cloud
