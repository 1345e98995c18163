// Walks the tokens of an RFC 6901 JSON pointer. Private to core/kube.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace ccm::kube {

class JsonPointer {
 public:
  explicit JsonPointer(std::string_view text) : rest_(text) {}

  static constexpr bool valid(std::string_view text) {
    if (!text.empty() && text.front() != '/') return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '~') continue;
      if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
    }
    return true;
  }

  // The next token, unescaped; false at the end.
  bool next(std::string& token) {
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    const std::size_t length = std::min(rest_.find('/'), rest_.size());
    token.clear();
    for (std::size_t i = 0; i < length; ++i) {
      if (rest_[i] == '~' && i + 1 < length) {
        token += rest_[++i] == '0' ? '~' : '/';
      } else {
        token += rest_[i];
      }
    }
    rest_.remove_prefix(length);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace ccm::kube
