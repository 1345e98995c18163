// Durations as Go and people write them; the SDK reads them. Any thread.
#pragma once

#include <ccm/duration.hpp>

#include <chrono>
#include <string>

namespace ccm {

// Go's Duration.String(): "0s", "1.5s", "300ms", "5m0s", "12h0m0s".
std::string format_duration(std::chrono::nanoseconds value);

// As people write it: whole seconds, at most two units, none that is 0: "0s", "45s", "30m",
// "1h30m", "2d3h".
std::string short_duration(std::chrono::nanoseconds value);

}  // namespace ccm
