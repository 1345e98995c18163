// The fields of Kubernetes' types in their protobuf form, and how Go writes them as JSON: which
// number has which name, in the order of the JSON. The data are in protobuf_table.txt, which
// tools/protobuf_table writes. Constant data, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ccm::kube::protobuf {

enum class Kind : uint8_t {
  string,
  bytes,  // base64 in JSON
  boolean,
  int32,
  int64,
  time,           // metav1.Time
  micro_time,     // metav1.MicroTime
  quantity,       // resource.Quantity
  int_or_string,  // intstr.IntOrString
  json,           // metav1.FieldsV1: a message that holds a JSON text
  message,
};

enum class Shape : uint8_t {
  single,
  pointer,   // one that may be absent: a zero that is there is shown
  repeated,  // a list
  map,       // with strings as keys
};

// When JSON leaves the member out.
enum class Omit : uint8_t {
  never,
  empty,  // omitempty: an empty list or map, an absent pointer, a zero; a struct never
  zero,   // omitzero: a zero time too
};

struct Message;

struct Field {
  std::string_view name;  // in JSON
  uint32_t number;
  Kind kind;  // each element's
  Shape shape;
  Omit omit;
  const Message* message;  // null for other kinds
};

// The generator holds these limits.
inline constexpr std::size_t kMaxFields = 32;
inline constexpr uint32_t kMaxNumber = 63;

struct Message {
  std::string_view name;
  std::span<const Field> fields;  // in the order of Go's struct, which is that of the JSON
};

struct NamedMessage {
  std::string_view api_version;
  std::string_view kind;
  const Message* message;
};

// The kinds that informers can read in protobuf.
std::span<const NamedMessage> kinds();
const Message& status_message();     // metav1.Status
const Message& list_meta_message();  // metav1.ListMeta

}  // namespace ccm::kube::protobuf
