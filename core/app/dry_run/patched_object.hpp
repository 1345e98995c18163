// The effect of a patch on an object. Pure; any thread.
#pragma once

#include "app/dry_run/change.hpp"
#include "kube/client.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

// The object after the patch, as JSON, as far as its fields are known. `object` is a JSON object; a
// body that does not fit it changes nothing: the API server would refuse it. Lists of Nodes and
// Services that the API server merges are merged (API-47), all others replaced.
std::string patched(std::string_view object, kube::PatchType type, std::string_view body);

// The values that differ; metadata.uid and metadata.resourceVersion are none.
std::vector<FieldChange> changed_fields(std::string_view before, std::string_view after);

}  // namespace ccm::app
