// Cuts the bytes of a response into JSON objects as they arrive: the events of a watch (objects in
// a row, with or without newlines between them, API-6), or the items of a list. Holds one object at
// a time, never a whole page. No network, no Kubernetes: fit for a fuzz target. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ccm::kube {

// Finds the end of a JSON object by counting brackets outside of strings: the bytes of a watch or a
// list have to be cut into objects before they can be read. Private to core/kube.
struct JsonScanner {
  uint32_t depth = 0;
  bool in_string = false;
  bool escaped = false;
  bool broken = false;  // a line ended within a string: this never becomes JSON
  static constexpr std::size_t kOpen = ~std::size_t{0};

  // Scans data[from, end). Returns the offset after the closing bracket of the object, or after the
  // byte that makes it broken, or kOpen.
  std::size_t scan(const char* data, std::size_t from, std::size_t end);

 private:
  // scan() byte by byte.
  std::size_t step(const char* data, std::size_t from, std::size_t end);
  // Scans 64 bytes at once; false, and nothing is changed, when they have to be scanned one by one:
  // there is an escape or, maybe, the end of a line in a string or of the object.
  bool pass(const char* block);
};

// Bytes that simdjson may read after a piece; the decoders always leave as many.
inline constexpr std::size_t kJsonPadding = 64;

// Bytes that have arrived, always followed by kJsonPadding readable ones. Private to the decoders.
class PieceBuffer {
 public:
  // Forgets what was consumed.
  void feed(std::string_view bytes);
  // What was not consumed; good until the next feed().
  [[nodiscard]] std::string_view rest() const { return {bytes_.data() + begin_, size_ - begin_}; }
  void consume(std::size_t count) { begin_ += count; }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;  // without the padding
};

// An answer that arrives, in either of its encodings (protobuf_stream.hpp has the other one).
class PieceReader {
 public:
  virtual ~PieceReader() = default;

  // Adds bytes from the stream.
  virtual void feed(std::string_view bytes) = 0;

  enum class Piece { none, object, oversized, garbage };
  // Takes the next complete piece. object: `text` is one object or event, followed by kJsonPadding
  // readable bytes, valid until the next call of feed() or next(). oversized: an object above the
  // limit was dropped; decoding continues after it. garbage: something that is no object was
  // dropped. none: more bytes are needed.
  virtual Piece next(std::string_view& text) = 0;
};

// Takes one JSON object after the other from the front of a buffer. Private to the decoders.
class ObjectCutter {
 public:
  explicit ObjectCutter(std::size_t max_object_bytes) : max_object_bytes_(max_object_bytes) {}

  // The buffer begins with an object, or with the rest of one that next() did not see whole.
  // garbage: a line ended within a string of it.
  PieceReader::Piece next(PieceBuffer& buffer, std::string_view& text);
  [[nodiscard]] bool mid_object() const { return scanner_.depth > 0; }

 private:
  JsonScanner scanner_;
  std::size_t scanned_ = 0;  // bytes of the object under work
  std::size_t max_object_bytes_;
  bool dropping_ = false;  // it is above the limit
};

// Cuts a watch into events.
class WatchReader : public PieceReader {
 public:
  // An object has begun and not ended: the stream was cut if it ends now.
  [[nodiscard]] virtual bool mid_object() const = 0;
};

// Cuts a list into items.
class ListReader : public PieceReader {
 public:
  // The list object is complete.
  [[nodiscard]] virtual bool done() const = 0;
  // The list object without its items, as JSON; a Status if the server sent one. Valid when done();
  // not necessarily well-formed JSON when the server sent none.
  [[nodiscard]] virtual std::string envelope() const = 0;
};

class WatchDecoder : public WatchReader {
 public:
  explicit WatchDecoder(std::size_t max_object_bytes = 8u << 20) : objects_(max_object_bytes) {}

  void feed(std::string_view bytes) override { buffer_.feed(bytes); }
  // object: one balanced JSON object. garbage: bytes that start no object, or an object that is
  // broken by the end of its line.
  Piece next(std::string_view& text) override;
  [[nodiscard]] bool mid_object() const override { return objects_.mid_object(); }

 private:
  PieceBuffer buffer_;
  ObjectCutter objects_;
};

// Cuts the body of a list: items one by one; the rest, with an empty "items", in
// envelope().
class ListDecoder : public ListReader {
 public:
  explicit ListDecoder(std::size_t max_object_bytes = 8u << 20)
      : objects_(max_object_bytes), max_object_bytes_(max_object_bytes) {}

  void feed(std::string_view bytes) override {
    if (state_ != State::done && state_ != State::broken) buffer_.feed(bytes);
  }
  // garbage: something among the items is no object. A broken item ends the list: it will never be
  // done().
  Piece next(std::string_view& text) override;
  [[nodiscard]] bool done() const override { return state_ == State::done; }
  [[nodiscard]] std::string envelope() const override { return envelope_; }

 private:
  enum class State : uint8_t { envelope, items, item, done, broken };
  void step_envelope(char c);
  void step_string(char c);
  Piece step_items();

  PieceBuffer buffer_;
  ObjectCutter objects_;
  std::string envelope_;
  std::string token_;  // latest string of the list object itself
  std::size_t max_object_bytes_;
  uint32_t depth_ = 0;  // within the envelope
  bool in_string_ = false;
  bool escaped_ = false;
  bool value_next_ = false;  // after the colon of a member of the list object
  State state_ = State::envelope;
};

}  // namespace ccm::kube
