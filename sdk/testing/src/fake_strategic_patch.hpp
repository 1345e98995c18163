// Strategic merge patches as far as controllers use them on built-in types. Private to the testing
// library.
#pragma once

#include <nlohmann/json.hpp>

namespace ccm::testing {

// RFC 7386, but that finalizers are united ("$deleteFromPrimitiveList/finalizers" takes away) and
// conditions are merged by their type ("$patch": "delete" takes one away).
void apply_strategic_patch(nlohmann::ordered_json& object, nlohmann::ordered_json patch);

}  // namespace ccm::testing
