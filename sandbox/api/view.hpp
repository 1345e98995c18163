#pragma once

#include "api/resource.hpp"

#include <string>

namespace sandbox {

// The form in which the client wants objects; chosen by the Accept header. All are JSON but
// kProtobuf.
enum class View { kObject, kPartial, kTable, kProtobuf };

// Throws ApiError 406 if nothing in `accept` is on offer for this resource. Of the two encodings
// the one that is named first is meant.
View parse_accept(const std::string& accept, const Resource& resource);
std::string content_type(View view);
// The failure as an answer, in the encoding that the request accepts.
http::Response failure_answer(const ApiError& error, const http::Request& request);

// Appends one object, with kind and apiVersion.
void append_object(std::string& out, const Resource& resource, const Object& object, View view);
std::string encode_object(const Resource& resource, const Object& object, View view);

struct ListMeta {
  Revision revision = 0;
  std::string continue_token;
  long long remaining = -1;  // < 0 = not shown
};
std::string encode_list(const Resource& resource, const std::vector<ObjectPtr>& objects,
                        const ListMeta& meta, View view);

// Appends one line of a watch.
void append_event(std::string& out, const Resource& resource, const char* type,
                  const Object& object, View view);
void append_bookmark(std::string& out, const Resource& resource, Revision revision,
                     bool end_of_initial_events, View view);
void append_error(std::string& out, const ApiError& error, View view);

// Column headings and cells of `kubectl get` (tables.cpp).
Json table_columns(const Resource& resource);
Json table_cells(const Resource& resource, const Object& object);

}  // namespace sandbox
