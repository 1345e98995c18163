#pragma once

#include "api/request_info.hpp"

#include <chrono>
#include <map>
#include <optional>

namespace sandbox {

// Faults that the administrator has asked for.
class Faults {
 public:
  // `rules`: one rule or a list of {"latency_ms","status","retry_after_s","verb","resource",
  // "count"}. Throws ApiError 400 if it is something else.
  void set_rules(const Json& rules);
  void clear() { rules_.clear(); }
  Json describe() const;

  struct Effect {
    std::chrono::milliseconds latency{0};
    std::optional<ApiError> error;
  };
  // The effect of the first matching rules on this request; uses up their counts.
  Effect apply(const RequestInfo& info);

 private:
  struct Rule {
    std::string verb = "*";
    std::string resource = "*";
    int latency_ms = 0;
    int status = 0;
    int retry_after_s = -1;
    long long count = -1;  // calls left; -1 = until replaced
  };
  static Rule parse(const Json& json);
  std::vector<Rule> rules_;
};

// Requests by verb, resource and user agent.
class RequestCounters {
 public:
  void count(const std::string& verb, const std::string& resource, const std::string& user_agent,
             int status);
  void reset() { *this = RequestCounters(); }
  Json describe() const;

 private:
  long long total_ = 0;
  std::map<std::string, long long> by_verb_, by_resource_, by_user_agent_, by_status_;
  std::map<std::string, std::map<std::string, long long>> by_resource_and_verb_;
};

}  // namespace sandbox
