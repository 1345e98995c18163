#include "plugin/warning_notes.hpp"

#include <algorithm>

namespace ccm::plugin {

void WarningNotes::note(const kube::ObjectReference& about, const std::string& reason,
                        const std::string& message) {
  const std::string key =
      about.namespace_name.empty() ? about.name : about.namespace_name + "/" + about.name;
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    notes_.splice(notes_.begin(), notes_, known->second);
  } else {
    if (notes_.size() >= kMostObjects) {
      by_key_.erase(notes_.back().key);
      notes_.pop_back();
    }
    notes_.push_front({key, about.kind, about.uid, {}});
    by_key_.emplace(key, notes_.begin());
  }
  Note& note = notes_.front();
  if (note.uid != about.uid) note = {key, about.kind, about.uid, {}};  // another object
  std::erase_if(note.warnings, [&](const Warning& before) { return before.reason == reason; });
  note.warnings.insert(note.warnings.begin(), {reason, message, timers_.now()});
  if (note.warnings.size() > kMostReasons) note.warnings.pop_back();
}

std::vector<WarningReport> WarningNotes::find(std::string_view key) const {
  std::vector<WarningReport> reports;
  const auto place = by_key_.find(std::string(key));
  if (place == by_key_.end()) return reports;
  const Note& note = *place->second;
  for (const Warning& warning : note.warnings) {
    reports.push_back({note.kind, warning.reason, warning.message, timers_.now() - warning.at});
  }
  return reports;
}

}  // namespace ccm::plugin
