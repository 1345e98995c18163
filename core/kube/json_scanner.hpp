// Finds the end of a JSON object by counting brackets outside of strings: what arrives, of a watch
// or of a list, has to be cut into objects before they can be read. Private to core/kube.
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

  // Looks at data[from, end); the offset behind the bracket that closes the object or behind what
  // makes it broken, or kOpen.
  std::size_t scan(const char* data, std::size_t from, std::size_t end);

 private:
  // scan() byte by byte.
  std::size_t step(const char* data, std::size_t from, std::size_t end);
  // Looks at 64 bytes at once; false, and nothing is changed, when they have to be looked at one by
  // one: there is an escape or, maybe, the end of a line in a string or of the object.
  bool pass(const char* block);
};

}  // namespace ccm::kube
