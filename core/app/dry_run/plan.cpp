#include "app/dry_run/plan.hpp"

#include <algorithm>

namespace ccm::app {

void Plan::withhold(const plugin::WithheldWrite& write) {
  Change change;
  change.controller = write.origin != nullptr ? write.origin->controller() : write.component;
  if (write.origin != nullptr) change.object = write.origin->key();
  if (!write.method.empty()) change.action = std::string(write.method) + " ";
  change.action += write.target;
  change.body = write.body;
  cloud_keys_.emplace(change.controller, change.object);
  note(std::move(change));
}

// A retried reconcile asks for its change again, and an object may need several patches.
void Plan::note(Change change) {
  const auto [known, fresh] = places_.try_emplace(
      std::tuple(change.controller, change.object, change.action), changes_.size());
  if (fresh) {
    changes_.push_back(std::move(change));
    return;
  }
  Change& earlier = changes_[known->second];
  earlier.body = std::move(change.body);
  for (FieldChange& field : change.fields) {
    const auto same =
        std::find_if(earlier.fields.begin(), earlier.fields.end(),
                     [&](const FieldChange& other) { return other.field == field.field; });
    if (same == earlier.fields.end()) {
      earlier.fields.push_back(std::move(field));
    } else {
      same->after = std::move(field.after);
    }
  }
}

}  // namespace ccm::app
