// The call budget of one credential: one account, however many components share it. The cloud's
// statements about its limit decide which calls may go out. Loop thread.
#pragma once

#include "net/http_client.hpp"
#include "plugin/origin.hpp"
#include "runtime/timers.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// Retry-After in both forms (RFC 9110 10.2.3): seconds, or a date compared with `now`. nullopt for
// anything else; never negative.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text, std::chrono::system_clock::time_point now);

// The limit in an answer's headers (RateLimit-*, X-RateLimit-*). Values that are not whole numbers
// from 0 up are ignored, and times are at most an hour away.
struct RateLimitHeaders {
  std::optional<int64_t> limit;                    // never 0
  std::optional<int64_t> remaining;                // not above the limit, if there is one
  std::optional<std::chrono::milliseconds> reset;  // from `now`; in the past counts as 0
};
RateLimitHeaders parse_rate_limit(const net::Response& response,
                                  std::chrono::system_clock::time_point now);

// For pages and metrics.
struct BudgetReport {
  std::string credential;
  std::optional<int64_t> limit;                    // by the cloud's last answer
  std::optional<int64_t> remaining;                // by the last answer, less the calls under way
  std::optional<std::chrono::milliseconds> reset;  // until the window ends, while it is not over
  bool reserved = false;                           // only node initialisation and Services pass
  bool for_nodes = false;                          // only node initialisation passes
  std::chrono::milliseconds closed{0};             // the cloud asked to wait for that time
  uint64_t held = 0;                               // calls that were held back
  struct Spender {
    std::string controller;
    uint64_t last_hour = 0;
    uint64_t total = 0;
  };
  std::vector<Spender> spenders;  // sorted
};

class CallBudgets {
 public:
  explicit CallBudgets(const runtime::Timers& timers) : timers_(timers) {}

  // Whether a call may go out. 0: at once, and it counts as under way until answered(). Else how
  // long it has to wait before it may ask again: because the cloud refused (429, or no call is
  // left), which holds back all calls, or because nine tenths of the limit are spent: the rest is
  // reserved for node initialisation and new or changed Services, and the last twentieth for node
  // initialisation alone. A refusal counts for ten minutes at most, whatever the cloud says; each
  // minute one call that only `reads` goes out nevertheless, and ends it with its answer.
  std::chrono::milliseconds admit(const std::string& credential, CallPriority priority,
                                  const std::string& controller, bool reads = true);
  // Ends a call that was admitted. `response` null: no answer came.
  void answered(const std::string& credential, const net::Response* response);

  // A call was held back; counts once, however often it asks again.
  void note_held(const std::string& credential) { ++budget_of(credential).held; }

  // Half of the limit of some credential is spent, or the cloud asked to wait: whoever spends more
  // than others should wait.
  [[nodiscard]] bool scarce() const;
  // No call passes now, of any priority, but for one that reads each minute.
  [[nodiscard]] bool closed(const std::string& credential) const;
  // Why calls of that priority are held back now, for people; empty: they are not.
  [[nodiscard]] std::string obstacle(const std::string& credential, CallPriority priority) const;
  [[nodiscard]] std::vector<BudgetReport> report() const;

 private:
  using Milliseconds = std::chrono::milliseconds;
  // Calls in steps of five minutes, an hour long.
  struct Spent {
    static constexpr std::size_t kSteps = 12;
    std::array<uint32_t, kSteps> steps{};
    int64_t newest = 0;  // the number of the last step
    uint64_t total = 0;
    void forget_until(int64_t step);
    void count(int64_t step);
    [[nodiscard]] uint64_t last_hour(int64_t step) const;
  };
  struct Budget {
    std::optional<int64_t> limit;
    std::optional<int64_t> remaining;
    std::optional<runtime::TimePoint> window_ends;
    runtime::TimePoint closed_until;
    runtime::TimePoint trial_due;  // while it is closed: of the next call that tries
    bool on_trial = false;         // such a call is under way
    bool unsure = false;           // the window is over, and no answer has told of the next one
    int64_t under_way = 0;
    uint64_t held = 0;
    std::map<std::string, Spent> spent;
  };

  Budget& budget_of(const std::string& credential);
  [[nodiscard]] int64_t left(const Budget& budget) const {
    return std::max<int64_t>(*budget.remaining - budget.under_way, 0);
  }
  [[nodiscard]] bool keeps_from(const Budget& budget, CallPriority priority) const;
  void window_over(Budget& budget) const;
  Milliseconds pause_while_closed(Budget& budget, bool reads) const;
  [[nodiscard]] int64_t step_now() const;

  const runtime::Timers& timers_;
  std::map<std::string, Budget> budgets_;
};

}  // namespace ccm::plugin
