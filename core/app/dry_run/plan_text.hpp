// A dry run's result as a table for readers or as JSON for programs. Pure; any thread.
#pragma once

#include "app/dry_run/change.hpp"

#include <string>
#include <vector>

namespace ccm::app {

// A row for each changed value, and below them the objects that are open, and the sum.
std::string plan_table(const std::vector<Change>& changes, const std::vector<OpenObject>& open);

// {"changes": [{"controller", "object", "action", "fields": [{"field", "before", "after"}],
//   "body"}], "open": [{"controller", "object", "state", "message", "undetermined"}]}. "before" and
// "after" are values of JSON, null where there is none; "body" is an object, or a text when it is
// no JSON. Empty members are left out.
std::string plan_json(const std::vector<Change>& changes, const std::vector<OpenObject>& open);

}  // namespace ccm::app
