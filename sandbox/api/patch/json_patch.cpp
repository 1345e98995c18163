#include "api/patch/patch.hpp"

namespace sandbox {

namespace {
constexpr std::size_t kMaxOperations = 10000;
}

Json apply_json_patch(const Json& object, const Json& patch) {
  if (!patch.is_array()) {
    throw PatchError("json: cannot unmarshal " + std::string(patch.type_name()) +
                         " into Go value of type jsonpatch.Patch",
                     true);
  }
  if (patch.size() > kMaxOperations) {
    throw PatchError("The allowed maximum operations in a JSON patch is 10000, got " +
                         std::to_string(patch.size()),
                     false);
  }
  try {
    return object.patch(patch);
  } catch (const Json::parse_error& error) {
    throw PatchError(error.what(), false);
  } catch (const Json::exception& error) {
    // A failed `test`, or a path that leads nowhere.
    throw PatchError(error.what(), false);
  }
}

Json apply_merge_patch(Json object, const Json& patch) {
  if (!patch.is_object()) throw PatchError("a merge patch has to be a JSON object", true);
  object.merge_patch(patch);
  return object;
}

}  // namespace sandbox
