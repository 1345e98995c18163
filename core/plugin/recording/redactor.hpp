// Removes credentials from HTTP exchanges before they are written to a file. Any thread.
#pragma once

#include "net/http_client.hpp"

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// The ways in which a text repeats a secret. Any thread.

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

class Redactor {
 public:
  // From now on this text is removed wherever it stands, also within a longer one, in all writings
  // that SecretForms knows. Texts below 4 characters are not learned: they stand everywhere.
  void learn(std::string_view secret);
  // The values of headers and of members of a JSON body, and parameters of the URL, whose names say
  // that they are credentials; what HTTP's basic authentication consists of.
  void learn_from(const net::Request& request);
  void learn_from(const net::Response& response);

  // Without what was learned; a header or parameter with the name of a credential loses its value.
  [[nodiscard]] std::string text(std::string_view text) const;
  [[nodiscard]] std::string url(std::string_view url) const;
  [[nodiscard]] std::string header(std::string_view name, std::string_view value) const;
  // JSON is read, so that no way to write a text hides it.
  [[nodiscard]] std::string body(std::string_view body) const;

 private:
  void learn_headers(const std::vector<net::Header>& headers);
  void learn_body(std::string_view body);
  mutable std::mutex mutex_;
  SecretForms forms_;
};

}  // namespace ccm::plugin
