// The compact form of a JSON tree inside kube::Object. Private to core/kube.
//
// A value is a tag and what it needs; members and elements follow one another, so skipping is one
// addition:
//   null, false, true           the tag alone
//   number, string              varint length, bytes (a number keeps its JSON text)
//   short string                the length is in the tag (0..63), bytes
//   word                        a well-known string in the tag (0..127), or in the byte after it
//   array, object               the content's length in one byte, in the large forms in four
//                               (little endian); the content
// An object's content is key, value, key, value...; a key is a string in any of the forms above.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace ccm::kube::encoding {

enum Tag : unsigned char {
  kNull = 0x00,
  kFalse = 0x01,
  kTrue = 0x02,
  kNumber = 0x03,
  kString = 0x04,
  kArray = 0x05,
  kArrayLarge = 0x06,
  kObject = 0x07,
  kObjectLarge = 0x08,
  kWord = 0x09,
  kShortString = 0x40,  // .. 0x7f
  kShortWord = 0x80,    // .. 0xff
};

// The deepest nesting of objects and arrays.
inline constexpr unsigned kMaxDepth = 128;

// Strings that occur in nearly every node or service, as keys or values. Nothing that outlives the
// process depends on their order.
inline constexpr int kNoWord = -1;
int word_index(std::string_view text);
std::string_view word(std::size_t index);  // empty when there is none

// A decoded string (or word, or number) at `at`.
struct Text {
  std::string_view text;
  std::size_t after = 0;
  bool valid = false;
};

// Bounds-checked reads within [tree, tree + size).
Text read_text(const unsigned char* tree, std::size_t size, std::size_t at);
struct Container {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool valid = false;
  bool keyed = false;  // an object
};
Container read_container(const unsigned char* tree, std::size_t size, std::size_t at);
// The offset after the value at `at`; `size` when it is broken.
std::size_t skip_value(const unsigned char* tree, std::size_t size, std::size_t at);
// The value of the first such member of an object whose content is [begin, end); `end` when there
// is none.
std::size_t find_member(const unsigned char* tree, std::size_t begin, std::size_t end,
                        std::string_view key);

class Writer {
 public:
  void clear() { size_ = 0; }
  [[nodiscard]] std::span<const unsigned char> bytes() const { return {room_.data(), size_}; }
  [[nodiscard]] std::size_t capacity() const { return room_.size(); }

  void null() { put(kNull); }
  void boolean(bool value) { put(value ? kTrue : kFalse); }
  void number(std::string_view json);
  void string(std::string_view text);  // also for keys
  // A string that was written before.
  void encoded(std::string_view bytes) { append(bytes); }
  // Begins a container; end() gets what this returned.
  std::size_t begin(bool object);
  void end(std::size_t start);
  // Removes everything from `start` on.
  void truncate(std::size_t start) { size_ = start; }
  [[nodiscard]] std::size_t offset() const { return size_; }

 private:
  void varint(std::size_t value);
  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(extend(text.size()), text.data(), text.size());
  }
  void put(std::size_t byte) { *extend(1) = static_cast<unsigned char>(byte); }
  unsigned char* extend(std::size_t count) {
    if (room_.size() - size_ < count) room_.resize(2 * (size_ + count));
    size_ += count;
    return room_.data() + size_ - count;
  }

  // Larger than its content, since most writes are of a few bytes and there are thousands of them.
  std::vector<unsigned char> room_;
  std::size_t size_ = 0;
};

}  // namespace ccm::kube::encoding
