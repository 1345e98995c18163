// core/v1 Events as JSON (API-109..113). Private to core/kube.
#pragma once

#include "kube/event_correlator.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace ccm::kube {

// Where the Event of an object lives.
std::string event_namespace(const ObjectReference& about);
// "<object>.<unix nanoseconds in hex>", or a UUID made from it when that would be no DNS subdomain.
// In one process always the same.
std::string event_name(std::string_view object_name, std::chrono::nanoseconds unix_time);
std::string event_body(const RawEvent& event, const EventCorrelator::Verdict& verdict,
                       std::string_view component, std::string_view name);
std::string event_patch(const RawEvent& event, const EventCorrelator::Verdict& verdict);

}  // namespace ccm::kube
