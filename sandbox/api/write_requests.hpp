#pragma once

#include "api/writer.hpp"

namespace sandbox {

// The HTTP side of the writes: bodies in, answers out. All throw ApiError.
http::Response handle_create(Writer& writer, const RequestInfo& info, const http::Request& request);
http::Response handle_update(Store& store, Writer& writer, const RequestInfo& info,
                             const http::Request& request);
http::Response handle_patch(Store& store, Writer& writer, const RequestInfo& info,
                            const http::Request& request);
http::Response handle_delete(Store& store, Writer& writer, const RequestInfo& info,
                             const http::Request& request);
http::Response handle_delete_collection(Store& store, Writer& writer, const RequestInfo& info,
                                        const http::Request& request);

// Shared with server-side apply.
bool is_dry_run(const http::Request& request);
http::Response write_answer(const Resource& resource, const Writer::Result& result,
                            const http::Request& request, const std::vector<std::string>& warnings);

}  // namespace sandbox
