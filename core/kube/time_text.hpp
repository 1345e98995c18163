// metav1.Time and MicroTime as texts (API-11). Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::kube {

// "2026-01-02T03:04:05Z".
std::string format_time(std::chrono::system_clock::time_point time);
// Reads RFC 3339 with any fraction and offset; nothing for other texts. A time beyond the clock's
// range becomes the first or the last one in it.
std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text);

}  // namespace ccm::kube
