// The addresses that may reach a load balancer (SVC-75). Any thread.
#pragma once

#include "service_state.hpp"

#include <ccm/status.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::service {

// "10.1.2.3/8" is "10.0.0.0/8"; leading zeros of IPv4 numbers are decimal. Nothing for other texts.
std::optional<std::string> normalised_range(std::string_view text);

// spec.loadBalancerSourceRanges, else the annotation, else everybody: normalised, sorted, without
// duplicates; empty = everybody. One bad entry makes the whole an invalid_spec.
Result<std::vector<std::string>> source_ranges(const ServiceState& service);

}  // namespace ccm::service
