// The brake in front of what controllers take away because something else is gone: routes whose
// Nodes vanished, load balancers that no Service is seen to give up, the last members of load
// balancers (docs/decisions/0009). Loop thread.
#pragma once

#include "cloud/deletion/brake.hpp"
#include "cloud/deletion/deletion_telemetry.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::cloud {

class AbsenceBrake {
 public:
  // `timers` and `telemetry` must outlive it. `subject`: for messages; `fate`: "be deleted".
  AbsenceBrake(runtime::Timers& timers, DeletionTelemetry& telemetry, BrakeOptions options,
               BrakeSubject subject, std::string fate = "be deleted");

  // This process leads.
  void begin() { brake_.begin(timers_.now()); }

  // All existing objects of the kind.
  void set_known(std::unordered_set<std::string> keys) { known_ = std::move(keys); }
  void add_known(const std::string& key) { known_.insert(key); }

  // Judges deletions that are requested together: element i says whether keys[i] may be deleted
  // now. Else it is failed_precondition/waiting "DeletionBrakeEngaged", with the time of the next
  // request.
  std::vector<Status> judge(const std::vector<std::string>& keys);
  // An allowed object is gone, or was not deleted after all.
  void deleted(const std::string& key) { known_.erase(key); }
  void not_deleted(const std::string& key) { brake_.not_deleted(key); }
  // Nobody asks for it any more.
  void withdrawn(const std::string& key) { held_.erase(key); }
  [[nodiscard]] bool knows(const std::string& key) const { return known_.contains(key); }

  // A deletion that was refused and is still requested.
  struct Refused {
    runtime::TimePoint since;
    runtime::TimePoint asked;  // last
    uint32_t attempts = 0;
  };
  [[nodiscard]] const Refused* refused(const std::string& key) const;
  // Why it is held, as judge() would say it now.
  [[nodiscard]] Status why_refused(const std::string& key) const {
    return refusal(brake_.judge(key, timers_.now()));
  }

  // Held are those that were refused and are still requested.
  [[nodiscard]] BrakeReport report() const;
  [[nodiscard]] const std::string& kind() const { return subject_.kind; }
  // One line for people, without names.
  [[nodiscard]] std::string status_text() const;

 private:
  // Else the deletion is no longer requested: its Node came back.
  [[nodiscard]] bool still_asked(const Refused& refused) const {
    return timers_.now() - refused.asked <= brake_.options().window;
  }
  [[nodiscard]] Status refusal(const BrakeJudgement& judgement) const;

  runtime::Timers& timers_;
  DeletionTelemetry& telemetry_;
  Brake brake_;
  const BrakeSubject subject_;
  const std::string fate_;
  std::unordered_set<std::string> known_;
  std::unordered_map<std::string, Refused> held_;
};

}  // namespace ccm::cloud
