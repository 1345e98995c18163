#include "plugin/warning_notes.hpp"

#include <algorithm>

namespace ccm::plugin {

void WarningNotes::note(const kube::ObjectReference& about, const std::string& reason,
                        const std::string& message) {
  Note& note = notes_.write(about.key());
  if (note.uid != about.uid) note = {about.kind, about.uid, {}};  // another object
  std::erase_if(note.warnings, [&](const Warning& before) { return before.reason == reason; });
  note.warnings.insert(note.warnings.begin(), {reason, message, timers_.now()});
  if (note.warnings.size() > kMostReasons) note.warnings.pop_back();
}

std::vector<WarningReport> WarningNotes::find(std::string_view key) const {
  std::vector<WarningReport> reports;
  const Note* note = notes_.find(key);
  if (note == nullptr) return reports;
  for (const Warning& warning : note->warnings) {
    reports.push_back({note->kind, warning.reason, warning.message, timers_.now() - warning.at});
  }
  return reports;
}

}  // namespace ccm::plugin
