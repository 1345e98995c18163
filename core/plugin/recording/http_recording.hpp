// --record: the HTTP exchanges of all plugins as lines of JSON, without credentials, for a report
// that `ccm-sandbox --replay` can run.
#pragma once

#include "net/http_client.hpp"

#include <ccm/status.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

inline constexpr std::string_view kRedacted = "[redacted]";

// The ways in which a text repeats a secret: as it is, in base64 with either alphabet and wherever
// it begins among the bytes that were encoded, and in hexadecimal digits; each of them also with
// any of its characters written as in JSON (\n, \u0041), in a URL (%41, in upper or lower case) or
// in HTML (&amp;, &#65;).
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
    bool any_case;  // in hexadecimal digits
  };
  // How many characters of `text` repeat a form; 0 = none does.
  [[nodiscard]] std::size_t match(std::string_view text) const;

  void add_form(std::string text, bool any_case);

  std::vector<std::string> secrets_;
  std::vector<Form> forms_;         // the longest first
  std::array<bool, 256> starts_{};  // the first characters of forms_
};

// Removes credentials from HTTP exchanges before they are written to a file. Any thread.
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

// One try of a request. Valid during the call.
struct RecordedExchange {
  std::string_view component;
  std::string_view operation;
  const net::Request& request;
  const Result<net::Response>& response;
  std::chrono::nanoseconds duration{0};
  const std::vector<std::string>& secrets;  // that the plugin named
};

// Any thread.
class HttpRecording {
 public:
  // Makes the file, or empties one that is this user's alone: its own, without a second name, and
  // closed to others. Fails with a line for the user.
  static Result<std::shared_ptr<HttpRecording>> open(const std::string& path,
                                                     std::size_t limit = 64u << 20);
  ~HttpRecording();
  HttpRecording& operator=(HttpRecording&&) = delete;

  // Secrets of the host's configuration: removed from all that follows.
  void learn_secret(std::string_view secret) { redactor_.learn(secret); }
  // Writes one line. When the file has reached its limit or the disk is full, the recording ends
  // with whole lines, and one warning says so.
  void add(const RecordedExchange& exchange);

 private:
  HttpRecording(int file, std::string path, std::size_t limit);
  void end(const char* why);

  Redactor redactor_;
  std::mutex mutex_;
  int file_;
  const std::string path_;
  const std::size_t limit_;
  std::size_t written_ = 0;
};

}  // namespace ccm::plugin
