#include "kube/protobuf_stream.hpp"

#include "kube/json_text.hpp"
#include "kube/protobuf_decoder.hpp"

#include <algorithm>
#include <utility>

namespace ccm::kube::protobuf {

std::optional<uint64_t> take_long_varint(std::string_view& rest) {
  uint64_t value = 0;
  for (std::size_t i = 0; i < rest.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(rest[i]);
    if (i == 9 && byte > 1) return std::nullopt;  // more than 64 bits
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

bool WireReader::next_of_any_form() {
  broken_ = true;
  const std::optional<Tag> tag = take_tag(rest_);
  if (!tag) return false;
  tag_ = *tag;
  bytes_ = {};
  if (tag_.type == WireType::fixed64) {
    broken_ = !take(8);
  } else if (tag_.type == WireType::fixed32) {
    broken_ = !take(4);
  } else if (const std::optional<uint64_t> value = take_varint(rest_)) {
    integer_ = *value;
    broken_ = tag_.type == WireType::bytes && !take(*value);
  }
  return !broken_;
}

namespace {

// A tag and a length or an integer.
constexpr std::size_t kLongestHead = 20;
constexpr std::size_t kFrameHead = 4;

}  // namespace

void ListCutter::consume(std::size_t size) {
  buffer_.consume(size);
  if (in_list_) list_left_ -= size;
}

bool ListCutter::take_magic() {
  const std::string_view text = buffer_.rest();
  const std::size_t size = std::min(text.size(), kMagic.size());
  if (text.substr(0, size) != kMagic.substr(0, size)) return broken();
  if (size < kMagic.size()) return false;
  consume(size);
  state_ = State::envelope;
  return true;
}

// The tag and, of a field with bytes, the length.
bool ListCutter::take_head() {
  if (in_list_ && list_left_ == 0) {
    in_list_ = false;
    state_ = State::envelope;
    return true;
  }
  std::string_view rest = buffer_.rest();
  if (in_list_) rest = rest.substr(0, std::min<uint64_t>(rest.size(), list_left_));
  const bool all = rest.size() >= kLongestHead || (in_list_ && rest.size() == list_left_);
  const std::size_t before = rest.size();
  const auto tag = take_tag(rest);
  std::optional<uint64_t> size;
  if (tag && tag->type == WireType::fixed32) size = 4;
  if (tag && tag->type == WireType::fixed64) size = 8;
  if (tag && !size) size = take_varint(rest);
  if (!size) return all ? broken() : false;
  consume(before - rest.size());
  if (tag->type == WireType::varint) size = 0;
  if (in_list_ && *size > list_left_) return broken();
  const bool known = tag->number <= (in_list_ ? 2u : 4u);
  if (known && tag->type != WireType::bytes) return broken();
  field_ = {in_list_, tag->number, *size};
  if (!in_list_ && tag->number == 2) {  // the list itself
    if (!typed_ || std::exchange(listed_, true)) return broken();
    in_list_ = true;
    list_left_ = *size;
    state_ = State::list;
    return true;
  }
  if (known && !field_.item() && *size > max_object_bytes_) return broken();
  state_ = known && *size <= max_object_bytes_ ? State::content : State::skip;
  return true;
}

bool ListCutter::good_type(std::string_view message) const {
  std::string text(kMagic);
  text += '\x0a';  // typeMeta = 1
  for (std::size_t size = message.size(); true; size >>= 7) {
    text += static_cast<char>(size >= 0x80 ? (size & 0x7f) | 0x80 : size);
    if (size < 0x80) break;
  }
  const auto envelope = read_envelope(text.append(message));
  return envelope && envelope->kind == kind_ && envelope->api_version == api_version_;
}

bool ListCutter::take_content(std::string_view& item, Piece& piece) {
  if (buffer_.rest().size() < field_.size) return false;
  const std::string_view content = buffer_.rest().substr(0, field_.size);
  consume(field_.size);
  state_ = in_list_ ? State::list : State::envelope;
  if (field_.item()) {
    item = content;
    piece = Piece::object;
  } else if (field_.in_list) {
    metadata_ = content;
  } else if (field_.number == 1) {
    typed_ = good_type(content);
    if (!typed_) return broken();
  } else if (!content.empty()) {  // the list is encoded in another way
    return broken();
  }
  return true;
}

bool ListCutter::take_skipped(Piece& piece) {
  const std::size_t size = std::min(field_.size, buffer_.rest().size());
  consume(size);
  field_.size -= size;
  if (field_.size > 0) return false;
  state_ = in_list_ ? State::list : State::envelope;
  if (field_.item()) piece = Piece::oversized;
  return true;
}

ListCutter::Piece ListCutter::next(std::string_view& message) {
  message = {};
  Piece piece = Piece::none;
  bool went_on = state_ != State::broken;
  while (went_on && piece == Piece::none) {
    switch (state_) {
      case State::magic:
        went_on = take_magic();
        break;
      case State::envelope:
      case State::list:
        went_on = (in_list_ || !buffer_.rest().empty()) && take_head();
        break;
      case State::content:
        went_on = take_content(message, piece);
        break;
      case State::skip:
        went_on = take_skipped(piece);
        break;
      case State::broken:
        return Piece::garbage;
    }
  }
  return piece;
}

std::string ListCutter::envelope() const {
  const std::string metadata = list_meta_json(metadata_).value_or("null");
  return R"({"kind":)" + json_string(kind_) + R"(,"apiVersion":)" + json_string(api_version_) +
         R"(,"metadata":)" + metadata + "}";
}

FrameCutter::Piece FrameCutter::next(std::string_view& message) {
  message = {};
  if (!dropping_) {
    const std::string_view text = buffer_.rest();
    if (text.size() < kFrameHead) return Piece::none;
    std::size_t size = 0;
    for (std::size_t i = 0; i < kFrameHead; ++i) {
      size = size << 8 | static_cast<unsigned char>(text[i]);
    }
    if (size <= max_object_bytes_) {
      if (text.size() - kFrameHead < size) return Piece::none;
      message = text.substr(kFrameHead, size);
      buffer_.consume(kFrameHead + size);
      return Piece::object;
    }
    buffer_.consume(kFrameHead);
    skip_ = size;
    dropping_ = true;
  }
  const std::size_t size = std::min(skip_, buffer_.rest().size());
  buffer_.consume(size);
  skip_ -= size;
  if (skip_ > 0) return Piece::none;
  dropping_ = false;
  return Piece::oversized;
}

}  // namespace ccm::kube::protobuf
