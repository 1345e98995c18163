// The JSON in which the metadata service, container endpoints and programs give keys (AWS-27,
// AWS-29).
#pragma once

#include "keys.hpp"

#include <ccm/object.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace ccm::aws {

// A credential_process says "Version": 1, and SessionToken where the others say Token.
enum class KeysForm { service, process };

// Failures: unauthenticated when the "Code" of a service is not "Success"; data_loss when keys or
// the version are missing, or their end is no time. Messages show no value but that code. The host
// parses: a parser of the plugin's own would be 50 kB.
Result<Keys> parse_json_keys(ObjectHost host, std::string_view text,
                             KeysForm form = KeysForm::service);

// "2026-11-27T09:30:00Z", also with an offset ("+02:00") or none, in UTC; fractions of a second are
// cut. Nothing for another form.
std::optional<std::chrono::milliseconds> parse_expiration(std::string_view text);

}  // namespace ccm::aws
