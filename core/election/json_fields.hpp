// JSON of an API server as leader election reads it: whatever is odd reads as absent, and nothing
// throws. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace ccm::election {

// Values that nest deeper than any Lease are left out: copying and rendering a json are recursive.
// Discarded when the text is no JSON.
nlohmann::json parse_bounded(std::string_view text);

// A member of the wrong type reads as absent.
std::string text_member(const nlohmann::json& object, const char* key);

// The metadata.resourceVersion of an object; empty when the value is no object of an API server.
std::string resource_version_of(const nlohmann::json& object);

}  // namespace ccm::election
