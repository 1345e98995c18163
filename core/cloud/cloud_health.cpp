#include "cloud/cloud_health.hpp"

#include "base/duration.hpp"
#include "plugin/operations.hpp"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>

namespace ccm::cloud {

using runtime::TimePoint;
using std::chrono::system_clock;

namespace {

// A part that nobody asks about any more says nothing, when others have answered since.
constexpr std::chrono::minutes kStaleFailure{15};
// Users notice a call of this length, and two in a row are no accident.
constexpr std::chrono::seconds kSlowCall{5};
constexpr std::size_t kSlowCalls = 2;
// The hour alone tells the day until then.
constexpr std::chrono::hours kSameDay{20};

// They do not ask the cloud.
bool asks_nothing(std::string_view operation) {
  return operation == "create" || operation == "open" || operation == "shutdown" ||
         operation == plugin::known_operation("loadbalancers.name") ||
         operation == plugin::known_operation("loadbalancers.lane");
}

// Providers mostly know their limits without a question to the cloud.
bool may_ask_nothing(std::string_view operation) { return operation.ends_with(".limits"); }

std::string_view part_of(std::string_view operation) {
  return may_ask_nothing(operation) ? operation : operation.substr(0, operation.find('.'));
}

std::string_view part_text(std::string_view part) {
  if (part == "loadbalancers") return "load balancers";
  if (part == "owned") return "what the manager made";
  if (part == plugin::known_operation("initialize")) return "the log-in";
  if (may_ask_nothing(part)) return "limits";
  return part;
}

std::string clock_text(system_clock::time_point when, std::chrono::nanoseconds age) {
  const std::time_t seconds = system_clock::to_time_t(when);
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const char* form = age < kSameDay ? "%H:%M UTC" : "%Y-%m-%d %H:%M UTC";
  return {text, std::strftime(text, sizeof text, form, &parts)};
}

struct FaultTexts {
  CloudFault fault;
  std::string_view name;
  std::string_view reason;
  std::string_view sentence;
};
constexpr FaultTexts kFaultTexts[] = {
    {CloudFault::credential_refused, "credential-refused", "CloudCredentialRefused",
     "the cloud refuses the credential"},
    {CloudFault::no_answer, "no-answer", "CloudDoesNotAnswer", "the cloud does not answer"},
    {CloudFault::server_errors, "server-errors", "CloudServerErrors",
     "the cloud answers with errors"},
    {CloudFault::rate_limited, "rate-limited", "CloudRateLimited",
     "the cloud limits the rate of calls"},
    {CloudFault::slow, "slow", "CloudIsSlow", "the cloud is slow"}};

const FaultTexts& texts_of(CloudFault fault) {
  const auto* texts = std::find_if(std::begin(kFaultTexts), std::end(kFaultTexts),
                                   [&](const FaultTexts& known) { return known.fault == fault; });
  return *texts;  // each has some
}

}  // namespace

std::string_view to_string(CloudFault fault) { return texts_of(fault).name; }

std::string_view event_reason(CloudFault fault) { return texts_of(fault).reason; }

std::optional<CloudFault> fault_of(const Status& status, std::optional<unsigned> http_status) {
  if (status.error_class() == ErrorClass::auth || status.code() == Code::unauthenticated) {
    return CloudFault::credential_refused;
  }
  if (status.error_class() == ErrorClass::throttled) return CloudFault::rate_limited;
  const bool late = status.code() == Code::deadline_exceeded;
  if (status.error_class() != ErrorClass::unavailable && !late) return std::nullopt;
  // An operation that took too long after good answers waited for one that did not come.
  const bool answered = http_status.value_or(0) >= (late ? 500 : 1);
  return answered ? CloudFault::server_errors : CloudFault::no_answer;
}

void CloudHealth::ended(std::string_view operation, const Status& status,
                        const std::optional<plugin::CloudAnswer>& answer) {
  // The host ended it, or the provider never saw it.
  const bool unseen =
      status.code() == Code::cancelled || status.code() == Code::failed_precondition;
  if (asks_nothing(operation) || (unseen && status.error_class() == ErrorClass::none)) return;
  const std::string part(part_of(operation));
  const auto http_status =
      answer ? std::optional<unsigned>(answer->http_status) : std::optional<unsigned>();
  const TimePoint now = timers_.now();
  auto fault = status.ok() ? std::nullopt : fault_of(status, http_status);
  if (!fault && !may_ask_nothing(operation)) {
    answered_[part] = now;
    if (answer && answer->took >= kSlowCall) fault = CloudFault::slow;
  }
  if (!fault) {
    if (failures_.erase(part) > 0 && changed_) changed_();
    return;
  }
  auto place = failures_.find(part);
  if (place == failures_.end() || place->second.fault != *fault) {
    place = failures_.insert_or_assign(part, Failure{*fault, 0, now, now, 0, {}, {}}).first;
  }
  Failure& failure = place->second;
  failure.http_status = http_status.value_or(0);
  failure.last = now;
  ++failure.count;
  failure.message = *fault == CloudFault::slow ? std::string() : status.message();
  if (answer) failure.took = answer->took;
  if (changed_) changed_();
}

bool CloudHealth::healthy() const {
  const auto all = troubles();
  return all.empty() || all.front().fault == CloudFault::slow;
}

std::size_t CloudHealth::slow_calls() const {
  std::size_t calls = 0;
  for (const auto& [part, failure] : failures_) {
    if (failure.fault == CloudFault::slow) calls += failure.count;
  }
  return calls;
}

bool CloudHealth::forgotten(const Failure& failure) const {
  if (failure.fault == CloudFault::slow && slow_calls() < kSlowCalls) return true;
  if (timers_.now() - failure.last < kStaleFailure) return false;
  return std::any_of(answered_.begin(), answered_.end(),
                     [&](const auto& entry) { return entry.second > failure.last; });
}

// " for load balancers" when other parts answer.
std::string CloudHealth::whose(CloudFault fault, TimePoint since) const {
  const bool others = std::any_of(answered_.begin(), answered_.end(), [&](const auto& entry) {
    const auto failed = failures_.find(entry.first);
    return entry.second > since && (failed == failures_.end() || forgotten(failed->second));
  });
  if (!others) return {};
  std::string text;
  for (const auto& [part, failure] : failures_) {
    if (failure.fault != fault || forgotten(failure)) continue;
    text += text.empty() ? " for " : " and ";
    text += part_text(part);
  }
  return text;
}

std::vector<CloudTrouble> CloudHealth::troubles() const {
  std::vector<CloudTrouble> all;
  const TimePoint now = timers_.now();
  for (const CloudFault fault : kCloudFaults) {
    CloudTrouble trouble;
    trouble.fault = fault;
    std::optional<TimePoint> since;
    std::optional<TimePoint> last;
    std::chrono::nanoseconds took{0};
    for (const auto& [part, failure] : failures_) {
      if (failure.fault != fault || forgotten(failure)) continue;
      since = since ? std::min(*since, failure.since) : failure.since;
      trouble.failures += failure.count;
      if (last && failure.last < *last) continue;
      last = failure.last;
      took = failure.took;
      trouble.http_status = failure.http_status;
      trouble.message = failure.message;
    }
    if (!since) continue;
    trouble.age = now - *since;
    const auto when =
        system_clock::now() - std::chrono::duration_cast<system_clock::duration>(trouble.age);
    trouble.what = std::string(texts_of(fault).sentence) + whose(fault, *since);
    trouble.text = trouble.what + " since " + clock_text(when, trouble.age);
    if (fault == CloudFault::slow) {
      const std::string length = " (" + short_duration(took) + " a call)";
      trouble.what += length;
      trouble.text += length;
    }
    // A good answer before the one that did not come explains nothing.
    if (trouble.http_status >= 400) {
      const std::string code = " (" + std::to_string(trouble.http_status) + ")";
      trouble.what += code;
      trouble.text += code;
    }
    all.push_back(std::move(trouble));
  }
  return all;
}

std::string CloudHealth::text() const {
  std::string text;
  for (const CloudTrouble& trouble : troubles()) {
    text += (text.empty() ? "" : "; ") + trouble.text;
  }
  return text;
}

}  // namespace ccm::cloud
