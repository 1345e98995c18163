// What an HTTP answer of the sandbox cloud means. Any thread.
#pragma once

#include <ccm/http.hpp>
#include <ccm/status.hpp>

#include <string_view>

namespace sandbox {

// ok for 2xx; else a Status whose class says what to do (auth, throttled with the cloud's delay,
// quota, not found, unavailable) and whose message holds the cloud's request id. `operation` opens
// the message: "list machines".
ccm::Status status_of(std::string_view operation, const ccm::HttpResponse& response);

}  // namespace sandbox
