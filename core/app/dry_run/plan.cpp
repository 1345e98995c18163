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
  change.before = write.before;
  Attempt& attempt = attempts_[{change.controller, change.object}];
  if (attempt.origin != write.origin) attempt = {write.origin, {}};
  // A component's own work has no attempts that could be told apart.
  const std::size_t number = write.origin == nullptr ? 0 : attempt.writes[change.action]++;
  note(std::move(change), number);
}

void Plan::answered(std::string_view component, std::string_view operation, unsigned http_status) {
  const bool tells = http_status != 0 && http_status < 500 && http_status != 401 &&
                     http_status != 403 && http_status != 429;
  const Pair call(component, operation);
  if (tells) {
    failing_.erase(call);
  } else {
    failing_[call] = http_status;
  }
}

// A retried reconcile asks for its changes again, and an object may need several patches.
void Plan::note(Change change, std::size_t number) {
  const auto [known, fresh] = places_.try_emplace(
      std::tuple(change.controller, change.object, change.action, number), changes_.size());
  if (fresh) {
    changes_.push_back(std::move(change));
    return;
  }
  Change& earlier = changes_[known->second];
  earlier.body = std::move(change.body);
  earlier.before = std::move(change.before);
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
