// Cuts the bytes of a response into JSON objects as they arrive: the events of a watch (objects in
// a row, with or without newlines between them, API-6), or the items of a list. Holds one object at
// a time, never a whole page. No network, no Kubernetes: fit for a fuzz target. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ccm::kube {

// Bytes that simdjson may read behind a piece; the decoders always leave as many.
inline constexpr std::size_t kJsonPadding = 64;

class WatchDecoder {
 public:
  explicit WatchDecoder(std::size_t max_object_bytes = 8u << 20)
      : max_object_bytes_(max_object_bytes) {}

  // Adds bytes from the stream.
  void feed(std::string_view bytes);

  enum class Piece { none, object, oversized, garbage };
  // Takes the next complete piece. object: `text` is one balanced JSON object, followed by
  // kJsonPadding readable bytes, valid until the next call of feed() or next(). oversized: an
  // object above the limit was dropped; decoding goes on behind it. garbage: bytes that start no
  // object were dropped. none: more bytes are needed.
  Piece next(std::string_view& text);

  // An object has begun and not ended: the stream was cut if it ends now.
  [[nodiscard]] bool mid_object() const { return depth_ > 0; }

 private:
  bool scan_object();
  bool skip_to_object();
  void compact();

  std::string buffer_;
  std::size_t begin_ = 0;   // of the piece under work
  std::size_t cursor_ = 0;  // first byte not looked at
  std::size_t max_object_bytes_;
  std::size_t dropped_ = 0;  // bytes of an oversized object already thrown away
  uint32_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

// The same for the body of a list: items one by one; the rest, with an empty "items", in
// envelope().
class ListDecoder {
 public:
  explicit ListDecoder(std::size_t max_object_bytes = 8u << 20)
      : max_object_bytes_(max_object_bytes) {}

  void feed(std::string_view bytes);
  WatchDecoder::Piece next(std::string_view& text);  // garbage is never returned
  // The list object is complete.
  [[nodiscard]] bool done() const { return state_ == State::done; }
  // The list object without its items; a Status if the server sent one. Valid when done().
  [[nodiscard]] const std::string& envelope() const { return envelope_; }

 private:
  enum class State : uint8_t { envelope, items, item, done };
  void step_envelope(char c);

  std::string buffer_;
  std::string envelope_;
  std::string key_;
  std::size_t begin_ = 0;
  std::size_t cursor_ = 0;
  std::size_t max_object_bytes_;
  std::size_t dropped_ = 0;
  uint32_t depth_ = 0;
  uint32_t item_depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool key_is_items_ = false;
  bool expect_key_ = false;
  State state_ = State::envelope;
};

}  // namespace ccm::kube
