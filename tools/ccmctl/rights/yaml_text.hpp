// JSON values as YAML in block style, the same text for the same value.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace ccm::ctl {

// A member of this name becomes a comment line in front of the others.
constexpr const char* kComment = "#";

// One document without separators: two spaces for each level, lists of scalars on one line. Takes
// objects; an empty one becomes "{}".
std::string to_yaml(const nlohmann::ordered_json& object);

// The value without comments, for JSON.
nlohmann::ordered_json without_comments(const nlohmann::ordered_json& value);

}  // namespace ccm::ctl
