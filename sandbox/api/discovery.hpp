#pragma once

#include "http/message.hpp"

#include <optional>

namespace sandbox {

// /api, /apis, /api/v1, /apis/<g>, /apis/<g>/<v>, /version, /openapi/...; nothing for other paths.
std::optional<http::Response> discovery_answer(const http::Request& request);

// /healthz, /livez, /readyz and paths below them.
std::optional<http::Response> health_answer(const http::Request& request);

}  // namespace sandbox
