#include "api/protobuf.hpp"

#include "api/base64.hpp"
#include "api/schema.hpp"
#include "api/status.hpp"
#include "api/times.hpp"

#include <cstdint>
#include <string>

namespace sandbox {
namespace {

[[noreturn]] void malformed() {
  throw bad_request("error decoding request body: malformed protobuf");
}

// The fields of one message, in the order in which they were sent.
class Message {
 public:
  explicit Message(std::string_view text) : rest_(text) {}

  // Goes to the next field; false at the end.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    number_ = static_cast<int>(tag >> 3 & 0x1fffffff);
    switch (tag & 7) {
      case 0:
        integer_ = varint();
        bytes_ = {};
        break;
      case 1:
        bytes_ = take(8);
        break;
      case 2:
        bytes_ = take(varint());
        break;
      case 5:
        bytes_ = take(4);
        break;
      default:
        malformed();
    }
    wire_type_ = static_cast<int>(tag & 7);
    return true;
  }
  int number() const { return number_; }
  std::int64_t integer() const {
    if (wire_type_ != 0) malformed();
    return static_cast<std::int64_t>(integer_);
  }
  std::string_view bytes() const {
    if (wire_type_ != 2) malformed();
    return bytes_;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    malformed();
  }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) malformed();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  int number_ = 0;
  int wire_type_ = 0;
  std::uint64_t integer_ = 0;
  std::string_view bytes_;
};

Json message_object(const Schema& schema, std::string_view text);

// meta/v1 Time and MicroTime: seconds = 1, nanos = 2. The zero time is an empty message, which JSON
// has as null.
Json time_text(std::string_view text, bool micro) {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  for (Message message(text); message.next();) {
    if (message.number() == 1) seconds = message.integer();
    if (message.number() == 2) nanoseconds = message.integer();
  }
  constexpr std::int64_t kYear10000 = 253402300800;
  if (seconds <= 0 || seconds >= kYear10000) return nullptr;
  if (!micro) return format_time(Time(std::chrono::seconds(seconds)));
  const std::chrono::microseconds fraction(nanoseconds / 1000 % 1000000);
  return format_micro_time(Time(std::chrono::seconds(seconds) + fraction));
}

// resource.Quantity: string = 1. meta/v1 FieldsV1: Raw = 1.
std::string only_text(std::string_view text) {
  std::string result;
  for (Message message(text); message.next();) {
    if (message.number() == 1) result = std::string(message.bytes());
  }
  return result;
}

Json json_value(std::string_view text) {
  try {
    return Json::parse(only_text(text));
  } catch (const Json::parse_error&) {
    malformed();
  }
}

// util/intstr IntOrString: type = 1 (0: integer, 1: string), intVal = 2, strVal = 3.
Json integer_or_string(std::string_view text) {
  std::int64_t type = 0;
  Json integer = 0;
  Json string = "";
  for (Message message(text); message.next();) {
    if (message.number() == 1) type = message.integer();
    if (message.number() == 2) integer = message.integer();
    if (message.number() == 3) string = std::string(message.bytes());
  }
  return type == 0 ? integer : string;
}

Json field_value(const Field& field, FieldType type, const Message& message) {
  switch (type) {
    case FieldType::kBool:
      return message.integer() != 0;
    case FieldType::kInteger:
      return message.integer();
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return time_text(message.bytes(), type == FieldType::kMicroTime);
    case FieldType::kQuantity:
      return only_text(message.bytes());
    case FieldType::kJson:
      return json_value(message.bytes());
    case FieldType::kIntOrString:
      return integer_or_string(message.bytes());
    case FieldType::kStruct:
      return message_object(*field.structure, message.bytes());
    case FieldType::kString:
      return field.bytes ? base64_encode(message.bytes()) : std::string(message.bytes());
    default:
      return nullptr;  // no field of these types has a number
  }
}

// An entry of a map: key = 1, value = 2.
void add_entry(const Field& field, std::string_view text, Json& map) {
  std::string key;
  Json content = "";
  for (Message message(text); message.next();) {
    if (message.number() == 1) key = std::string(message.bytes());
    if (message.number() == 2) content = field_value(field, field.element, message);
  }
  map[key] = std::move(content);
}

Json message_object(const Schema& schema, std::string_view text) {
  Json object = Json::object();
  for (Message message(text); message.next();) {
    const Field* field = schema.find(message.number());
    if (field == nullptr) continue;
    Json& member = object[field->name];
    if (field->type == FieldType::kMap) {
      add_entry(*field, message.bytes(), member);
    } else if (field->type == FieldType::kList) {
      member.push_back(field_value(*field, field->element, message));
    } else {
      member = field_value(*field, field->type, message);
    }
  }
  return object;
}

}  // namespace

// A magic number, then runtime.Unknown: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2.
Json parse_protobuf(std::string_view body) {
  using namespace std::string_view_literals;
  constexpr std::string_view kMagic = "k8s\0"sv;
  if (!body.starts_with(kMagic)) malformed();
  std::string api_version;
  std::string kind;
  std::string_view raw;
  for (Message unknown(body.substr(kMagic.size())); unknown.next();) {
    if (unknown.number() == 2) raw = unknown.bytes();
    if (unknown.number() != 1) continue;
    for (Message type(unknown.bytes()); type.next();) {
      if (type.number() == 1) api_version = std::string(type.bytes());
      if (type.number() == 2) kind = std::string(type.bytes());
    }
  }
  const Schema* schema = find_schema(kind);
  const Field* metadata = schema == nullptr ? nullptr : schema->find("metadata");
  if (metadata == nullptr || metadata->number == 0) {
    throw unsupported_media_type("application/json,application/yaml");
  }
  Json object = message_object(*schema, raw);
  object["apiVersion"] = api_version;
  object["kind"] = kind;
  try {
    object.dump();  // throws when a string is not UTF-8
  } catch (const Json::type_error&) {
    malformed();
  }
  return object;
}

}  // namespace sandbox
