// Converts DigitalOcean's answers, status and error body, to ccm::Status (DO-48, DO-49, DO-323,
// DO-325). Any thread.
#pragma once

#include <ccm/http.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <string_view>

namespace ccm::digitalocean {

// ok for 200..299 (DO-48). `operation` begins the message, which holds the cloud's text and its
// request id. `now` is the time since 1970, for ratelimit-reset (DO-321).
//   401, 403 auth; 404 not_found; 409, 412 conflict; 422 and other 4xx invalid_spec;
//   429 throttled with retry_after; 5xx unavailable.
Status status_of(std::string_view operation, const HttpResponse& response,
                 std::chrono::milliseconds now);

// A success with an unusable body: data_loss, class unavailable, reason "BadAnswer".
Status bad_answer(std::string_view what);

}  // namespace ccm::digitalocean
