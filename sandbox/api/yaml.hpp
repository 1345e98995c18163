#pragma once

#include "store/object.hpp"

#include <string>

namespace sandbox {

// One YAML document as JSON; plain scalars become null, booleans and numbers as YAML 1.2 has them.
// Throws std::invalid_argument with the place of the error.
Json parse_yaml(const std::string& text);

}  // namespace sandbox
