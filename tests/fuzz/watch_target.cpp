// Watch streams and lists cut into pieces (kube/watch_decoder.hpp).
// Input: a byte of choices, a byte that says where to cut, the stream.
// Properties: where the stream is cut changes nothing; an object is balanced, within the limit and
// followed by readable bytes; what is handed out was in the stream.
#include "fuzz.hpp"
#include "kube/object_decoder.hpp"
#include "kube/watch_decoder.hpp"

namespace ccm::fuzz {
namespace {

using kube::ListDecoder;
using kube::WatchDecoder;
using Piece = WatchDecoder::Piece;

constexpr std::size_t kSmallLimit = 48;
constexpr std::size_t kLimit = 8U << 20U;

// Bytes in a row that are no object may arrive as one piece of garbage or as several.
struct Heard {
  std::vector<std::pair<Piece, std::string>> pieces;
  bool open = false;  // mid_object() of a watch, done() of a list
  std::string envelope;
  bool operator==(const Heard&) const = default;
};

void check_object(std::string_view text, std::size_t limit) {
  require(text.size() >= 2 && text.front() == '{', "an object begins with {");
  require(text.back() == '}' || text.back() == ']', "an object ends with a bracket");
  require(text.size() <= limit, "an object keeps to the limit");
  // AddressSanitizer looks at the reads.
  const std::string behind(text.data() + text.size(), kube::kJsonPadding);
  require(behind.size() == kube::kJsonPadding, "padding follows");
}

template <typename Decoder>
void drain(Decoder& decoder, std::size_t limit, Heard& heard) {
  std::string_view text;
  for (Piece piece = decoder.next(text); piece != Piece::none; piece = decoder.next(text)) {
    const bool object = piece == Piece::object;
    require(object || text.empty(), "only an object has a text");
    if (object) check_object(text, limit);
    const bool more_garbage = piece == Piece::garbage && !heard.pieces.empty() &&
                              heard.pieces.back().first == Piece::garbage;
    if (!more_garbage) heard.pieces.emplace_back(piece, std::string(text));
  }
}

template <typename Decoder>
Heard hear(std::string_view stream, uint8_t cuts, std::size_t limit) {
  Heard heard;
  Decoder decoder(limit);
  for (const std::string& piece : cut(stream, cuts)) {
    decoder.feed(piece);
    drain(decoder, limit, heard);
  }
  if constexpr (std::is_same_v<Decoder, ListDecoder>) {
    heard.open = decoder.done();
    heard.envelope = decoder.envelope();
    require(heard.envelope.size() <= limit, "the envelope keeps to the limit");
  } else {
    heard.open = decoder.mid_object();
  }
  return heard;
}

template <typename Decoder>
void compare(std::string_view stream, uint8_t cuts, std::size_t limit) {
  const Heard whole = hear<Decoder>(stream, 0, limit);
  require(whole == hear<Decoder>(stream, 1, limit), "single bytes give the same pieces");
  require(whole == hear<Decoder>(stream, cuts, limit), "another cut gives the same pieces");
  std::size_t bytes = 0;
  for (const auto& [piece, text] : whole.pieces) {
    bytes += text.size();
    if (piece != Piece::object) continue;
    require(stream.find(text) != std::string_view::npos, "an object was in the stream");
    (void)kube::decode_event(text, kube::FieldSet(), {"Node", "v1"});
    (void)kube::decode_object(text, kube::FieldSet::all(), {"", "", false});
  }
  require(bytes <= stream.size(), "no byte is handed out twice");
}

}  // namespace

void watch_target(std::string_view bytes) {
  Input input(bytes);
  const uint8_t choices = input.byte();
  const uint8_t cuts = input.byte();
  const std::size_t limit = (choices & 2U) != 0 ? kSmallLimit : kLimit;
  if ((choices & 1U) != 0) {
    compare<ListDecoder>(input.rest(), cuts, limit);
  } else {
    compare<WatchDecoder>(input.rest(), cuts, limit);
  }
}

}  // namespace ccm::fuzz
