#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace sandbox::cloud {

// One set of faults, as PUT /control/faults describes it.
struct CloudFaults {
  int latency_ms = 0;
  // error empty half hang garbage, duplicate: each machine stands twice, gap: the last one is
  // counted but not listed.
  std::string list;
  std::string get;  // error not_found hang garbage
  // By operation ("CreateLoadBalancer"): error hang garbage lost (done, but answered with 504)
  // nothing (answered as if it had been done).
  std::map<std::string, std::string> operations;
  int status = 503;  // of "error"
  int retry_after_s = -1;
  int rate_limit = 0;    // calls per hour; 0 = the default, which no one reaches
  long long count = -1;  // calls that the fault still lasts; -1 = until replaced

  // Throws std::invalid_argument naming the wrong member.
  static CloudFaults parse(const nlohmann::json& json);
  nlohmann::json describe() const;

  bool active() const { return count != 0; }
  // One call has met the faults.
  void use();
};

// The provider's call quota per hour; beyond it, 429.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  void set_limit(int calls_per_hour);
  // False: the call is over the quota.
  bool take(Clock::time_point now);
  int limit() const { return limit_; }
  int remaining() const { return limit_ - used_; }
  // Seconds until the quota starts again.
  long long reset_after(Clock::time_point now) const;

 private:
  static constexpr int kDefault = 1000000;
  int limit_ = kDefault;
  int used_ = 0;
  Clock::time_point window_start_{};
};

}  // namespace sandbox::cloud
