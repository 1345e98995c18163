// Cuts the bytes of a protobuf answer into messages as they arrive, as watch_decoder.hpp does for
// JSON: the items of a list, the events of a watch. Holds one message at a time, never a whole
// page. No network: fit for a fuzz target. One thread.
#pragma once

#include "kube/watch_decoder.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::kube::protobuf {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// It stands before the content of a field.
struct Tag {
  uint32_t number = 0;
  WireType type = WireType::varint;
};

// At most ten bytes. Removes them from `rest`; nothing when they are no number or not all there.
std::optional<uint64_t> take_long_varint(std::string_view& rest);
// Nearly all have one byte: every field is read by this.
inline std::optional<uint64_t> take_varint(std::string_view& rest) {
  if (rest.empty() || static_cast<unsigned char>(rest.front()) >= 0x80) {
    return take_long_varint(rest);
  }
  const auto value = static_cast<unsigned char>(rest.front());
  rest.remove_prefix(1);
  return value;
}
inline std::optional<Tag> take_tag(std::string_view& rest) {
  const std::optional<uint64_t> tag = take_varint(rest);
  if (!tag || *tag >> 3 == 0 || *tag >> 3 > 0x1fffffff) return std::nullopt;
  const auto type = static_cast<WireType>(*tag & 7);
  switch (type) {
    case WireType::varint:
    case WireType::fixed64:
    case WireType::bytes:
    case WireType::fixed32:
      return Tag{static_cast<uint32_t>(*tag >> 3), type};
  }
  return std::nullopt;
}

// The fields of one protobuf message, in the order in which they were sent. Bounds-checked; nothing
// is copied. Groups, which Kubernetes has none of, count as broken.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // Goes to the next field; false at the end and when the message is broken.
  bool next();
  [[nodiscard]] bool broken() const { return broken_; }

  [[nodiscard]] uint32_t number() const { return tag_.number; }
  [[nodiscard]] WireType type() const { return tag_.type; }
  [[nodiscard]] uint64_t integer() const { return integer_; }      // of a varint
  [[nodiscard]] std::string_view bytes() const { return bytes_; }  // of the other types
  // The fields that have not been read yet.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  bool take(std::size_t size);
  bool next_of_any_form();

  std::string_view rest_;
  Tag tag_;
  uint64_t integer_ = 0;
  std::string_view bytes_;
  bool broken_ = false;
};

inline bool WireReader::take(std::size_t size) {
  if (size > rest_.size()) return false;
  bytes_ = {rest_.data(), size};
  rest_.remove_prefix(size);
  return true;
}

// Nearly every field has a tag of one byte, and content with a length of one byte or two.
inline bool WireReader::next() {
  if (rest_.empty() || broken_) return false;
  const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(rest_[i]); };
  const bool plain = rest_.size() > 2 && byte(0) < 0x80 && byte(0) > 7 &&
                     static_cast<WireType>(byte(0) & 7) == WireType::bytes;
  if (!plain || (byte(1) >= 0x80 && byte(2) >= 0x80)) return next_of_any_form();
  tag_ = {static_cast<uint32_t>(byte(0) >> 3), WireType::bytes};
  const bool two = byte(1) >= 0x80;
  integer_ = two ? (byte(1) & 0x7fU) | static_cast<std::size_t>(byte(2)) << 7 : byte(1);
  rest_.remove_prefix(two ? 3 : 2);
  broken_ = !take(integer_);
  return !broken_;
}

// An envelope around a list: metadata = 1, items = 2.
class ListCutter : public ListReader {
 public:
  // A list of another type than `kind` in `api_version` is garbage.
  ListCutter(std::string_view api_version, std::string_view kind,
             std::size_t max_object_bytes = 8u << 20)
      : api_version_(api_version), kind_(kind), max_object_bytes_(max_object_bytes) {}

  void feed(std::string_view bytes) override {
    if (state_ != State::broken) buffer_.feed(bytes);
  }
  // Garbage ends the list: it will never be done().
  Piece next(std::string_view& message) override;
  [[nodiscard]] bool done() const override {
    return state_ == State::envelope && listed_ && buffer_.rest().empty();
  }
  [[nodiscard]] std::string envelope() const override;

 private:
  // envelope, list: before a field of them. content: before the content of one that is read as a
  // whole. skip: within the content of one that is not.
  enum class State : uint8_t { magic, envelope, list, content, skip, broken };
  struct Field {
    bool in_list = false;
    uint32_t number = 0;
    std::size_t size = 0;  // the content's
    [[nodiscard]] bool item() const { return in_list && number == 2; }
  };

  void consume(std::size_t size);
  // Each takes one step; false when more bytes are needed.
  bool take_magic();
  bool take_head();
  bool take_content(std::string_view& item, Piece& piece);
  bool take_skipped(Piece& piece);
  [[nodiscard]] bool good_type(std::string_view message) const;
  bool broken() { return state_ = State::broken, true; }

  std::string api_version_;
  std::string kind_;  // the list's
  std::size_t max_object_bytes_;
  PieceBuffer buffer_;
  State state_ = State::magic;
  Field field_;
  uint64_t list_left_ = 0;  // in the list's message
  bool typed_ = false;      // the list's type was seen
  bool listed_ = false;     // the list's message was there
  bool in_list_ = false;
  std::string metadata_;  // the ListMeta
};

// Frames: a length in four bytes, big endian, and a WatchEvent.
class FrameCutter : public WatchReader {
 public:
  explicit FrameCutter(std::size_t max_object_bytes = 8u << 20)
      : max_object_bytes_(max_object_bytes) {}

  void feed(std::string_view bytes) override { buffer_.feed(bytes); }
  Piece next(std::string_view& message) override;
  [[nodiscard]] bool mid_object() const override {
    return skip_ > 0 || dropping_ || !buffer_.rest().empty();
  }

 private:
  PieceBuffer buffer_;
  std::size_t max_object_bytes_;
  std::size_t skip_ = 0;   // bytes of a frame above the limit
  bool dropping_ = false;  // such a frame is under work
};

}  // namespace ccm::kube::protobuf
