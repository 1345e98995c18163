#pragma once

#include "api/resource.hpp"

#include <string>
#include <vector>

namespace sandbox {

// Rules that hold for the metadata of every kind. `old` is null on create.
void validate_metadata(const Resource& resource, const Json* old, const Json& object,
                       std::vector<Cause>& causes);

// Adds the causes for wrong label keys and values; also used for selectors inside specs.
void validate_labels(const Json& labels, const std::string& path, std::vector<Cause>& causes);

// Random version 4 UUID.
std::string new_uid();
// Five characters for generateName.
std::string name_suffix();

}  // namespace sandbox
