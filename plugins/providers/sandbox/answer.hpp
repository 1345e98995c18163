// Converts HTTP answers of the sandbox cloud. Any thread.
#pragma once

#include <ccm/http.hpp>
#include <ccm/status.hpp>

#include <string_view>

namespace sandbox {

// ok for 2xx; else a Status with a class (auth, throttled with the cloud's delay, quota, not found,
// unavailable) and a message with the cloud's request id. `operation` begins the message: "list
// machines".
ccm::Status status_of(std::string_view operation, const ccm::HttpResponse& response);

}  // namespace sandbox
