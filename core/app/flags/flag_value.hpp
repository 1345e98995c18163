// The value of a flag, and how its text is read and written: as Go's strconv, net, encoding/csv and
// pflag do. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::app {

// 1, t, T, TRUE, true, True and their opposites.
std::optional<bool> parse_bool(std::string_view text);

// Decimal, 0x, 0o, 0b or a leading 0 for octal; underscores between digits. nullopt when malformed
// or beyond 64 bits.
std::optional<int64_t> parse_integer(std::string_view text);

// Decimal; nullopt also for what is not finite.
std::optional<float> parse_float(std::string_view text);

// A quantity as Kubernetes writes it: a decimal number with an optional suffix (n, u, m, k, M, G,
// T, P, E, Ki, Mi, Gi, Ti, Pi, Ei) or exponent.
bool is_quantity(std::string_view text);

// One line of CSV: commas, fields in double quotes, "" inside them. An empty text is an empty list.
std::optional<std::vector<std::string>> parse_csv(std::string_view text);
// The inverse; fields are quoted when they must be.
std::string format_csv(std::span<const std::string> fields);

// IPv4 or IPv6, without a zone.
bool is_ip_address(std::string_view text);

// A variable of the options tree, seen as text.
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

// How values of one kind are read and written.
template <typename T>
struct ValueKind {
  std::string_view type;
  std::function<std::optional<T>(std::string_view text)> read;
  std::function<std::string(const T& value)> write;
  std::string wanted{};        // after "must be ", of a text that read() refuses
  std::string_view implied{};  // as FlagValue::implied()
};

// A text replaces the variable's value; to a list it adds.
template <typename T>
class BoundValue final : public FlagValue {
 public:
  BoundValue(T* variable, ValueKind<T> kind) : variable_(variable), kind_(std::move(kind)) {}
  Status set(std::string_view text, bool first) override {
    std::optional<T> value = kind_.read(text);
    if (!value) return must_be(kind_.wanted);
    add(*variable_, std::move(*value), first);
    return {};
  }
  [[nodiscard]] std::string text() const override { return kind_.write(*variable_); }
  [[nodiscard]] std::string_view type() const override { return kind_.type; }
  [[nodiscard]] std::string_view implied() const override { return kind_.implied; }

 private:
  template <typename Value>
  static void add(Value& variable, Value value, bool) {
    variable = std::move(value);
  }
  template <typename Item>
  static void add(std::vector<Item>& list, std::vector<Item> more, bool first) {
    if (first) list.clear();
    list.insert(list.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }

  T* variable_;
  ValueKind<T> kind_;
};

template <typename T>
std::unique_ptr<FlagValue> bound_value(T* variable, ValueKind<T> kind) {
  return std::make_unique<BoundValue<T>>(variable, std::move(kind));
}

// Each writes into a variable that outlives it; its value at that time is the default. The kind is
// that of the variable's type.
std::unique_ptr<FlagValue> flag_value(std::string* variable);
std::unique_ptr<FlagValue> flag_value(bool* variable);
std::unique_ptr<FlagValue> flag_value(int32_t* variable);
std::unique_ptr<FlagValue> flag_value(float* variable);
std::unique_ptr<FlagValue> flag_value(std::chrono::nanoseconds* variable);
std::unique_ptr<FlagValue> flag_value(std::vector<std::string>* variable);
std::unique_ptr<FlagValue> flag_value(std::vector<int32_t>* variable);
std::unique_ptr<FlagValue> ip_value(std::string* variable);

}  // namespace ccm::app
