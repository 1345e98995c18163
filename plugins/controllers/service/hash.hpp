// A hash of texts in order, for "has anything changed since". Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace ccm::service {

// FNV-1a, 64 bits. Each text is closed by a byte that no text holds, so "ab","c" and "a","bc"
// differ.
class Hash {
 public:
  Hash& add(std::string_view text) {
    for (const char c : text) step(static_cast<uint8_t>(c));
    step(0xFF);
    return *this;
  }
  Hash& add(int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      step(static_cast<uint8_t>(static_cast<uint64_t>(number) >> static_cast<unsigned>(shift)));
    }
    return *this;
  }
  [[nodiscard]] uint64_t value() const { return value_; }

 private:
  void step(uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001B3ULL; }

  uint64_t value_ = 0xCBF29CE484222325ULL;
};

}  // namespace ccm::service
