// The fields of one protobuf message, in the order in which they were sent. Bounds-checked; nothing
// is copied. Groups, which Kubernetes has none of, count as broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ccm::kube::protobuf {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// It stands before the content of a field.
struct Tag {
  uint32_t number = 0;
  WireType type = WireType::varint;
};

// At most ten bytes. Removes them from `rest`; nothing when they are no number or not all there.
std::optional<uint64_t> take_varint(std::string_view& rest);
std::optional<Tag> take_tag(std::string_view& rest);

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

  std::string_view rest_;
  Tag tag_;
  uint64_t integer_ = 0;
  std::string_view bytes_;
  bool broken_ = false;
};

}  // namespace ccm::kube::protobuf
