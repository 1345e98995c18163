// JSON of an API server as leader election reads it: whatever is odd reads as absent, and nothing
// throws. Any thread.
#pragma once

#include <ccm/status.hpp>

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

// One event of a watch.
struct ObjectEvent {
  nlohmann::json object;  // null: it was deleted
  std::string failure;    // not empty: the Status with which the server ends the watch
};
// data_loss when the text is no event; `kind` stands in the message.
Result<ObjectEvent> parse_object_event(std::string_view text, std::string_view kind);

}  // namespace ccm::election
