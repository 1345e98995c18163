// ccm::Secret: a password, token or key that no log line, message or test report shows by mistake.
// A value; any thread.
#pragma once

#include <string>
#include <utility>

namespace ccm {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  [[nodiscard]] bool empty() const { return value_.empty(); }
  // For the request that needs it, and for nothing else.
  [[nodiscard]] const std::string& reveal() const { return value_; }

  friend bool operator==(const Secret&, const Secret&) = default;
  // All that prints it prints this.
  template <typename Stream>
  friend Stream& operator<<(Stream& stream, const Secret& secret) {
    stream << (secret.empty() ? "(no secret)" : "(secret)");
    return stream;
  }

 private:
  std::string value_;
};

}  // namespace ccm
