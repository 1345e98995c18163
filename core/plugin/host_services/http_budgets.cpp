#include "plugin/host_services/http_budgets.hpp"

#include <ccm/http_date.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;
using std::chrono::system_clock;

namespace {

// No header keeps calls for those of higher priorities for longer.
constexpr std::chrono::seconds kLongestReset{3600};
// Nor may any stop all calls for longer than that, or all reads for longer than this: a wrong
// header would stop new Nodes, too.
constexpr std::chrono::minutes kLongestClosed{10};
constexpr std::chrono::minutes kTrialPause{1};
// How long a limit is believed when the cloud does not say when it ends.
constexpr std::chrono::seconds kDefaultWindow{60};
// Between two checks of callers that wait for the first answer of a new window.
constexpr milliseconds kUnsurePause{250};
constexpr std::chrono::minutes kStep{5};
// Names come from plugins: as many budgets as there are accounts, and not one for each call.
constexpr std::size_t kMostCredentials = 32;
constexpr std::size_t kMostSpenders = 64;
constexpr const char* kOthers = "others";

// The first number of "5000" or "100, 100;w=60".
std::optional<int64_t> parse_number(std::string_view text) {
  text = text.substr(0, text.find_first_of(",;"));
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::string_view header_of(const net::Response& response, const char* name, const char* other) {
  const std::string_view text = response.header(name);
  return text.empty() ? response.header(other) : text;
}

// Seconds until the window ends; large values are a time since 1970, larger ones in milliseconds.
std::optional<milliseconds> parse_reset(std::string_view text, system_clock::time_point now) {
  constexpr int64_t kEpochForm = 1'000'000'000;
  constexpr int64_t kMillisecondsForm = 1'000'000'000'000;
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  int64_t seconds = *number;
  if (seconds >= kMillisecondsForm) seconds /= 1000;
  if (seconds >= kEpochForm) {
    seconds -= std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  }
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kLongestReset.count()));
}

// The last calls of a limit, reserved for urgent requests.
int64_t reserve_of(int64_t limit) { return limit / 10 + (limit % 10 != 0 ? 1 : 0); }

// How many calls of the limit are kept for those of higher priorities. Services do not get the last
// half of the reserve: whoever may write Services must not keep new Nodes out.
int64_t kept_from(CallPriority priority, int64_t limit) {
  switch (priority) {
    case CallPriority::node_init:
      return 0;
    case CallPriority::load_balancers:
      return limit / 20;
    case CallPriority::routes:
    case CallPriority::backends:
    case CallPriority::refresh:
      break;
  }
  return reserve_of(limit);
}

}  // namespace

std::optional<milliseconds> parse_retry_after(std::string_view text, system_clock::time_point now) {
  constexpr std::chrono::hours kYear{365 * 24};
  const std::chrono::seconds whole(system_clock::to_time_t(now));
  return ccm::parse_retry_after(text, whole, kYear);
}

RateLimitHeaders parse_rate_limit(const net::Response& response, system_clock::time_point now) {
  RateLimitHeaders headers;
  headers.limit = parse_number(header_of(response, "ratelimit-limit", "x-ratelimit-limit"));
  if (headers.limit == 0) headers.limit.reset();
  headers.remaining =
      parse_number(header_of(response, "ratelimit-remaining", "x-ratelimit-remaining"));
  if (headers.remaining && headers.limit)
    headers.remaining = std::min(*headers.remaining, *headers.limit);
  headers.reset = parse_reset(header_of(response, "ratelimit-reset", "x-ratelimit-reset"), now);
  return headers;
}

void CallBudgets::Spent::forget_until(int64_t step) {
  const int64_t first = std::max(newest + 1, step - static_cast<int64_t>(kSteps) + 1);
  for (int64_t old = first; old <= step; ++old) steps[static_cast<std::size_t>(old) % kSteps] = 0;
  newest = std::max(newest, step);
}

void CallBudgets::Spent::count(int64_t step) {
  forget_until(step);
  ++steps[static_cast<std::size_t>(step) % kSteps];
  ++total;
}

uint64_t CallBudgets::Spent::last_hour(int64_t step) const {
  Spent now = *this;
  now.forget_until(step);
  uint64_t sum = 0;
  for (const uint32_t count : now.steps) sum += count;
  return sum;
}

int64_t CallBudgets::step_now() const { return timers_.now().time_since_epoch() / kStep; }

CallBudgets::Budget& CallBudgets::budget_of(const std::string& credential) {
  const auto place = budgets_.find(credential);
  if (place != budgets_.end()) return place->second;
  return budgets_[budgets_.size() < kMostCredentials ? credential : kOthers];
}

bool CallBudgets::keeps_from(const Budget& budget, CallPriority priority) const {
  if (priority == CallPriority::node_init) return false;
  return budget.limit && budget.remaining && budget.window_ends &&
         *budget.window_ends > timers_.now() && left(budget) <= kept_from(priority, *budget.limit);
}

// Only an answer can tell what the next window holds: one of the waiting calls goes first.
void CallBudgets::window_over(Budget& budget) const {
  if (!budget.window_ends || *budget.window_ends > timers_.now()) return;
  const bool low = budget.limit && budget.remaining && left(budget) <= reserve_of(*budget.limit);
  budget.unsure = budget.unsure || low;
  budget.window_ends.reset();
  budget.remaining.reset();
}

