// A list of texts in one allocation, for what is kept of each of thousands of Nodes: a vector of
// strings takes three times as much. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace ccm::service {

class PackedTexts {
 public:
  PackedTexts() = default;  // none
  explicit PackedTexts(const std::vector<std::string_view>& texts) {
    if (texts.empty()) return;
    std::size_t bytes = kNumber * (1 + texts.size());
    for (const std::string_view text : texts) bytes += text.size();
    bytes_.reset(new char[bytes]);
    put(0, texts.size());
    std::size_t end = kNumber * (1 + texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i].copy(bytes_.get() + end, texts[i].size());
      end += texts[i].size();
      put(1 + i, end);
    }
  }

  [[nodiscard]] std::size_t size() const { return bytes_ ? number(0) : 0; }
  [[nodiscard]] bool empty() const { return !bytes_; }
  // Empty beyond the last one. OWNERSHIP: borrowed from this list.
  [[nodiscard]] std::string_view operator[](std::size_t index) const {
    if (index >= size()) return {};
    const std::size_t begin = index == 0 ? kNumber * (1 + size()) : number(index);
    return {bytes_.get() + begin, number(1 + index) - begin};
  }

 private:
  static constexpr std::size_t kNumber = sizeof(uint32_t);

  void put(std::size_t place, std::size_t value) {
    const auto number = static_cast<uint32_t>(value);
    std::memcpy(bytes_.get() + place * kNumber, &number, kNumber);
  }
  [[nodiscard]] std::size_t number(std::size_t place) const {
    uint32_t number = 0;
    std::memcpy(&number, bytes_.get() + place * kNumber, kNumber);
    return number;
  }

  std::unique_ptr<char[]> bytes_;  // how many, where each ends, and the texts
};

}  // namespace ccm::service
