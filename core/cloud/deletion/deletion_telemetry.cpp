#include "cloud/deletion/deletion_telemetry.hpp"

#include "base/log.hpp"
#include "base/metric_families.hpp"
#include "cloud/deletion/brake_text.hpp"
#include "plugin/brake_status.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

constexpr std::size_t kEvents = 10;  // for each time that the brake engages

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help,
                         const std::string& kind) {
  return metrics::gauges(registry, name, help).Add({{"kind", kind}});
}

}  // namespace

struct DeletionTelemetry::Metrics {
  Metrics(prometheus::Registry& registry, const std::string& kind)
      : engaged(gauge(registry, "ccm_deletion_brake_engaged",
                      "1 while deletions are held back: too many at once, or a blind cloud view.",
                      kind)),
        held(gauge(registry, "ccm_deletion_brake_held",
                   "Deletions that the brake held back at the last observation.", kind)),
        decisions(metrics::counters(registry, "ccm_deletion_brake_decisions_total",
                                    "Results of requested deletions.")) {}
  prometheus::Gauge& engaged;
  prometheus::Gauge& held;
  metrics::Counters& decisions;
};

DeletionTelemetry::DeletionTelemetry(prometheus::Registry& registry, RecordEvent record,
                                     std::string kind)
    : metrics_(std::make_unique<Metrics>(registry, kind)),
      record_(std::move(record)),
      kind_(std::move(kind)) {}
DeletionTelemetry::~DeletionTelemetry() = default;

void DeletionTelemetry::decided(const char* decision) {
  metrics_->decisions.Add({{"kind", kind_}, {"decision", decision}}).Increment();
}

void DeletionTelemetry::held(const kube::Object& thing, std::string message) {
  if (told_.size() >= kEvents || !told_.emplace(thing.uid()).second) return;
  log::warning("A deletion is held back",
               {{"kind", kind_}, {"name", thing.name()}, {"reason", message}});
  if (!record_) return;
  record_("deletion-brake", kube::ObjectReference::of(thing), kube::EventType::warning,
          std::string(kDeletionHeld), std::move(message));
}

void DeletionTelemetry::observed(const runtime::BrakeReport& report) {
  const bool engaged = report.engaged || report.held > 0;
  metrics_->engaged.Set(engaged ? 1 : 0);
  metrics_->held.Set(static_cast<double>(report.held));
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
  if (!engaged) told_.clear();
}

}  // namespace ccm::plugin
