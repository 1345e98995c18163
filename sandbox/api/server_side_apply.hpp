#pragma once

#include "api/write_requests.hpp"

namespace sandbox {

// PATCH with application/apply-patch+yaml. Limits: ownership is recorded for appliers only, so a
// conflict is found between two appliers but not between an applier and a plain writer; lists are
// owned by their keys.
http::Response handle_apply(Store& store, Writer& writer, const RequestInfo& info,
                            const http::Request& request, Json applied);

// The set of leaf paths in `applied` in the notation of fieldsV1 ("f:spec", "k:{...}", "v:...").
Json field_set(const Json& applied, const Schema& schema);

}  // namespace sandbox
