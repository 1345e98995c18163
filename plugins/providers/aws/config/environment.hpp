// The variables that AWS's SDKs read, as they were when the program started.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::aws {

class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  // HOME and all that begin with AWS_.
  static Environment of_process();
  explicit Environment(Variables variables) : variables_(std::move(variables)) {}

  // Empty when it is not set.
  [[nodiscard]] std::string get(std::string_view name) const;
  // "true" in any case of letters.
  [[nodiscard]] bool is_true(std::string_view name) const;

 private:
  Variables variables_;
};

}  // namespace ccm::aws
