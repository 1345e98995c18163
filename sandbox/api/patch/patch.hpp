#pragma once

#include "api/schema.hpp"
#include "store/object.hpp"

#include <stdexcept>
#include <string>

namespace sandbox {

// A patch that cannot be applied. `malformed` = it is no valid patch at all (400); otherwise it
// does not fit the object (422).
struct PatchError : std::runtime_error {
  explicit PatchError(const std::string& what, bool malformed = false)
      : std::runtime_error(what), malformed(malformed) {}
  bool malformed;
};

// More operations in a JSON patch than the server takes (413).
struct PatchTooLarge : PatchError {
  PatchTooLarge(std::size_t size, std::size_t limit)
      : PatchError("The allowed maximum operations in a JSON patch is " + std::to_string(limit) +
                       ", got " + std::to_string(size),
                   false) {}
};

// RFC 6902 as the API server implements it: negative indices count from the end, and replacing a
// missing member adds it. At most 10000 operations (API-9).
Json apply_json_patch(const Json& object, const Json& patch);

// RFC 7386.
Json apply_merge_patch(Json object, const Json& patch);

// Kubernetes' strategic merge, directed by the merge keys in `schema` (API-52, API-53).
Json apply_strategic_patch(Json object, Json patch, const Schema& schema);

}  // namespace sandbox
