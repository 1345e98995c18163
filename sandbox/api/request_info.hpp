#pragma once

#include "api/resource.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>

namespace sandbox {

// The API's meaning of a request path.
struct RequestInfo {
  std::string group;
  std::string version;
  std::string name_space;
  std::string plural;
  std::string name;
  std::string subresource;
  std::string verb;                    // get list watch create update patch delete deletecollection
  const Resource* resource = nullptr;  // null: unknown, or a review
};

// Nothing for a path outside /api/<v>/<...> and /apis/<g>/<v>/<...>.
std::optional<RequestInfo> parse_request(const http::Request& request);

}  // namespace sandbox
