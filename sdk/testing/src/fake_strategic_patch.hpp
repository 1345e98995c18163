// Strategic merge patches as far as controllers use them on built-in types. Private to the testing
// library.
#pragma once

#include <nlohmann/json.hpp>

namespace ccm::testing {

// RFC 7386, except that finalizers are united ("$deleteFromPrimitiveList/finalizers" removes), and
// conditions and addresses of a status are merged by their type ("$patch": "delete" removes one, an
// element {"$patch": "replace"} replaces the list).
void apply_strategic_patch(nlohmann::ordered_json& object, nlohmann::ordered_json patch);

}  // namespace ccm::testing
