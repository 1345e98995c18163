// Around objects on the wire: envelopes, failures, the heads of lists.
#include "kube/protobuf_decoder.hpp"
#include "kube/protobuf_wire.hpp"

namespace ccm::kube::protobuf {
namespace {

// apiVersion = 1, kind = 2.
bool read_type(std::string_view message, Envelope& envelope) {
  WireReader fields(message);
  while (fields.next()) {
    if (fields.number() > 2) continue;
    if (fields.type() != WireType::bytes) return false;
    (fields.number() == 1 ? envelope.api_version : envelope.kind) = fields.bytes();
  }
  return !fields.broken();
}

// Never destroyed. Fields that the table does not know are no loss here.
const Projection& status_fields() {
  static const auto& fields = *new Projection(
      status_message(), *FieldSet::of({"/status", "/message", "/reason", "/code",
                                       "/metadata/continue", "/details/name", "/details/kind",
                                       "/details/causes/-/reason", "/details/causes/-/message",
                                       "/details/causes/-/field", "/details/retryAfterSeconds"}));
  return fields;
}

const Projection& list_fields() {
  static const auto& fields = *new Projection(
      list_meta_message(), *FieldSet::of({"/resourceVersion", "/continue", "/remainingItemCount"}));
  return fields;
}

}  // namespace

// runtime.Unknown: typeMeta = 1, raw = 2, contentEncoding = 3, contentType = 4.
std::optional<Envelope> read_envelope(std::string_view text) {
  if (!text.starts_with(kMagic)) return std::nullopt;
  Envelope envelope;
  WireReader fields(text.substr(kMagic.size()));
  while (fields.next()) {
    if (fields.number() > 4) continue;
    if (fields.type() != WireType::bytes) return std::nullopt;
    if (fields.number() == 1 && !read_type(fields.bytes(), envelope)) return std::nullopt;
    if (fields.number() == 2) envelope.raw = fields.bytes();
    if (fields.number() > 2 && !fields.bytes().empty()) return std::nullopt;
  }
  if (fields.broken()) return std::nullopt;
  return envelope;
}

std::optional<std::string> status_json(std::string_view text) {
  const std::optional<Envelope> envelope = read_envelope(text);
  if (!envelope || envelope->kind != "Status" || envelope->api_version != "v1") {
    return std::nullopt;
  }
  Object::DecodeOptions options{"Status", "v1", false};
  const auto status = Decoder::of_this_thread().decode(envelope->raw, status_fields(), options);
  if (!status.ok()) return std::nullopt;
  return (*status)->json();
}

std::optional<std::string> list_meta_json(std::string_view message) {
  Object::DecodeOptions options{"", "", false};
  const auto meta = Decoder::of_this_thread().decode(message, list_fields(), options);
  if (!meta.ok()) return std::nullopt;
  return (*meta)->json();
}

}  // namespace ccm::kube::protobuf
