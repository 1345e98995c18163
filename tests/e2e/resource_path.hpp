// Where objects live on the API server.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace ccm::e2e {

// The collection of a kind, "/api/v1/nodes"; namespace "" means "default" for namespaced kinds.
// Throws std::runtime_error for a kind that scenarios do not use.
std::string collection_path(const std::string& kind, const std::string& name_space);

// Paths for an object with apiVersion, kind and metadata.
std::string collection_path(const nlohmann::json& object);
std::string object_path(const nlohmann::json& object);

// The path for a reference in a scenario: KIND/NAME or KIND/NAMESPACE/NAME.
std::string object_path(const std::string& reference);

}  // namespace ccm::e2e
