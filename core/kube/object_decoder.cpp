#include "kube/object_decoder.hpp"

#include "kube/object_encoding.hpp"
#include "kube/watch_decoder.hpp"

#include <simdjson.h>

#include <optional>

namespace ccm::kube {
namespace {

namespace ondemand = simdjson::ondemand;
using FieldNode = FieldSet::Node;

static_assert(simdjson::SIMDJSON_PADDING <= kJsonPadding);

constexpr int kMaxDepth = 128;

// Why a text was refused; simdjson's codes, and two of ours.
struct Fault {
  simdjson::error_code code = simdjson::SUCCESS;
  const char* own = nullptr;
  [[nodiscard]] bool none() const { return code == simdjson::SUCCESS && own == nullptr; }
};

std::string_view trimmed(std::string_view token) {
  const std::size_t last = token.find_last_not_of(" \t\r\n");
  return token.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

Status refusal(const Fault& fault) {
  const char* why = fault.own != nullptr ? fault.own : simdjson::error_message(fault.code);
  return {Code::data_loss, std::string("malformed JSON object: ") + why};
}

const FieldSet& bookmark_fields() {
  static const auto& fields = *[] {
    auto* made = new FieldSet;
    (void)made->add("/metadata/annotations");
    return made;
  }();
  return fields;
}

WatchEvent::Type event_type(std::string_view text) {
  if (text == "ADDED") return WatchEvent::Type::added;
  if (text == "MODIFIED") return WatchEvent::Type::modified;
  if (text == "DELETED") return WatchEvent::Type::deleted;
  if (text == "BOOKMARK") return WatchEvent::Type::bookmark;
  if (text == "ERROR") return WatchEvent::Type::error;
  return WatchEvent::Type::other;
}

}  // namespace

struct ObjectDecoder::Impl {
  ondemand::parser parser;
  encoding::Writer writer;
  std::string copy;

  simdjson::padded_string_view padded_view(std::string_view json, bool padded) {
    if (padded)
      return simdjson::padded_string_view(json.data(), json.size(), json.size() + kJsonPadding);
    copy.assign(json);
    copy.append(kJsonPadding, '\0');
    return simdjson::padded_string_view(copy.data(), json.size(), copy.size());
  }

  // `filter` null: everything below is kept.
  Fault value(ondemand::value from, const FieldNode* filter, int depth) {
    if (depth > kMaxDepth) return {simdjson::DEPTH_ERROR, nullptr};
    ondemand::json_type type{};
    if (const auto error = from.type().get(type)) return {error, nullptr};
    switch (type) {
      case ondemand::json_type::object:
        return object(from, filter, depth);
      case ondemand::json_type::array:
        return array(from, depth);
      case ondemand::json_type::string:
        return string(from);
      case ondemand::json_type::number:
        return number(from);
      case ondemand::json_type::boolean: {
        bool truth = false;
        if (const auto error = from.get_bool().get(truth)) return {error, nullptr};
        writer.boolean(truth);
        return {};
      }
      case ondemand::json_type::null:
        break;
    }
    if (trimmed(from.raw_json_token()) != "null") return {simdjson::N_ATOM_ERROR, nullptr};
    writer.null();
    return {};
  }

  Fault string(ondemand::value& from) {
    std::string_view text;
    if (const auto error = from.get_string().get(text)) return {error, nullptr};
    writer.string(text);
    return {};
  }

  Fault number(ondemand::value& from) {
    const std::string_view token = trimmed(from.raw_json_token());
    double checked = 0;
    if (const auto error = from.get_double().get(checked)) return {error, nullptr};
    writer.number(token);
    return {};
  }

  Fault array(ondemand::value& from, int depth) {
    ondemand::array elements;
    if (const auto error = from.get_array().get(elements)) return {error, nullptr};
    const std::size_t start = writer.begin(false);
    for (auto element : elements) {
      ondemand::value item;
      if (const auto error = std::move(element).get(item)) return {error, nullptr};
      if (const Fault fault = value(item, nullptr, depth + 1); !fault.none()) return fault;
    }
    writer.end(start);
    return {};
  }

  Fault object(ondemand::value& from, const FieldNode* filter, int depth) {
    ondemand::object members;
    if (const auto error = from.get_object().get(members)) return {error, nullptr};
    const std::size_t start = writer.begin(true);
    if (const Fault fault = object_members(members, filter, depth, {}); !fault.none()) return fault;
    writer.end(start);
    return {};
  }

