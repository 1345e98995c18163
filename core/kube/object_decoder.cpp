// Uses simdjson's DOM, not its On-Demand interface: the DOM parser picks the machine's best
// instructions at run time, On-Demand is compiled for the baseline x86-64. Measured, they are
// equally fast for a projected node, and the DOM also validates the fields that are not kept.
#include "kube/object_decoder.hpp"

#include "kube/watch_decoder.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

namespace ccm::kube {
namespace {

namespace dom = simdjson::dom;
using FieldNode = FieldSet::Node;

static_assert(simdjson::SIMDJSON_PADDING <= kJsonPadding);

// The parser's memory grows with the largest text (12 bytes per byte). Large texts get a separate
// parser and separate buffers.
constexpr std::size_t kKeptParserBytes = 64u << 10;

Status refusal(simdjson::error_code error) {
  return {Code::data_loss, std::string("malformed JSON object: ") + simdjson::error_message(error)};
}

// The value of an element whose type was looked at.
template <typename T>
T sure(simdjson::simdjson_result<T> result) {
  T value{};
  const auto error = std::move(result).get(value);
  return error == simdjson::SUCCESS ? value : T{};
}

template <typename Number>
void write_number(encoding::Writer& writer, Number value) {
  // The shortest form of it, "-0", would be read as an integer, which has no such zero.
  if (std::is_same_v<Number, double> && value == 0 && std::signbit(double(value))) {
    return writer.number("-0.0");
  }
  std::array<char, 32> text{};
  char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  // Without a fraction it would be read as an integer, and those end at 64 bits.
  if (std::is_same_v<Number, double> && std::abs(double(value)) >= 0x1p63 &&
      std::none_of(text.data(), end, [](char c) { return c == '.' || c == 'e'; })) {
    *end++ = '.';
    *end++ = '0';
  }
  writer.number({text.data(), static_cast<std::size_t>(end - text.data())});
}

void write_members(encoding::Writer& writer, const dom::object& from,
                   const FieldSet::Node* filter) {
  for (const auto [key, member] : from) {
    const FieldSet::Node* below = nullptr;
    if (filter != nullptr) {
      below = filter->child(key);
      if (below == nullptr) continue;
      if (below->whole) below = nullptr;
    }
    writer.string(key);
    write_json_tree(writer, member, below);
  }
}

}  // namespace

void write_json_tree(encoding::Writer& writer, const dom::element& from,
                     const FieldSet::Node* filter) {
  switch (from.type()) {
    case dom::element_type::OBJECT: {
      const std::size_t start = writer.begin(true);
      write_members(writer, sure(from.get_object()), filter);
      writer.end(start);
      return;
    }
    case dom::element_type::ARRAY: {
      const std::size_t start = writer.begin(false);
      const dom::array elements = sure(from.get_array());
      const FieldSet::Node* below = filter == nullptr ? nullptr : filter->each_element();
      for (const dom::element element : elements) write_json_tree(writer, element, below);
      writer.end(start);
      return;
    }
    case dom::element_type::STRING:
      return writer.string(sure(from.get_string()));
    case dom::element_type::INT64:
      return write_number(writer, sure(from.get_int64()));
    case dom::element_type::UINT64:
      return write_number(writer, sure(from.get_uint64()));
    case dom::element_type::DOUBLE:
      return write_number(writer, sure(from.get_double()));
    case dom::element_type::BOOL:
      return writer.boolean(sure(from.get_bool()));
    case dom::element_type::NULL_VALUE:
      return writer.null();
  }
}

namespace {

// What is used again from one call to the next.
struct JsonDecoder {
  dom::parser parser;
  encoding::Writer writer;
  std::string copy;

  // Parses with the kept parser, or with `large`, which has to live as long as the result.
  simdjson::error_code parse(std::string_view json, bool padded, dom::parser& large,
                             dom::element& out) {
    if (!padded) {
      copy.assign(json);
      copy.append(kJsonPadding, '\0');
      json = std::string_view(copy).substr(0, json.size());
    }
    dom::parser& chosen = json.size() > kKeptParserBytes ? large : parser;
    if (chosen.capacity() < json.size() || chosen.max_depth() != encoding::kMaxDepth) {
      const auto error =
          chosen.allocate(std::max<std::size_t>(json.size(), 4096), encoding::kMaxDepth);
      if (error != simdjson::SUCCESS) return error;
    }
    const auto error = chosen.parse(json.data(), json.size(), false).get(out);
    if (copy.capacity() > kKeptParserBytes) std::string().swap(copy);
    return error;
  }

