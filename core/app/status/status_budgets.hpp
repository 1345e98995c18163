// The clouds' limits of calls as a part of /statusz. Loop thread.
#pragma once

#include "app/status/status_json.hpp"
#include "plugin/host_services/http_budgets.hpp"

#include <vector>

namespace ccm::app {

// [{"credential", "limit", "left", "resetsAt", "kept", "closedUntil", "held", "spentLastHour":
//   {controller: calls}, "spent": {...}}]; members that the cloud did not report are left out.
StatusJson budgets_json(const std::vector<plugin::BudgetReport>& budgets);

}  // namespace ccm::app
