#include "plugin/deletion/absence_gate.hpp"

#include "base/duration.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kShortestRetry{10'000};

}  // namespace

AbsenceGate::AbsenceGate(runtime::Timers& timers, DeletionTelemetry& telemetry,
                         runtime::BrakeOptions options, std::string kind)
    : timers_(timers), telemetry_(telemetry), brake_(options), kind_(std::move(kind)) {}

void AbsenceGate::begin() { brake_.begin(timers_.now()); }

// Nobody wants it deleted any more: its Node came back.
void AbsenceGate::forget_unasked(runtime::TimePoint now) {
  std::erase_if(held_,
                [&](const auto& entry) { return now - entry.second > brake_.options().window; });
}

Status AbsenceGate::refusal(const runtime::BrakeJudgement& judgement) const {
  // Asked again before the window has passed, or it would count as no longer wanted.
  const milliseconds latest = std::max(brake_.options().window / 2, milliseconds(1));
  const milliseconds due = std::max(judgement.retry_after, kShortestRetry);
  const runtime::BrakeReport report = brake_.report(timers_.now());
  return Status(Code::failed_precondition, ErrorClass::waiting,
                "the deletion brake holds it: with it " +
                    std::to_string(report.absent + report.deleted) + " of " +
                    std::to_string(report.known + report.deleted) + " " + kind_ +
                    " would go within " + format_duration(brake_.options().window) + ", " +
                    std::to_string(report.limit) + " may")
      .with_reason("DeletionBrakeEngaged")
      .with_retry_after(std::min(due, latest));
}

std::string AbsenceGate::status_text() const {
  const runtime::BrakeReport now = report();
  return (now.engaged ? "engaged, " + std::to_string(now.held) + " held: " : "released: ") +
         std::to_string(now.deleted) + " of " + std::to_string(now.known + now.deleted) + " " +
         kind_ + " were deleted within " + format_duration(brake_.options().window) + ", " +
         std::to_string(now.limit) + " may be";
}

std::vector<Status> AbsenceGate::judge(const std::vector<std::string>& keys) {
  const runtime::TimePoint now = timers_.now();
  forget_unasked(now);
  for (const std::string& key : keys) held_[key] = now;
  runtime::BrakeLook look;
  look.sighted = true;
  look.known = known_.size();
  for (const auto& [key, asked] : held_) {
    look.absent.push_back(key);
    if (!known_.contains(key)) ++look.known;
  }
  brake_.look(look, now);
  std::vector<Status> verdicts;
  verdicts.reserve(keys.size());
  for (const std::string& key : keys) {
    const bool repeated = brake_.is_deleting(key);
    const runtime::BrakeJudgement judgement = brake_.judge(key, now);
    if (!repeated && judgement.verdict != runtime::BrakeVerdict::pass) {
      verdicts.push_back(refusal(judgement));
      telemetry_.decided("held");
      continue;
    }
    if (!repeated) brake_.deleting(key, true, now);
    held_.erase(key);
    verdicts.emplace_back();
    telemetry_.decided("deleted");
  }
  telemetry_.looked(brake_.report(now), held_.size());
  return verdicts;
}

}  // namespace ccm::plugin
