// Manifests as operators apply them: files of several YAML documents, applied server-side.
#pragma once

#include "support/kube_client.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::support {

// The documents of a YAML text that are separated by lines of "---". Throws std::runtime_error.
std::vector<nlohmann::json> parse_manifests(const std::string& text);
std::vector<nlohmann::json> read_manifests(const std::filesystem::path& file);

// Applies an object, which must be complete, as field manager "test". Throws std::runtime_error
// with the server's message when it is refused.
void apply(KubeClient& api, const nlohmann::json& object);

}  // namespace ccm::support
