// The last Warning Events of objects, for status pages: the API server drops Events after an hour,
// and some are recorded only once. Loop thread.
#pragma once

#include "base/recent_map.hpp"
#include "kube/events.hpp"
#include "runtime/timers.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

struct WarningReport {
  std::string kind;  // the object's: "Service"
  std::string reason;
  std::string message;
  std::chrono::nanoseconds since{0};  // it was recorded
};

class WarningNotes {
 public:
  static constexpr std::size_t kMostObjects = 4'096;  // then the oldest is dropped
  static constexpr std::size_t kMostReasons = 4;      // for an object; the last message of each

  explicit WarningNotes(const runtime::Timers& timers) : timers_(timers) {}

  void note(const kube::ObjectReference& about, const std::string& reason,
            const std::string& message);

  // `key`: "name" or "namespace/name". The newest first.
  [[nodiscard]] std::vector<WarningReport> find(std::string_view key) const;

 private:
  struct Warning {
    std::string reason;
    std::string message;
    runtime::TimePoint at;
  };
  struct Note {
    std::string kind;
    std::string uid;
    std::vector<Warning> warnings;  // the newest first
  };

  const runtime::Timers& timers_;
  RecentMap<Note> notes_{kMostObjects};
};

inline void WarningNotes::note(const kube::ObjectReference& about, const std::string& reason,
                               const std::string& message) {
  Note& note = notes_.write(about.key());
  if (note.uid != about.uid) note = {about.kind, about.uid, {}};  // another object
  std::erase_if(note.warnings, [&](const Warning& before) { return before.reason == reason; });
  note.warnings.insert(note.warnings.begin(), {reason, message, timers_.now()});
  if (note.warnings.size() > kMostReasons) note.warnings.pop_back();
}

inline std::vector<WarningReport> WarningNotes::find(std::string_view key) const {
  std::vector<WarningReport> reports;
  const Note* note = notes_.find(key);
  if (note == nullptr) return reports;
  for (const Warning& warning : note->warnings) {
    reports.push_back({note->kind, warning.reason, warning.message, timers_.now() - warning.at});
  }
  return reports;
}

}  // namespace ccm::plugin
