// /statusz for people: as plain text, and as one HTML page without scripts or foreign resources.
// Pure.
#pragma once

#include "app/status/status_json.hpp"

#include <string>

namespace ccm::app {

// `status` as status_json() makes it.
std::string status_text(const StatusJson& status);
std::string status_html(const StatusJson& status);

}  // namespace ccm::app
