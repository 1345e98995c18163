// The parts of /statusz as JSON, from which the text and the HTML page are made. Loop thread.
#pragma once

#include "app/status/status_page.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace ccm::app {

using StatusJson = nlohmann::ordered_json;

// Of each controller: more would keep the loop busy for too long.
inline constexpr std::size_t kMostStatusObjects = 1'000;

struct StatusQuery {
  std::size_t limit = 100;            // waiting objects of each controller
  std::optional<std::string> object;  // the key of an object that every controller reports on
  std::optional<std::string> route;   // a Node whose routes are shown
};

StatusJson status_json(const StatusSources& sources, const StatusQuery& query);

// A string as it is, anything else as JSON on one line.
std::string plain(const StatusJson& value);

}  // namespace ccm::app
