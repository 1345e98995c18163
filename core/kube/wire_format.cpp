#include "kube/wire_format.hpp"

#include "kube/protobuf_decoder.hpp"
#include "kube/protobuf_stream.hpp"

#include <string>
#include <utility>

namespace ccm::kube {
namespace {

class JsonFormat : public WireFormat {
 public:
  JsonFormat(const FieldSet& fields, const Object::DecodeOptions& options)
      : fields_(fields), options_(options) {}

  [[nodiscard]] bool protobuf() const override { return false; }
  [[nodiscard]] std::unique_ptr<ListReader> list(std::size_t max_object_bytes) const override {
    return std::make_unique<ListDecoder>(max_object_bytes);
  }
  [[nodiscard]] std::unique_ptr<WatchReader> watch(std::size_t max_object_bytes) const override {
    return std::make_unique<WatchDecoder>(max_object_bytes);
  }
  [[nodiscard]] Result<ObjectPtr> decode(std::string_view piece) const override {
    return decode_object(piece, fields_, options_, true);
  }
  [[nodiscard]] Result<WatchEvent> decode_event(std::string_view piece) const override {
    return kube::decode_event(piece, fields_, options_, true);
  }

 private:
  const FieldSet& fields_;
  Object::DecodeOptions options_;
};

class ProtobufFormat : public WireFormat {
 public:
  ProtobufFormat(protobuf::Projection objects, protobuf::Projection bookmarks,
                 const Object::DecodeOptions& options)
      : objects_(std::move(objects)), bookmarks_(std::move(bookmarks)), options_(options) {}

  [[nodiscard]] bool protobuf() const override { return true; }
  [[nodiscard]] std::unique_ptr<ListReader> list(std::size_t max_object_bytes) const override {
    return std::make_unique<protobuf::ListCutter>(
        options_.api_version, std::string(options_.kind) + "List", max_object_bytes);
  }
  [[nodiscard]] std::unique_ptr<WatchReader> watch(std::size_t max_object_bytes) const override {
    return std::make_unique<protobuf::FrameCutter>(max_object_bytes);
  }
  [[nodiscard]] Result<ObjectPtr> decode(std::string_view piece) const override {
    return protobuf::decode_object(piece, objects_, options_);
  }
  [[nodiscard]] Result<WatchEvent> decode_event(std::string_view piece) const override {
    return protobuf::decode_event(piece, objects_, bookmarks_, options_);
  }

 private:
  protobuf::Projection objects_;
  protobuf::Projection bookmarks_;
  Object::DecodeOptions options_;
};

Status only_json(std::string why) {
  return Status(Code::unimplemented, ErrorClass::unsupported, std::move(why))
      .with_reason(std::string(protobuf::kNeedsJson));
}

}  // namespace

std::unique_ptr<WireFormat> json_format(const FieldSet& fields,
                                        const Object::DecodeOptions& options) {
  return std::make_unique<JsonFormat>(fields, options);
}

Result<std::unique_ptr<WireFormat>> protobuf_format(const FieldSet& fields,
                                                    const Object::DecodeOptions& options) {
  const protobuf::Message* message = protobuf::message_of(options.api_version, options.kind);
  if (message == nullptr) return only_json("its protobuf form is not known");
  if (fields.everything()) return only_json("whole objects are read");
  protobuf::Projection objects(*message, fields);
  if (!objects.unknown().empty()) {
    return only_json("the field " + objects.unknown().front() + " is not known in protobuf");
  }
  return std::unique_ptr<WireFormat>(std::make_unique<ProtobufFormat>(
      std::move(objects), protobuf::Projection(*message, bookmark_fields()), options));
}

bool needs_json(const Status& status) {
  return status.reason() == protobuf::kNeedsJson || status.reason() == "NotAcceptable" ||
         status.reason() == "UnsupportedMediaType";
}

}  // namespace ccm::kube
