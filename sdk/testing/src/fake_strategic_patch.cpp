#include "fake_strategic_patch.hpp"

#include <algorithm>
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

void merge_conditions(Document& status, Document& patch) {
  const Document changes = take_member(patch, "conditions");
  take_member(patch, "$setElementOrder/conditions");
  if (changes.empty()) return;
  Document conditions = status.value("conditions", Document::array());
  for (Document change : changes) {
    const auto same = [&](const Document& condition) {
      return condition.value("type", "") == change.value("type", "");
    };
    const auto place = std::find_if(conditions.begin(), conditions.end(), same);
    if (change.value("$patch", "") == "delete") {
      if (place != conditions.end()) conditions.erase(place);
    } else if (place != conditions.end()) {
      place->merge_patch(change);
    } else {
      conditions.push_back(change);
    }
  }
  status.erase("conditions");
  if (!conditions.empty()) status["conditions"] = std::move(conditions);
}

}  // namespace

void apply_strategic_patch(Document& object, Document patch) {
  if (patch.contains("metadata")) unite_finalizers(object["metadata"], patch["metadata"]);
  if (patch.contains("status")) merge_conditions(object["status"], patch["status"]);
  object.merge_patch(patch);
}

}  // namespace ccm::testing
