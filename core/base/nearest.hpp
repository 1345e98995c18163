// "Did you mean ...": the known name closest to the typed one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ccm {

// The candidate with the fewest edits from `typed`, if those are few enough to be a slip (a third
// of its length, or one contains the other); else an empty text. Any thread.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

// " (did you mean NAME?)", or an empty text: to be appended to a message. `prefix` goes before
// NAME.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates,
                         std::string_view prefix = {});

}  // namespace ccm
