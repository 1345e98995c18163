// Removes credentials from HTTP exchanges before they are written to a file. Any thread.
#pragma once

#include "net/http_client.hpp"
#include "plugin/recording/secret_forms.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

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
