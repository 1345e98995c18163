// The ways in which a text repeats a secret. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

inline constexpr std::string_view kRedacted = "[redacted]";

// Finds a secret as it is, in base64 with either alphabet and wherever it begins among the bytes
// that were encoded, and in hexadecimal digits; each of them also with any of its characters
// written as in JSON (\n, \u0041), in a URL (%41, in upper or lower case) or in HTML (&amp;,
// &#65;).
class SecretForms {
 public:
  SecretForms() = default;
  explicit SecretForms(const std::vector<std::string>& secrets);

  // Nothing happens for an empty one, and for one that is known.
  void add(std::string_view secret);
  // `text` with kRedacted in place of all of them.
  [[nodiscard]] std::string without(std::string_view text) const;

 private:
  struct Form {
    std::string text;
    bool any_case;  // of hexadecimal digits
  };
  // How many characters of `text` repeat a form; 0 = none does.
  [[nodiscard]] std::size_t match(std::string_view text) const;

  void add_form(std::string text, bool any_case);

  std::vector<std::string> secrets_;
  std::vector<Form> forms_;         // the longest first
  std::array<bool, 256> starts_{};  // the first characters of forms_
};

}  // namespace ccm::plugin
