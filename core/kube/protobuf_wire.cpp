#include "kube/protobuf_wire.hpp"

namespace ccm::kube::protobuf {

std::optional<uint64_t> take_varint(std::string_view& rest) {
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

std::optional<Tag> take_tag(std::string_view& rest) {
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

bool WireReader::take(std::size_t size) {
  if (size > rest_.size()) return false;
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::next() {
  if (rest_.empty() || broken_) return false;
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

}  // namespace ccm::kube::protobuf
