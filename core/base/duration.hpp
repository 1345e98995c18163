// Durations as Go writes and reads them: "5m0s", "1h30m", "1.5s", "300ms", "-2s", "0". Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ccm {

// nullopt when the text has another form or does not fit. Units: ns, us, µs, ms, s, m, h.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// Go's Duration.String(): "0s", "1.5s", "300ms", "5m0s", "12h0m0s".
std::string format_duration(std::chrono::nanoseconds value);

// As people write it: whole seconds, at most two units, none that is 0: "0s", "45s", "30m",
// "1h30m", "2d3h".
std::string short_duration(std::chrono::nanoseconds value);

}  // namespace ccm
