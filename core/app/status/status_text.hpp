// /statusz for people: as plain text, and as one HTML page without scripts or foreign resources.
// Pure.
#pragma once

#include "app/status/status_json.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ccm::app {

// `status` as status_json() makes it.
std::string status_text(const StatusJson& status);
std::string status_html(const StatusJson& status);

// "ready", "not ready", or what is wrong with the cloud.
std::string provider_state(const StatusJson& status);
// What a list without objects means: the controllers have nothing to do, or have not begun.
const char* no_objects(const StatusJson& status);

// The members of an object; members of inner objects as "outer.inner".
std::vector<std::pair<std::string, std::string>> flat(const StatusJson& object);

}  // namespace ccm::app
