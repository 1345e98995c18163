// Services of type LoadBalancer in the API server, as the benches of providers make them.
#pragma once

#include "bare_client.hpp"

#include <cstddef>

namespace ccm::bench {

inline constexpr const char* kServices = "/api/v1/namespaces/default/services";

// How many of them have no address in their status yet. Throws std::runtime_error.
std::size_t services_without_address(const Server& admin);

}  // namespace ccm::bench
