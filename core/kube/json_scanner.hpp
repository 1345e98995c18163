// Finds the end of a JSON object by counting brackets outside of strings: the bytes of a watch or a
// list have to be cut into objects before they can be read. Private to core/kube.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ccm::kube {

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

}  // namespace ccm::kube
