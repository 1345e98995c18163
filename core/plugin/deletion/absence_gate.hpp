// The brake in front of what controllers delete because something else is gone: routes whose Nodes
// vanished, load balancers that no Service is seen to give up (docs/decisions/0009). Loop thread.
#pragma once

#include "plugin/deletion/deletion_telemetry.hpp"
#include "runtime/brake.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::plugin {

class AbsenceGate {
 public:
  // `timers` and `telemetry` must outlive it. `kind`: "routes", for messages.
  AbsenceGate(runtime::Timers& timers, DeletionTelemetry& telemetry, runtime::BrakeOptions options,
              std::string kind);

  // This process leads.
  void begin();

  // All things of the kind that exist now.
  void set_known(std::unordered_set<std::string> keys) { known_ = std::move(keys); }
  void add_known(const std::string& key) { known_.insert(key); }

  // Judges deletions that are asked for together: element i says whether keys[i] may go now. Else
  // it is failed_precondition/waiting "DeletionBrakeEngaged", to be asked again by then.
  std::vector<Status> judge(const std::vector<std::string>& keys);
  // What was allowed is gone, or was not deleted after all.
  void deleted(const std::string& key) { known_.erase(key); }
  void not_deleted(const std::string& key) { brake_.not_deleted(key); }

  // Held are those that were refused and are still asked for.
  [[nodiscard]] runtime::BrakeReport report() const;
  // One line for people.
  [[nodiscard]] std::string status_text() const;

 private:
  [[nodiscard]] bool still_asked(runtime::TimePoint asked) const;
  [[nodiscard]] Status refusal(const runtime::BrakeJudgement& judgement) const;

  runtime::Timers& timers_;
  DeletionTelemetry& telemetry_;
  runtime::Brake brake_;
  const std::string kind_;
  std::unordered_set<std::string> known_;
  // Deletions that were refused, and when they were last asked for.
  std::unordered_map<std::string, runtime::TimePoint> held_;
};

}  // namespace ccm::plugin