  Result<ObjectPtr> root(const dom::element& element, const FieldSet& fields,
                         const Object::DecodeOptions& options) {
    dom::object object;
    if (const auto error = element.get_object().get(object)) return refusal(error);
    writer.clear();
    const std::size_t start = writer.begin(true);
    if (!options.kind.empty()) {
      std::string_view kind;
      const auto absent = object["kind"].get_string().get(kind);
      if (absent == simdjson::SUCCESS && kind != options.kind) {
        return Status(Code::failed_precondition,
                      "the object's kind is not " + std::string(options.kind));
      }
      // Always in front, so that list items and the objects of events are alike.
      writer.string("apiVersion");
      writer.string(options.api_version);
      writer.string("kind");
      writer.string(options.kind);
    }
    const FieldNode* filter = fields.everything() ? nullptr : &fields.root();
    for (const auto [key, member] : object) {
      const bool type = key == "kind" || key == "apiVersion";
      const FieldNode* below = filter == nullptr ? nullptr : filter->child(key);
      if ((type && !options.kind.empty()) || (filter != nullptr && below == nullptr)) continue;
      writer.string(key);
      write_json_tree(writer, member, below != nullptr && below->whole ? nullptr : below);
    }
    writer.end(start);
    ObjectPtr made = Object::make(writer.bytes());
    if (writer.capacity() > kKeptParserBytes) writer = {};
    if (options.require_name && made->name().empty()) {
      return Status(Code::data_loss, "malformed object: it has no metadata.name");
    }
    return made;
  }
};

thread_local JsonDecoder t_decoder;

}  // namespace

const FieldSet& bookmark_fields() {
  static const auto& fields = *[] {
    auto* made = new FieldSet;
    (void)made->add("/metadata/annotations");
    return made;
  }();
  return fields;
}

WatchEvent::Type watch_event_type(std::string_view text) {
  if (text == "ADDED") return WatchEvent::Type::added;
  if (text == "MODIFIED") return WatchEvent::Type::modified;
  if (text == "DELETED") return WatchEvent::Type::deleted;
  if (text == "BOOKMARK") return WatchEvent::Type::bookmark;
  if (text == "ERROR") return WatchEvent::Type::error;
  return WatchEvent::Type::other;
}

Result<ObjectPtr> decode_object(std::string_view json, const FieldSet& fields,
                                const Object::DecodeOptions& options, bool padded) {
  dom::parser large;
  dom::element element;
  if (const auto error = t_decoder.parse(json, padded, large, element)) return refusal(error);
  return t_decoder.root(element, fields, options);
}

Result<WatchEvent> decode_event(std::string_view json, const FieldSet& fields,
                                const Object::DecodeOptions& options, bool padded) {
  dom::parser large;
  dom::element document;
  if (const auto error = t_decoder.parse(json, padded, large, document)) return refusal(error);
  std::string_view type;
  if (const auto error = document["type"].get_string().get(type)) return refusal(error);
  WatchEvent event;
  event.type = watch_event_type(type);
  if (event.type == WatchEvent::Type::other) return event;
  dom::element object;
  if (const auto error = document["object"].get(object)) return refusal(error);
  if (event.type == WatchEvent::Type::error) {
    event.error_json = simdjson::minify(object);
    return event;
  }
  Object::DecodeOptions wanted = options;
  const bool bookmark = event.type == WatchEvent::Type::bookmark;
  if (bookmark) wanted.require_name = false;
  Result<ObjectPtr> decoded = t_decoder.root(object, bookmark ? bookmark_fields() : fields, wanted);
  if (!decoded.ok()) return decoded.status();
  event.object = std::move(*decoded);
  return event;
}

Result<ObjectPtr> Object::decode(std::string_view json, const FieldSet& fields,
                                 const DecodeOptions& options) {
  return decode_object(json, fields, options);
}

Result<ObjectPtr> Object::decode(std::string_view json) {
  DecodeOptions options;
  options.require_name = false;
  return decode(json, FieldSet::all(), options);
}

}  // namespace ccm::kube
