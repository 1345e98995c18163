#include "kube/wire_format.hpp"

#include "kube/protobuf_stream.hpp"

#include <string>

namespace ccm::kube {
namespace {

Status only_json(std::string why) {
  return Status(Code::unimplemented, ErrorClass::unsupported, std::move(why))
      .with_reason(std::string(protobuf::kNeedsJson));
}

}  // namespace

Result<WireFormat> WireFormat::make_protobuf(const FieldSet& fields,
                                             const Object::DecodeOptions& options) {
  const protobuf::Message* message = protobuf::message_of(options.api_version, options.kind);
  if (message == nullptr) return only_json("its protobuf form is not known");
  if (fields.everything()) return only_json("whole objects are read");
  protobuf::Projection objects(*message, fields);
  if (!objects.unknown().empty()) {
    return only_json("the field " + objects.unknown().front() + " is not known in protobuf");
  }
  WireFormat format(fields, options);
  format.protobuf_ = {std::move(objects), protobuf::Projection(*message, bookmark_fields())};
  return format;
}

std::unique_ptr<ListReader> WireFormat::list(std::size_t max_object_bytes) const {
  if (!protobuf_) return std::make_unique<ListDecoder>(max_object_bytes);
  return std::make_unique<protobuf::ListCutter>(
      options_.api_version, std::string(options_.kind) + "List", max_object_bytes);
}

std::unique_ptr<WatchReader> WireFormat::watch(std::size_t max_object_bytes) const {
  if (!protobuf_) return std::make_unique<WatchDecoder>(max_object_bytes);
  return std::make_unique<protobuf::FrameCutter>(max_object_bytes);
}

Result<ObjectPtr> WireFormat::decode(std::string_view piece) const {
  if (!protobuf_) return decode_object(piece, *fields_, options_, true);
  return protobuf::decode_object(piece, protobuf_->objects, options_);
}

Result<WatchEvent> WireFormat::decode_event(std::string_view piece) const {
  if (!protobuf_) return kube::decode_event(piece, *fields_, options_, true);
  return protobuf::decode_event(piece, protobuf_->objects, protobuf_->bookmarks, options_);
}

bool needs_json(const Status& status) {
  return status.reason() == protobuf::kNeedsJson || status.reason() == "NotAcceptable" ||
         status.reason() == "UnsupportedMediaType";
}

}  // namespace ccm::kube
