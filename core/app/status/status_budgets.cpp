#include "app/status/status_budgets.hpp"

#include "kube/time_text.hpp"

namespace ccm::app {

StatusJson budgets_json(const std::vector<plugin::BudgetReport>& budgets) {
  StatusJson list = StatusJson::array();
  const auto now = std::chrono::system_clock::now();
  for (const plugin::BudgetReport& budget : budgets) {
    StatusJson json = {{"credential", budget.credential}};
    if (budget.limit) json["limit"] = *budget.limit;
    if (budget.remaining) json["left"] = *budget.remaining;
    if (budget.reset) json["resetsAt"] = kube::format_time(now + *budget.reset);
    json["kept"] = budget.reserved;
    if (budget.closed.count() > 0) {
      json["closedUntil"] = kube::format_time(now + budget.closed);
    }
    json["held"] = budget.held;
    json["spentLastHour"] = StatusJson::object();
    json["spent"] = StatusJson::object();
    for (const auto& spender : budget.spenders) {
      json["spentLastHour"][spender.controller] = spender.last_hour;
      json["spent"][spender.controller] = spender.total;
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace ccm::app
