// Whether the cloud works at all, by how the provider's operations end: it refuses the credential,
// does not answer, answers with errors, limits the rate of calls, or is slow; and since when. A
// failure that concerns one object only (a quota, a wrong annotation) is no fault of the cloud: it
// has answered. Loop thread.
#pragma once

#include "plugin/origin.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::cloud {

// The worst one first.
enum class CloudFault : int { credential_refused, no_answer, server_errors, rate_limited, slow };
inline constexpr CloudFault kCloudFaults[] = {CloudFault::credential_refused, CloudFault::no_answer,
                                              CloudFault::server_errors, CloudFault::rate_limited,
                                              CloudFault::slow};
// "credential-refused", ...: for metrics and JSON.
std::string_view to_string(CloudFault fault);
// The reason of an Event: "CloudCredentialRefused", ...
std::string_view event_reason(CloudFault fault);

// What a failed operation says about the cloud; nothing when it says that the cloud has answered.
// `http_status`: of the cloud's last answer; 0: none came; empty: not known.
std::optional<CloudFault> fault_of(const Status& status, std::optional<unsigned> http_status);

struct CloudTrouble {
  CloudFault fault = CloudFault::no_answer;
  unsigned http_status = 0;         // 0: there was none, or it is not known
  std::chrono::nanoseconds age{0};  // since the first failure
  std::size_t failures = 0;         // operations in a row
  std::string what;                 // "the cloud refuses the credential (401)"
  std::string text;                 // "the cloud refuses the credential since 14:03 UTC (401)"
  std::string message;              // the last failure's; empty for a slow cloud
};

class CloudHealth {
 public:
  // `timers` must outlive it.
  explicit CloudHealth(const runtime::Timers& timers) : timers_(timers) {}

  // An operation of the provider has ended: "instances.list". `answer`: the cloud's last one to it.
  void ended(std::string_view operation, const Status& status,
             const std::optional<plugin::CloudAnswer>& answer);
  // Called after each operation that changed what is wrong, or failed again.
  void on_change(std::function<void()> fn) { changed_ = std::move(fn); }

  // What is wrong now, the worst first; empty: nothing that is known.
  [[nodiscard]] std::vector<CloudTrouble> troubles() const;
  // All gets done, if late: a slow cloud is a trouble, and healthy.
  [[nodiscard]] bool healthy() const;
  // The texts of all; empty when nothing is wrong.
  [[nodiscard]] std::string text() const;

 private:
  struct Failure {
    CloudFault fault;
    unsigned http_status = 0;
    runtime::TimePoint since;
    runtime::TimePoint last;
    std::size_t count = 0;
    std::string message;
    std::chrono::nanoseconds took{0};  // the last call
  };
  // It is not, or no more, worth a word.
  [[nodiscard]] bool forgotten(const Failure& failure) const;
  // Slow calls in a row, of all parts.
  [[nodiscard]] std::size_t slow_calls() const;
  [[nodiscard]] std::string whose(CloudFault fault, runtime::TimePoint since) const;

  const runtime::Timers& timers_;
  std::function<void()> changed_;
  // By the part of the cloud: a cloud's parts (instances, load balancers) fail by themselves.
  std::map<std::string, Failure, std::less<>> failures_;
  std::map<std::string, runtime::TimePoint, std::less<>> answered_;
};

}  // namespace ccm::cloud
