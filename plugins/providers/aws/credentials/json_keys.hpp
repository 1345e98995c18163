// The JSON in which the metadata service and container endpoints give keys (AWS-29).
#pragma once

#include "keys.hpp"

#include <ccm/object.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace ccm::aws {

// Failures: unauthenticated when "Code" is not "Success"; data_loss when keys or their end are
// missing. Messages show no value but the code. The host parses: a parser of the plugin's own would
// be 50 kB.
Result<Keys> parse_json_keys(ObjectHost host, std::string_view text);

// "2026-11-27T09:30:00Z", fractions of a second cut; nothing for another form.
std::optional<std::chrono::milliseconds> parse_expiration(std::string_view text);

}  // namespace ccm::aws
