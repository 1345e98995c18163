#include "kube/protobuf_wire.hpp"

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

}  // namespace ccm::kube::protobuf
