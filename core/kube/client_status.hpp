// What a failed answer of the API server means, as a Status (API-12, 17, 25, 26, 45, 58, 75). Any
// thread.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace ccm::kube {

// The Status (API-12) in a failed answer, in either encoding, or the HTTP code alone when the body
// is something else. `retry_after_header` may be empty. Never ok.
Status status_of_answer(unsigned http_status, std::string_view body,
                        std::string_view retry_after_header);
// The wait that a header Retry-After asks for, a minute at most; nothing for a date, which
// client-go does not understand either (API-68).
std::optional<std::chrono::seconds> retry_advice(std::string_view header);
// The Status object of an in-stream ERROR event (API-25).
Status status_of_object(std::string_view status_json);
// 410 in all three forms, and "resource version too large" (API-17, 26, 27): list again.
bool is_expired(const Status& status);

}  // namespace ccm::kube
