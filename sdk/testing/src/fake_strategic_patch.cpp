#include "fake_strategic_patch.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ccm::testing {
namespace {

using Document = nlohmann::ordered_json;

Document take_member(Document& object, const char* name) {
  const auto place = object.find(name);
  if (place == object.end()) return Document::array();
  Document value = std::move(*place);
  object.erase(name);
  return value;
}

void unite_finalizers(Document& metadata, Document& patch) {
  const Document added = take_member(patch, "finalizers");
  const Document removed = take_member(patch, "$deleteFromPrimitiveList/finalizers");
  take_member(patch, "$setElementOrder/finalizers");
  if (added.empty() && removed.empty()) return;
  Document kept = Document::array();
  for (const Document& finalizer : metadata.value("finalizers", Document::array())) {
    if (std::find(removed.begin(), removed.end(), finalizer) == removed.end()) {
      kept.push_back(finalizer);
    }
  }
  for (const Document& finalizer : added) {
    if (std::find(kept.begin(), kept.end(), finalizer) == kept.end()) kept.push_back(finalizer);
  }
  metadata.erase("finalizers");
  if (!kept.empty()) metadata["finalizers"] = std::move(kept);
}

// A list of the status whose merge key is `type`. Of two entries with one type, the later one wins
// unless the patch replaces the list.
void merge_by_type(Document& status, Document& patch, const std::string& name) {
  const Document changes = take_member(patch, name.c_str());
  take_member(patch, ("$setElementOrder/" + name).c_str());
  if (changes.empty()) return;
  const bool replaces = std::any_of(changes.begin(), changes.end(), [](const Document& change) {
    return change.value("$patch", "") == "replace";
  });
  Document list = replaces ? Document::array() : status.value(name, Document::array());
  for (const Document& change : changes) {
    const std::string directive = change.value("$patch", "");
    if (directive == "replace") continue;
    const auto same = [&](const Document& entry) {
      return entry.value("type", "") == change.value("type", "");
    };
    const auto place = replaces ? list.end() : std::find_if(list.begin(), list.end(), same);
    if (directive == "delete") {
      if (place != list.end()) list.erase(place);
    } else if (place != list.end()) {
      place->merge_patch(change);
    } else {
      list.push_back(change);
    }
  }
  status.erase(name);
  if (!list.empty()) status[name] = std::move(list);
}

}  // namespace

void apply_strategic_patch(Document& object, Document patch) {
  if (patch.contains("metadata")) unite_finalizers(object["metadata"], patch["metadata"]);
  if (patch.contains("status")) {
    for (const char* list : {"conditions", "addresses"}) {
      merge_by_type(object["status"], patch["status"], list);
    }
  }
  object.merge_patch(patch);
}

}  // namespace ccm::testing
