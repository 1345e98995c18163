// YAML as JSON, for configurations of providers. JSON is YAML. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string_view>

namespace ccm {

// The document of the text; null when there is none. A scalar without quotes may be null,
// true or false, as YAML 1.1 writes these; every other scalar is a text. The maps of a merge key
// (<<) are in the map that has it, where they replace nothing. Failure: invalid_argument, "line 3:
// ...", which shows no value; also for a document of more than `most_values` or 32 levels, with
// aliases followed, and for a second document.
Result<nlohmann::json> parse_yaml(std::string_view text, std::size_t most_values = 10'000);

}  // namespace ccm
