// Decodes API objects and watch events into kube::Object with simdjson, keeping only declared
// fields. Any thread: each has buffers of its own, which are used again by the next call.
#pragma once

#include "kube/object.hpp"
#include "kube/object_encoding.hpp"

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace simdjson::dom {
class element;
}

namespace ccm::kube {

struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark, error, other };
  Type type = Type::other;
  ObjectPtr object;        // added, modified, deleted, bookmark
  std::string error_json;  // error: the Status object
};

// The type that the text in the event names; `other` for one that is not known.
WatchEvent::Type watch_event_type(std::string_view text);
// The fields of a bookmark that are kept.
const FieldSet& bookmark_fields();

// As Object::decode(). `padded`: kJsonPadding bytes after `json` may be read (watch_decoder.hpp),
// else the text is copied first. A text whose kind differs from options.kind is
// failed_precondition.
Result<ObjectPtr> decode_object(std::string_view json, const FieldSet& fields,
                                const Object::DecodeOptions& options, bool padded = false);
// One event of a watch (API-24). A bookmark keeps its resourceVersion and annotations.
Result<WatchEvent> decode_event(std::string_view json, const FieldSet& fields,
                                const Object::DecodeOptions& options, bool padded = false);

// Writes what simdjson has parsed in the form that kube::Object keeps. `filter` null: everything
// below is kept.
void write_json_tree(encoding::Writer& writer, const simdjson::dom::element& from,
                     const FieldSet::Node* filter);

}  // namespace ccm::kube
