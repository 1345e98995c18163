// Reports on a brake: texts for people on pages, in Events and in answers to controllers, metrics,
// Events on a few of the objects concerned, log lines. Loop thread.
#pragma once

#include "base/metric_families.hpp"
#include "cloud/deletion/brake.hpp"
#include "kube/object.hpp"
#include "plugin/host_services/event_service.hpp"

#include <ccm/status.hpp>

#include <string>
#include <unordered_set>
#include <vector>

namespace ccm::cloud {

// The words for the objects of one brake.
struct BrakeSubject {
  std::string kind;    // "nodes"
  std::string absent;  // "are missing in the cloud"
  std::string done{"were deleted"};
};
BrakeSubject subject_nodes();
// Nodes that prove nothing about the cloud (NodeView::unseen).
BrakeSubject subject_unseen();

// One line: whether anything is held, which objects, and why. `held`: names, as many as
// BrakeReport::held says or none.
std::string describe(const BrakeReport& report, const BrakeOptions& options,
                     const BrakeSubject& subject, const std::vector<std::string>& held = {});

// The text that follows describe()'s while such Nodes are held for their number; else empty.
std::string describe_unseen(const BrakeReport& report, const BrakeOptions& options);

// Why one Node of those that `report` is about is held, without a capital letter and a full stop.
std::string why_held(BrakeVerdict verdict, const BrakeReport& report, const BrakeOptions& options,
                     const BrakeSubject& subject);

class DeletionTelemetry {
 public:
  // `registry` must outlive it. `kind`: "nodes".
  DeletionTelemetry(prometheus::Registry& registry, plugin::RecordEvent record, std::string kind);

  // Counts one decision: "deleted", "terminated", "released", "held", "blind", "exists", ...
  void decided(const char* decision);
  // An object is held: records a Warning Event, on the first few of them only.
  void held(const kube::Object& thing, std::string message);
  // After each observation: gauges, and a log line when the brake engages or releases.
  void observed(const BrakeReport& report);

 private:
  prometheus::Gauge& engaged_gauge_;
  prometheus::Gauge& held_;
  metrics::Counters& decisions_;
  const plugin::RecordEvent record_;
  const std::string kind_;
  std::unordered_set<std::string> reported_;  // UIDs
  bool engaged_ = false;
};

}  // namespace ccm::cloud
