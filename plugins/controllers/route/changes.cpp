#include "changes.hpp"

#include <utility>

namespace ccm::route {

Batch make_batch(const Plan& plan) {
  Batch batch;
  for (const Step& step : plan.steps) {
    batch.removals.insert(batch.removals.end(), step.removals.begin(), step.removals.end());
    if (!step.addition) continue;
    batch.additions.push_back(*step.addition);
    batch.replaces.push_back(!step.removals.empty());
  }
  return batch;
}

Batch without_removals(const Batch& batch) {
  Batch rest;
  for (std::size_t i = 0; i < batch.additions.size(); ++i) {
    if (batch.replaces[i]) continue;
    rest.additions.push_back(batch.additions[i]);
    rest.replaces.push_back(false);
  }
  return rest;
}

Route make_route(const NodeState& node, const RangePlan& range) {
  Route route;
  route.name_hint = node.uid + "-";
  for (const char c : range.text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
    route.name_hint += plain ? c : '-';
  }
  route.destination_cidr = range.text;
  route.target_node = node.name;
  route.target_provider_id = node.provider_id;
  route.owned = true;
  route.node = node.object;
  return route;
}

}  // namespace ccm::route
