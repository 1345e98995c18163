// Services of type LoadBalancer in the API server, as the benches of providers make them.
#pragma once

#include "bare_client.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>

namespace ccm::bench {

inline constexpr const char* kServices = "/api/v1/namespaces/default/services";

bool has_address(const nlohmann::json& service);

// How many of them have no address in their status yet. Throws std::runtime_error.
std::size_t services_without_address(const Server& admin);

}  // namespace ccm::bench
