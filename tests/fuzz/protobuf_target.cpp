// Kubernetes' protobuf: objects, events, envelopes, lists and watches that are cut anywhere
// (kube/protobuf_decoder.hpp, kube/protobuf_stream.hpp).
// Input: a byte of choices, a byte that says where to cut, the message or the stream.
// Properties: an object that is read can be rendered and read again as JSON; a projection is the
// one of the whole object; memory stays in proportion to the message; where a stream is cut changes
// nothing.
#include "fuzz.hpp"
#include "kube/client.hpp"
#include "kube/client_status.hpp"
#include "kube/protobuf_decoder.hpp"
#include "kube/protobuf_stream.hpp"

namespace ccm::fuzz {
namespace {

using kube::FieldSet;
using kube::Object;
using kube::protobuf::Projection;
using Piece = kube::PieceReader::Piece;

constexpr std::size_t kSmallLimit = 48;
constexpr std::size_t kLimit = 8U << 20U;

const FieldSet& declared() {
  static const auto& fields = *new FieldSet(*FieldSet::of(
      {"/metadata/labels/a", "/metadata/managedFields", "/spec/taints/-/key", "/spec/providerID",
       "/spec/ports", "/status/conditions/-/status", "/status/capacity", "/data"}));
  return fields;
}

void check_object(const kube::protobuf::NamedMessage& type, std::string_view text) {
  const Object::DecodeOptions options{type.kind, type.api_version, false};
  const Projection everything(*type.message, FieldSet::all());
  const Projection some(*type.message, declared());
  const auto part = kube::protobuf::decode_object(text, some, options);
  const auto whole = kube::protobuf::decode_object(text, everything, options);
  if (!part.ok()) require(!part.status().message().empty(), "a failure says what is wrong");
  if (!whole.ok()) return;
  require(part.ok(), "what is readable as a whole is readable in part");
  // An empty message has members that JSON never leaves out.
  require((*whole)->memory() <= 4096 + 300 * text.size(), "memory in proportion to the message");
  const std::string json = (*whole)->json();
  const auto again = Object::decode(json, FieldSet::all(), options);
  require(again.ok(), "what is rendered can be read");
  require_equal(json, (*again)->json(), "rendering is idempotent");
  const auto projected = Object::decode(json, declared(), options);
  require(projected.ok() && (*part)->same_content(**projected), "the projection of the JSON");
  require_equal((*part)->json(), (*projected)->json(), "the projection of the JSON");
}

struct Heard {
  std::vector<std::pair<Piece, std::string>> pieces;
  bool open = false;
  bool operator==(const Heard&) const = default;
};

void drain(kube::PieceReader& reader, std::string_view stream, uint8_t cuts, std::size_t limit,
           Heard& heard) {
  for (const std::string& piece : cut(stream, cuts)) {
    reader.feed(piece);
    std::string_view text;
    for (Piece next = reader.next(text); next != Piece::none; next = reader.next(text)) {
      require(text.size() <= limit, "a message keeps to the limit");
      heard.pieces.emplace_back(next, std::string(text));
    }
  }
}

Heard hear(bool list, std::string_view stream, uint8_t cuts, std::size_t limit) {
  Heard heard;
  if (list) {
    kube::protobuf::ListCutter reader("v1", "NodeList", limit);
    drain(reader, stream, cuts, limit, heard);
    heard.open = !reader.done();
    (void)reader.envelope();
  } else {
    kube::protobuf::FrameCutter reader(limit);
    drain(reader, stream, cuts, limit, heard);
    heard.open = reader.mid_object();
  }
  return heard;
}

void check_stream(bool list, std::string_view stream, uint8_t cuts, std::size_t limit) {
  const Heard whole = hear(list, stream, 0, limit);
  require(whole == hear(list, stream, 1, limit), "single bytes give the same pieces");
  require(whole == hear(list, stream, cuts, limit), "another cut gives the same pieces");
  const Projection some(*kube::protobuf::message_of("v1", "Node"), declared());
  for (const auto& [piece, text] : whole.pieces) {
    const Exact exact(text);
    (void)kube::protobuf::decode_event(exact.view(), some, some, {"Node", "v1"});
  }
}

}  // namespace

void protobuf_target(std::string_view bytes) {
  Input input(bytes);
  const uint8_t choices = input.byte();
  const uint8_t cuts = input.byte();
  const Exact text(input.rest());
  if ((choices & 1U) != 0) {
    check_stream((choices & 2U) != 0, text.view(), cuts,
                 (choices & 4U) != 0 ? kSmallLimit : kLimit);
    (void)kube::status_of_answer(404, text.view(), "");
    return;
  }
  const auto types = kube::protobuf::kinds();
  check_object(types[(choices >> 1U) % types.size()], text.view());
}

}  // namespace ccm::fuzz
