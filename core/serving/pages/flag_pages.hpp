// The values of all flags (KEP-4828), and a change of --v in the running process (HOST-98).
#pragma once

#include "serving/message.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ccm::serving {

using FlagValues = std::vector<std::pair<std::string, std::string>>;

// As text, or as JSON for clients that accept only that. The values are shown unchanged: callers
// leave out secrets.
Answer flags_page(const Request& request, const FlagValues& flags);

// Whether the request's Accept header asks for JSON rather than text.
bool wants_json(const Request& request);

// The note at the top of pages for people: they may change.
std::string page_header(std::string_view title);

// PUT with a decimal number. The change is logged with the name of the user.
Answer verbosity_page(const Request& request);

}  // namespace ccm::serving
