// What people read of /statusz: the problems, one line each, the waiting objects by their cause,
// and the page as plain text. Pure.
#pragma once

#include "app/status/status_json.hpp"

#include <string>
#include <string_view>

namespace ccm::app {

// Problems that need an action, as an array of texts, of a /statusz that is complete but for them.
StatusJson problems_json(const StatusJson& status);

// Groups of `objects` (see objects_json()): [{"controller", "state", "class", "reason", "count",
// "for", "waitsFor", "keys", "release"}], those that need an action first. "for": the age of the
// oldest at `now`; "release": the command that lets all of them go, when their messages have one.
StatusJson groups_json(const StatusJson& objects, std::string_view now);

// `status` as status_json() makes it.
std::string status_text(const StatusJson& status);

}  // namespace ccm::app
