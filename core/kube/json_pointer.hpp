// Walks the tokens of an RFC 6901 JSON pointer. Private to core/kube.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ccm::kube {

class JsonPointer {
 public:
  explicit JsonPointer(std::string_view text)
      : rest_(text), escapes_(text.find('~') != std::string_view::npos) {}

  static constexpr bool valid(std::string_view text) {
    if (!text.empty() && text.front() != '/') return false;
    for (auto i = text.find('~'); i != std::string_view::npos; i = text.find('~', i + 1)) {
      if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
    }
    return true;
  }

  // The next token, unescaped, until the one after it is asked for; false at the end.
  bool next(std::string_view& token) {
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    token = rest_.substr(0, rest_.find('/'));
    rest_.remove_prefix(token.size());
    if (escapes_) token = unescape(token);
    return true;
  }

 private:
  std::string_view unescape(std::string_view token) {
    unescaped_.clear();
    unescaped_.reserve(token.size());
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool escape = token[i] == '~' && i + 1 < token.size();
      if (escape) ++i;
      unescaped_ += !escape ? token[i] : token[i] == '0' ? '~' : '/';
    }
    return unescaped_;
  }

  std::string_view rest_;
  bool escapes_;
  std::string unescaped_;
};

}  // namespace ccm::kube
