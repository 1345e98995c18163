// Reports on the brake: metrics, Events on a few of the objects concerned, log lines. Loop thread.
#pragma once

#include "kube/object.hpp"
#include "plugin/host_services/event_service.hpp"
#include "runtime/brake.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>

namespace prometheus {
class Registry;
}

namespace ccm::plugin {

class DeletionTelemetry {
 public:
  // `registry` must outlive it. `kind`: "nodes".
  DeletionTelemetry(prometheus::Registry& registry, RecordEvent record, std::string kind);
  ~DeletionTelemetry();

  // Counts one decision: "deleted", "terminated", "released", "held", "blind", "exists", ...
  void decided(const char* decision);
  // An object is held: records a Warning Event, on the first few of them only.
  void held(const kube::Object& thing, std::string message);
  // After each observation: gauges, and a log line when the brake engages or releases.
  void observed(const runtime::BrakeReport& report);

 private:
  struct Metrics;
  std::unique_ptr<Metrics> metrics_;
  const RecordEvent record_;
  const std::string kind_;
  std::unordered_set<std::string> told_;  // UIDs
  bool engaged_ = false;
};

}  // namespace ccm::plugin