  Fault object_members(ondemand::object& members, const FieldNode* filter, int depth,
                       const Object::DecodeOptions& type) {
    for (auto entry : members) {
      ondemand::field field;
      if (const auto error = std::move(entry).get(field)) return {error, nullptr};
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return {error, nullptr};
      const FieldNode* below = filter == nullptr ? nullptr : filter->child(key);
      if (filter != nullptr && below == nullptr) continue;
      if (below != nullptr && below->whole) below = nullptr;
      // The type comes from the caller, written in front, so that list items and events are alike.
      if (!type.kind.empty() && key == "apiVersion") continue;
      if (!type.kind.empty() && key == "kind") {
        std::string_view kind;
        if (field.value().get_string().get(kind) == simdjson::SUCCESS && kind != type.kind) {
          return {simdjson::SUCCESS, "foreign"};
        }
        continue;
      }
      writer.string(key);
      if (const Fault fault = value(field.value(), below, depth + 1); !fault.none()) return fault;
    }
    return {};
  }

  Result<ObjectPtr> root(ondemand::object members, const FieldSet& fields,
                         const Object::DecodeOptions& options) {
    writer.clear();
    const std::size_t start = writer.begin(true);
    if (!options.kind.empty()) {
      writer.string("apiVersion");
      writer.string(options.api_version);
      writer.string("kind");
      writer.string(options.kind);
    }
    const FieldNode* filter = fields.everything() ? nullptr : &fields.root();
    const Fault fault = object_members(members, filter, 1, options);
    if (fault.own != nullptr) {
      return Status(Code::failed_precondition,
                    "the object's kind is not " + std::string(options.kind));
    }
    if (!fault.none()) return refusal(fault);
    writer.end(start);
    ObjectPtr object = Object::make(writer.bytes());
    if (options.require_name && object->name().empty()) {
      return Status(Code::data_loss, "malformed object: it has no metadata.name");
    }
    return object;
  }
};

ObjectDecoder::ObjectDecoder() : impl_(std::make_unique<Impl>()) {}
ObjectDecoder::~ObjectDecoder() = default;

Result<ObjectPtr> ObjectDecoder::decode(std::string_view json, const FieldSet& fields,
                                        const Object::DecodeOptions& options, bool padded) {
  ondemand::document document;
  const auto view = impl_->padded_view(json, padded);
  if (const auto error = impl_->parser.iterate(view).get(document))
    return refusal({error, nullptr});
  ondemand::object members;
  if (const auto error = document.get_object().get(members)) return refusal({error, nullptr});
  return impl_->root(members, fields, options);
}

Result<WatchEvent> ObjectDecoder::decode_event(std::string_view json, const FieldSet& fields,
                                               const Object::DecodeOptions& options, bool padded) {
  ondemand::document document;
  const auto view = impl_->padded_view(json, padded);
  if (const auto error = impl_->parser.iterate(view).get(document))
    return refusal({error, nullptr});
  std::string_view type;
  if (const auto error = document["type"].get_string().get(type)) return refusal({error, nullptr});
  WatchEvent event;
  event.type = event_type(type);
  if (event.type == WatchEvent::Type::other) return event;
  ondemand::object members;
  if (const auto error = document["object"].get_object().get(members))
    return refusal({error, nullptr});
  if (event.type == WatchEvent::Type::error) {
    std::string_view raw;
    if (const auto error = members.raw_json().get(raw)) return refusal({error, nullptr});
    event.error_json.assign(raw);
    return event;
  }
  Object::DecodeOptions wanted = options;
  const bool bookmark = event.type == WatchEvent::Type::bookmark;
  if (bookmark) wanted.require_name = false;
  Result<ObjectPtr> object = impl_->root(members, bookmark ? bookmark_fields() : fields, wanted);
  if (!object.ok()) return object.status();
  event.object = std::move(*object);
  return event;
}

Result<ObjectPtr> Object::decode(std::string_view json, const FieldSet& fields,
                                 const DecodeOptions& options) {
  ObjectDecoder decoder;
  return decoder.decode(json, fields, options);
}

Result<ObjectPtr> Object::decode(std::string_view json) {
  DecodeOptions options;
  options.require_name = false;
  return decode(json, FieldSet::all(), options);
}

}  // namespace ccm::kube
