#pragma once

#include "store/object.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

struct Schema;

// The type of a field.
enum class FieldType {
  kString,
  kBool,
  kInteger,
  kTime,       // RFC 3339, whole seconds
  kMicroTime,  // RFC 3339, six fractional digits
  kQuantity,   // string or number
  kIntOrString,
  kJson,  // stored unchanged; protobuf has the text of it
  kAny,   // stored unchanged
  kMap,   // string keys, values of `element`
  kList,
  kStruct,
};

struct Field {
  std::string name;
  FieldType type = FieldType::kAny;
  bool pointer = false;               // an explicit zero value is kept
  bool always = false;                // shown even when empty
  bool merge = false;                 // strategic merge patch merges this list
  std::string merge_key;              // "" for a merged list of primitives
  std::string set_key;                // server-side apply: keys of list elements, comma separated
  bool bytes = false;                 // protobuf has bytes where JSON has base64
  int number = 0;                     // in the protobuf encoding; 0 = not known here
  const Schema* structure = nullptr;  // of the struct, or of the elements
  FieldType element = FieldType::kAny;
};

struct Schema {
  std::string name;
  std::map<std::string, Field, std::less<>> fields;
  const Field* find(std::string_view name) const;
  const Field* find(int number) const;  // by the number in the protobuf encoding
};

// The schema of a kind ("Node") or of a part of one ("NodeStatus"); null if unknown.
const Schema* find_schema(std::string_view name);

// Findings of a decode besides the object itself.
struct DecodeNotes {
  std::vector<std::string> unknown_fields;  // paths, in the order found
  std::string error;                        // first wrong type; "" if none
};

// Normalises `value` to the API's stored form: unknown fields, nulls and empty optional values are
// dropped, empty structs filled in, times rewritten in their canonical form.
void normalise(const Schema& schema, Json& value, DecodeNotes& notes);

// Text of the schema table (schema_table.cpp).
std::string_view schema_table();

}  // namespace sandbox
