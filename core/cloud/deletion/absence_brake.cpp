#include "cloud/deletion/absence_brake.hpp"

#include "base/duration.hpp"
#include "plugin/brake_reasons.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ccm::cloud {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kShortestRetry{10'000};

}  // namespace

AbsenceBrake::AbsenceBrake(runtime::Timers& timers, DeletionTelemetry& telemetry,
                           BrakeOptions options, BrakeSubject subject, std::string fate)
    : timers_(timers),
      telemetry_(telemetry),
      brake_(options),
      subject_(std::move(subject)),
      fate_(std::move(fate)) {}

Status AbsenceBrake::refusal(const BrakeJudgement& judgement) const {
  // Asked again before the window has passed, or it would count as no longer requested.
  const milliseconds latest = std::max(brake_.options().window / 2, milliseconds(1));
  const milliseconds due = std::max(judgement.retry_after, kShortestRetry);
  const BrakeReport report = brake_.report(timers_.now());
  return Status(Code::failed_precondition, ErrorClass::waiting,
                "the deletion brake holds it: with it " +
                    std::to_string(report.absent + report.deleted) + " of " +
                    std::to_string(report.known + report.deleted) + " " + subject_.kind +
                    " would " + fate_ + " within " + short_duration(brake_.options().window) +
                    ", " + std::to_string(report.limit) + " may; after " +
                    short_duration(brake_.options().hold) +
                    " the others follow at that pace, and all at once with "
                    "--deletion-brake-percent=100")
      .with_reason(std::string(plugin::kDeletionBrakeEngaged))
      .with_retry_after(std::min(due, latest));
}

BrakeReport AbsenceBrake::report() const {
  BrakeReport report = brake_.report(timers_.now());
  report.held = static_cast<std::size_t>(std::count_if(
      held_.begin(), held_.end(), [&](const auto& entry) { return still_asked(entry.second); }));
  report.engaged = report.held > 0;
  return report;
}

const AbsenceBrake::Refused* AbsenceBrake::refused(const std::string& key) const {
  const auto place = held_.find(key);
  return place != held_.end() && still_asked(place->second) ? &place->second : nullptr;
}

std::string AbsenceBrake::status_text() const {
  return describe(report(), brake_.options(), subject_);
}

std::vector<Status> AbsenceBrake::judge(const std::vector<std::string>& keys) {
  const runtime::TimePoint now = timers_.now();
  std::erase_if(held_, [&](const auto& entry) { return !still_asked(entry.second); });
  for (const std::string& key : keys) {
    Refused& refused = held_[key];
    if (refused.attempts++ == 0) refused.since = now;
    refused.asked = now;
  }
  BrakeObservation observation;
  observation.sighted = true;
  observation.known = known_.size();
  for (const auto& [key, asked] : held_) {
    observation.absent.push_back(key);
    if (!known_.contains(key)) ++observation.known;
  }
  brake_.observe(observation, now);
  std::vector<Status> verdicts;
  verdicts.reserve(keys.size());
  for (const std::string& key : keys) {
    const bool repeated = brake_.is_deleting(key);
    const BrakeJudgement judgement = brake_.judge(key, now);
    if (!repeated && judgement.verdict != BrakeVerdict::pass) {
      verdicts.push_back(refusal(judgement));
      telemetry_.decided("held");
      continue;
    }
    if (!repeated) brake_.deleting(key, true, now);
    held_.erase(key);
    verdicts.emplace_back();
    telemetry_.decided("deleted");
  }
  telemetry_.observed(report());
  return verdicts;
}

}  // namespace ccm::cloud
