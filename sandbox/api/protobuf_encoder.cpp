#include "api/base64.hpp"
#include "api/protobuf.hpp"
#include "api/schema.hpp"
#include "api/times.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sandbox {
namespace {

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void append_integer(std::string& out, int number, std::int64_t value) {
  append_varint(out, static_cast<std::uint64_t>(number) << 3);
  append_varint(out, static_cast<std::uint64_t>(value));
}

// seconds = 1, nanos = 2; the zero time is an empty message.
std::string time_message(const Json& value) {
  std::string out;
  const std::string* text = value.get_ptr<const std::string*>();
  const auto time = text == nullptr ? std::nullopt : parse_time(*text);
  if (!time) return out;
  const auto whole = std::chrono::floor<std::chrono::seconds>(*time);
  append_integer(out, 1, whole.time_since_epoch().count());
  append_integer(out, 2, std::chrono::nanoseconds(*time - whole).count());
  return out;
}

std::string integer_or_string_message(const Json& value) {
  std::string out;
  append_integer(out, 1, value.is_string() ? 1 : 0);
  append_integer(out, 2, value.is_number_integer() ? value.get<std::int64_t>() : 0);
  append_protobuf(out, 3, value.is_string() ? value.get<std::string>() : "");
  return out;
}

std::string text_message(std::string_view text) {
  std::string out;
  append_protobuf(out, 1, text);
  return out;
}

void append_value(std::string& out, const Field& field, FieldType type, int number,
                  const Json& value) {
  switch (type) {
    case FieldType::kBool:
      return append_integer(out, number, value.get<bool>() ? 1 : 0);
    case FieldType::kInteger:
      return append_integer(out, number, value.get<std::int64_t>());
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return append_protobuf(out, number, time_message(value));
    case FieldType::kIntOrString:
      return append_protobuf(out, number, integer_or_string_message(value));
    case FieldType::kQuantity:
      return append_protobuf(
          out, number, text_message(value.is_string() ? value.get<std::string>() : value.dump()));
    case FieldType::kJson:
      return append_protobuf(out, number, text_message(value.dump()));
    case FieldType::kStruct:
      return append_protobuf(out, number, encode_protobuf(*field.structure, value));
    case FieldType::kString: {
      const auto& text = value.get_ref<const std::string&>();
      return append_protobuf(out, number, field.bytes ? base64_decode(text) : text);
    }
    default:
      throw std::logic_error("a field of this type has no protobuf form: " + field.name);
  }
}

void append_member(std::string& out, const Field& field, const Json& value) {
  // Nothing is lost without a word.
  if (field.number == 0) throw std::logic_error("no protobuf number is known of " + field.name);
  if (field.type == FieldType::kMap) {
    for (auto item = value.begin(); item != value.end(); ++item) {
      std::string entry;
      append_protobuf(entry, 1, item.key());
      append_value(entry, field, field.element, 2, *item);
      append_protobuf(out, field.number, entry);
    }
  } else if (field.type == FieldType::kList) {
    for (const Json& element : value) {
      append_value(out, field, field.element, field.number, element);
    }
  } else {
    append_value(out, field, field.type, field.number, value);
  }
}

}  // namespace

void append_protobuf(std::string& out, int number, std::string_view bytes) {
  append_varint(out, static_cast<std::uint64_t>(number) << 3 | 2);
  append_varint(out, bytes.size());
  out += bytes;
}

bool has_protobuf(const Schema& schema) {
  const Field* metadata = schema.find("metadata");
  return metadata != nullptr && metadata->number != 0;
}

// In the order of the numbers, as Kubernetes does.
std::string encode_protobuf(const Schema& schema, const Json& object) {
  std::vector<std::pair<const Field*, const Json*>> members;
  for (auto item = object.begin(); item != object.end(); ++item) {
    const Field* field = schema.find(item.key());
    if (field != nullptr && !item->is_null()) members.emplace_back(field, &*item);
  }
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first->number < b.first->number; });
  std::string out;
  for (const auto& [field, value] : members) append_member(out, *field, *value);
  return out;
}

std::string protobuf_envelope(std::string_view api_version, std::string_view kind,
                              std::string_view message) {
  std::string type;
  append_protobuf(type, 1, api_version);
  append_protobuf(type, 2, kind);
  std::string out("k8s\0", 4);
  append_protobuf(out, 1, type);
  append_protobuf(out, 2, message);
  append_protobuf(out, 3, "");
  append_protobuf(out, 4, "");
  return out;
}

}  // namespace sandbox
