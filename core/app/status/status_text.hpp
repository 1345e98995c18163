// /statusz for people: as plain text, and as one HTML page without scripts or foreign resources.
// Pure.
#pragma once

#include "app/status/status_json.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::app {

// `status` as status_json() makes it.
std::string status_text(const StatusJson& status);
std::string status_html(const StatusJson& status);

// The members of an object; members of inner objects as "outer.inner".
std::vector<std::pair<std::string, std::string>> flat(const StatusJson& object);

// Escaped for use between tags and in quoted attributes.
std::string html_escaped(std::string_view text);

// "0 hr 02 min 31 sec"
std::string up_text(int64_t seconds);

}  // namespace ccm::app
