#pragma once

#include "store/object.hpp"

#include <string>

namespace sandbox {

// True if both elements are the same list member: equal merge key, or equal value when
// `merge_key` is empty.
bool same_member(const Json& left, const Json& right, const std::string& merge_key);

// Orders `merged`: members named in `wanted` follow its order, the others keep their order in
// `original`; where `original` has both, its order decides.
Json order_members(const Json& merged, const Json& wanted, const Json& original,
                   const std::string& merge_key);

// First occurrences only.
Json without_duplicates(const Json& list);

// Throws PatchError unless every member of `patch` occurs in `order`, in the same sequence.
void check_element_order(const Json& patch, const Json& order, const std::string& merge_key);

// Copy of a patch value without `$patch` and the other directives.
Json without_directives(const Json& value);

}  // namespace sandbox
