#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace sandbox {

using Json = nlohmann::json;
// A revision counts every write of the whole store, as etcd's does.
using Revision = std::uint64_t;

// One immutable state of an API object. The JSON has no kind and no apiVersion: lists show none,
// and all other answers put them in front of `bytes`.
struct Object {
  std::string key;  // "name" or "namespace/name"
  Revision revision = 0;
  Json value;
  std::string bytes;  // `value` serialised once; shared by all readers
};
using ObjectPtr = std::shared_ptr<const Object>;

// Stamps metadata.resourceVersion and serialises.
ObjectPtr make_object(std::string key, Json value, Revision revision);

enum class EventType { kAdded, kModified, kDeleted };

struct Event {
  EventType type;
  ObjectPtr object;    // for kDeleted the last state, carrying the revision of the deletion
  ObjectPtr previous;  // null for kAdded
  Revision revision;
};

// Member of metadata as text; "" if absent or not a string.
const std::string& metadata_text(const Json& object, const char* member);
const Json& member_or_null(const Json& object, const char* member);

}  // namespace sandbox
