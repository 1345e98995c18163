// Texts of Events and conditions. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm::service {

inline constexpr std::string_view kNoNodes = "There are no available nodes for LoadBalancer";

// "quota", "invalid spec", ...; empty when nothing is known.
std::string class_words(ErrorClass error_class);

// Cause, class and next step. The same failure gives the same text, so that Events are counted
// instead of repeated.
std::string failure_text(const Status& status);

// Whether Events and conditions report it: not when the manager itself is ending, or when the next
// attempt is about to begin.
bool worth_reporting(const Status& status);

}  // namespace ccm::service
