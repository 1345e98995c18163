// YAML to JSON, so that scenarios and kubeconfig files are handled as one kind of value.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ccm::support {

// Parses one YAML (or JSON) document. Plain scalars become null, booleans and numbers as in the
// YAML core schema, quoted ones stay strings. Throws std::runtime_error with line and column.
nlohmann::json parse_yaml(const std::string& text);

}  // namespace ccm::support
