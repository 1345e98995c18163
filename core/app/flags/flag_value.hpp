// The value of a flag: a variable of the options tree, seen as text.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

class FlagValue {
 public:
  virtual ~FlagValue() = default;
  // Takes a value; a failure is the end of a sentence that says what would be right: "must be ...".
  // `first`: the flag's first use, so that lists drop their default (HOST-3).
  virtual Status set(std::string_view text, bool first) = 0;
  // The value in force as a text that set() takes.
  [[nodiscard]] virtual std::string text() const = 0;
  // For --help and for plugins that share the flag: "string", "bool", "int", "float32", "duration",
  // "strings", ...
  [[nodiscard]] virtual std::string_view type() const = 0;
  // The value of the flag given without one; empty: a value must follow.
  [[nodiscard]] virtual std::string_view implied() const { return {}; }
};

// The failure of FlagValue::set().
Status must_be(std::string what);

// Each writes into a variable that outlives it; its value at that time is the default.
std::unique_ptr<FlagValue> string_value(std::string* variable);
std::unique_ptr<FlagValue> bool_value(bool* variable);
std::unique_ptr<FlagValue> int32_value(int32_t* variable);
std::unique_ptr<FlagValue> float_value(float* variable);
std::unique_ptr<FlagValue> duration_value(std::chrono::nanoseconds* variable);
std::unique_ptr<FlagValue> ip_value(std::string* variable);
std::unique_ptr<FlagValue> list_value(std::vector<std::string>* variable);
std::unique_ptr<FlagValue> int32_list_value(std::vector<int32_t>* variable);

}  // namespace ccm::app