// Whether the cloud means what it said.
milliseconds CallBudgets::pause_while_closed(Budget& budget, bool reads) const {
  const auto now = timers_.now();
  if (reads && budget.trial_due <= now) {
    budget.trial_due = now + kTrialPause;
    budget.on_trial = true;
    return milliseconds(0);
  }
  const auto opens = std::min(budget.closed_until, budget.trial_due);
  return std::max(std::chrono::ceil<milliseconds>(opens - now), kUnsurePause);
}

milliseconds CallBudgets::admit(const std::string& credential, CallPriority priority,
                                const std::string& controller, bool reads) {
  Budget& budget = budget_of(credential);
  const auto now = timers_.now();
  milliseconds pause(0);
  if (budget.closed_until > now) {
    pause = pause_while_closed(budget, reads);
  } else {
    const bool kept = keeps_from(budget, priority);
    window_over(budget);
    if (kept) {
      pause = std::chrono::ceil<milliseconds>(*budget.window_ends - now);
    } else if (priority != CallPriority::node_init && budget.unsure && budget.under_way > 0) {
      pause = kUnsurePause;
    }
  }
  if (pause > milliseconds(0)) return pause;
  ++budget.under_way;
  const bool known = budget.spent.count(controller) > 0 || budget.spent.size() < kMostSpenders;
  budget.spent[known ? controller : kOthers].count(step_now());
  return pause;
}

void CallBudgets::answered(const std::string& credential, const net::Response* response) {
  Budget& budget = budget_of(credential);
  budget.under_way = std::max<int64_t>(budget.under_way - 1, 0);
  const bool on_trial = std::exchange(budget.on_trial, false);
  if (response == nullptr) return;
  budget.unsure = false;
  const auto wall = system_clock::now();
  const auto now = timers_.now();
  const RateLimitHeaders headers = parse_rate_limit(*response, wall);
  if (headers.limit) budget.limit = headers.limit;
  if (headers.remaining) {
    budget.remaining = headers.remaining;
    if (!headers.limit && budget.limit) budget.limit = std::max(*budget.limit, *headers.remaining);
    budget.window_ends = now + headers.reset.value_or(kDefaultWindow);
  }
  std::optional<milliseconds> pause;
  if (response->status == 429) {
    pause = parse_retry_after(response->header("retry-after"), wall);
    if (!pause) pause = headers.reset;
  } else if (headers.remaining == 0) {
    pause = headers.reset;
  }
  if (on_trial && response->status != 429) budget.closed_until = now;
  if (!pause || *pause <= milliseconds(0)) return;
  if (budget.closed_until <= now) budget.trial_due = now + kTrialPause;
  const auto closed = std::min<milliseconds>(*pause, kLongestClosed);
  budget.closed_until = std::max(budget.closed_until, now + closed);
  const auto until = now + std::min<milliseconds>(*pause, kLongestReset);
  // Then there are calls again, whatever time its count of none was for.
  if (budget.remaining == 0 && budget.window_ends) {
    budget.window_ends = std::min(*budget.window_ends, until);
  }
}

bool CallBudgets::scarce() const {
  const auto now = timers_.now();
  return std::any_of(budgets_.begin(), budgets_.end(), [&](const auto& entry) {
    const Budget& budget = entry.second;
    if (budget.closed_until > now) return true;
    const bool reported = budget.limit && budget.remaining && budget.window_ends;
    return reported && *budget.window_ends > now && left(budget) <= *budget.limit / 2;
  });
}

bool CallBudgets::closed(const std::string& credential) const {
  const auto place = budgets_.find(credential);
  return place != budgets_.end() && place->second.closed_until > timers_.now();
}

std::string CallBudgets::obstacle(const std::string& credential, CallPriority priority) const {
  if (closed(credential)) return "the cloud asked to wait before the next call";
  const auto place = budgets_.find(credential);
  if (place == budgets_.end()) return {};
  const Budget& budget = place->second;
  if (!keeps_from(budget, priority)) return {};
  std::string text = "only ";
  text += std::to_string(left(budget)) + " of " + std::to_string(*budget.limit) +
          " calls of the cloud's limit are left, and they are kept for new Nodes";
  if (priority != CallPriority::load_balancers) text += " and Services";
  return text;
}

std::vector<BudgetReport> CallBudgets::report() const {
  std::vector<BudgetReport> reports;
  const auto now = timers_.now();
  for (const auto& [credential, budget] : budgets_) {
    BudgetReport report;
    report.credential = credential;
    report.limit = budget.limit;
    if (budget.remaining) report.remaining = left(budget);
    if (budget.window_ends && *budget.window_ends > now) {
      report.reset = std::chrono::ceil<milliseconds>(*budget.window_ends - now);
    }
    report.reserved = keeps_from(budget, CallPriority::refresh);
    report.for_nodes = keeps_from(budget, CallPriority::load_balancers);
    if (budget.closed_until > now) {
      report.closed = std::chrono::ceil<milliseconds>(budget.closed_until - now);
    }
    report.held = budget.held;
    for (const auto& [controller, spent] : budget.spent) {
      report.spenders.push_back({controller, spent.last_hour(step_now()), spent.total});
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace ccm::plugin
