// The credentials that plugins were given or have sent, and texts of plugins without them: a
// provider that puts its token into an error would bring it into logs, Events and conditions. It
// knows what the host has seen: secrets whose names say so, credentials in the headers of requests,
// and what requests name as secret. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

class SecretForms;

class KnownSecrets {
 public:
  // The last sixteen are known, so that texts are read quickly whatever plugins send. Nothing
  // happens for short ones, which stand everywhere, and for a signature of AWS, which is another
  // one in each request and serves nobody else.
  void learn(std::string_view secret);
  void learn(const std::vector<std::string>& secrets);

  // The text, or the Status's message, with "[redacted]" in place of the known secrets.
  [[nodiscard]] std::string without(std::string_view text) const;
  [[nodiscard]] Status without(const Status& status) const;

 private:
  [[nodiscard]] std::shared_ptr<const SecretForms> forms() const;

  mutable std::mutex mutex_;
  std::deque<std::string> secrets_;           // the last used one at the end
  std::shared_ptr<const SecretForms> forms_;  // all forms of these; null = none
};

}  // namespace ccm::plugin
