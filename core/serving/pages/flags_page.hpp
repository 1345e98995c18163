// The values of all flags (KEP-4828). Pure.
#pragma once

#include "serving/message.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ccm::serving {

using FlagValues = std::vector<std::pair<std::string, std::string>>;

// As text, or as JSON for those who accept only that. The values are shown as they are: whoever
// collects them leaves out what is secret.
Answer flags_page(const Request& request, const FlagValues& flags);

// Whether the request's Accept header asks for JSON rather than text.
bool wants_json(const Request& request);

// What stands above pages for people: they may change.
std::string page_header(std::string_view title);

}  // namespace ccm::serving
