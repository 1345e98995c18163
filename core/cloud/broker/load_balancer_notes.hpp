// The cloud's last statement about each Service's load balancer, for status pages. Loop thread.
#pragma once

#include "plugin/recent_map.hpp"
#include "runtime/timers.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

struct LoadBalancerReport {
  std::string id;  // the cloud's, or else as the Service records it
  std::string name;
  LoadBalancerState state = LoadBalancerState::absent;  // absent: not told
  std::vector<std::string> addresses;                   // IPs and host names
  std::string left_alone;             // why another program manages it; empty = this one does
  std::chrono::nanoseconds since{0};  // the cloud or the provider said so
};

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

}  // namespace ccm::plugin
