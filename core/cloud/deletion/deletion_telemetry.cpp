#include "cloud/deletion/deletion_telemetry.hpp"

#include "base/duration.hpp"
#include "base/log.hpp"
#include "plugin/brake_reasons.hpp"

#include <utility>

namespace ccm::cloud {

namespace {

constexpr std::size_t kNames = 5;

// "3 held (a, b, c)".
std::string held_text(const BrakeReport& report, const std::vector<std::string>& names) {
  std::string text = std::to_string(report.held) + " held";
  if (names.empty()) return text;
  text += " (";
  for (std::size_t index = 0; index < names.size() && index < kNames; ++index) {
    text += (index == 0 ? "" : ", ") + names[index];
  }
  if (names.size() > kNames) text += " and " + std::to_string(names.size() - kNames) + " more";
  return text + ")";
}

std::string limit_text(const BrakeReport& report, const BrakeOptions& options) {
  std::string text = std::to_string(report.limit) + " may be";
  if (report.first_window) {
    text += " until this manager has led for " + short_duration(options.window);
  }
  return text;
}

std::string counts_text(const BrakeReport& report, const BrakeOptions& options,
                        const BrakeSubject& subject) {
  std::string text = std::to_string(report.absent) + " of " + std::to_string(report.known) + " " +
                     subject.kind + " " + subject.absent;
  if (report.terminated > 0) {
    text += ", " + std::to_string(report.terminated) + " of them terminated by its own word";
  }
  if (report.announced > 0) {
    text += " (" + std::to_string(report.announced) + " cordoned or tainted before, " +
            (report.contradicted ? "counted since a Ready one is missing, too)" : "not counted)");
  }
  return text + ", " + std::to_string(report.deleted) + " " + subject.done + " within " +
         short_duration(options.window) + ", " + limit_text(report, options);
}

}  // namespace

BrakeSubject subject_nodes() { return {"nodes", "are missing in the cloud", "were deleted"}; }

BrakeSubject subject_unseen() { return {"nodes", "were never seen in the cloud"}; }

std::string describe_unseen(const BrakeReport& report, const BrakeOptions& options) {
  if (!report.engaged || report.blind) return {};
  return "; " + counts_text(report, options, subject_unseen());
}

std::string describe(const BrakeReport& report, const BrakeOptions& options,
                     const BrakeSubject& subject, const std::vector<std::string>& held) {
  if (!report.observed) return "released: no deletion of " + subject.kind + " was asked for yet";
  if (report.blind) {
    return "blind, " + held_text(report, held) +
           ": the cloud's answer shows none of those known to exist";
  }
  const std::string counts = counts_text(report, options, subject);
  return report.engaged ? "engaged, " + held_text(report, held) + ": " + counts
                        : "released: " + counts;
}

std::string why_held(BrakeVerdict verdict, const BrakeReport& report, const BrakeOptions& options,
                     const BrakeSubject& subject) {
  switch (verdict) {
    case BrakeVerdict::pass:  // the next observation will let it pass
    case BrakeVerdict::blind:
      break;
    case BrakeVerdict::over_limit:
      return counts_text(report, options, subject) + "; those still missing after " +
             short_duration(options.hold) + " go at that pace";
    case BrakeVerdict::too_early:
      return counts_text(report, options, subject) +
             ", since it does not know how many were deleted before";
  }
  return "its instance is missing, but the cloud's answer shows none of the instances known to "
         "exist, so "
         "it proves nothing";
}

namespace {

constexpr std::size_t kEvents = 10;  // for each time that the brake engages

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help,
                         const std::string& kind) {
  return metrics::gauges(registry, name, help).Add({{"kind", kind}});
}

}  // namespace

DeletionTelemetry::DeletionTelemetry(prometheus::Registry& registry, plugin::RecordEvent record,
                                     std::string kind)
    : engaged_gauge_(gauge(registry, "ccm_deletion_brake_engaged",
                           "1 while deletions are held back: too many at once, or a blind cloud "
                           "view.",
                           kind)),
      held_(gauge(registry, "ccm_deletion_brake_held",
                  "Deletions that the brake held back at the last observation.", kind)),
      decisions_(metrics::counters(registry, "ccm_deletion_brake_decisions_total",
                                   "Results of requested deletions.")),
      record_(std::move(record)),
      kind_(std::move(kind)) {}

void DeletionTelemetry::decided(const char* decision) {
  decisions_.Add({{"kind", kind_}, {"decision", decision}}).Increment();
}

void DeletionTelemetry::held(const kube::Object& thing, std::string message) {
  if (reported_.size() >= kEvents || !reported_.emplace(thing.uid()).second) return;
  log::warning("A deletion is held back",
               {{"kind", kind_}, {"name", thing.name()}, {"reason", message}});
  if (!record_) return;
  record_("deletion-brake", kube::ObjectReference::of(thing), kube::EventType::warning,
          std::string(plugin::kDeletionHeld), std::move(message));
}

void DeletionTelemetry::observed(const BrakeReport& report) {
  const bool engaged = report.engaged || report.held > 0;
  engaged_gauge_.Set(engaged ? 1 : 0);
  held_.Set(static_cast<double>(report.held));
  if (engaged != engaged_) {
    const log::Fields fields{{"kind", kind_},           {"known", report.known},
                             {"absent", report.absent}, {"deletedInWindow", report.deleted},
                             {"limit", report.limit},   {"blind", report.blind}};
    if (engaged) {
      log::warning("The deletion brake is engaged", fields);
    } else {
      log::info("The deletion brake was released", fields);
    }
  }
  engaged_ = engaged;
  if (!engaged) reported_.clear();
}

}  // namespace ccm::cloud
