#include "app/flags/flag_value.hpp"

#include "app/flags/go_values.hpp"
#include "base/duration.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace ccm::app {

Status must_be(std::string what) { return {Code::invalid_argument, "must be " + std::move(what)}; }

namespace {

template <typename T>
class Bound : public FlagValue {
 public:
  explicit Bound(T* variable) : variable_(variable) {}

 protected:
  T* variable_;
};

class StringValue final : public Bound<std::string> {
 public:
  using Bound::Bound;
  Status set(std::string_view text, bool) override { return *variable_ = text, Status(); }
  [[nodiscard]] std::string text() const override { return *variable_; }
  [[nodiscard]] std::string_view type() const override { return "string"; }
};

class BoolValue final : public Bound<bool> {
 public:
  using Bound::Bound;
  Status set(std::string_view text, bool) override {
    const auto value = parse_bool(text);
    if (!value) return must_be("true or false");
    return *variable_ = *value, Status();
  }
  [[nodiscard]] std::string text() const override { return *variable_ ? "true" : "false"; }
  [[nodiscard]] std::string_view type() const override { return "bool"; }
  [[nodiscard]] std::string_view implied() const override { return "true"; }
};

template <typename T>
class IntegerValue final : public Bound<T> {
 public:
  using Bound<T>::Bound;
  Status set(std::string_view text, bool) override {
    using Limits = std::numeric_limits<T>;
    const auto value = parse_integer(text);
    if (!value || *value < Limits::min() || *value > Limits::max()) {
      return must_be(fmt::format("an integer from {} to {}", Limits::min(), Limits::max()));
    }
    return *this->variable_ = static_cast<T>(*value), Status();
  }
  [[nodiscard]] std::string text() const override { return std::to_string(*this->variable_); }
  [[nodiscard]] std::string_view type() const override { return "int"; }
};

class FloatValue final : public Bound<float> {
 public:
  using Bound::Bound;
  Status set(std::string_view text, bool) override {
    const auto value = parse_float(text);
    if (!value) return must_be("a number");
    return *variable_ = *value, Status();
  }
  [[nodiscard]] std::string text() const override {
    std::string text = fmt::format("{}", *variable_);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
  }
  [[nodiscard]] std::string_view type() const override { return "float"; }
};

class DurationValue final : public Bound<std::chrono::nanoseconds> {
 public:
  using Bound::Bound;
  Status set(std::string_view text, bool) override {
    const auto value = parse_duration(text);
    if (!value) return must_be("a duration such as 300ms, 1.5s, 5m or 1h30m");
    return *variable_ = *value, Status();
  }
  [[nodiscard]] std::string text() const override { return format_duration(*variable_); }
  [[nodiscard]] std::string_view type() const override { return "duration"; }
};

class IpValue final : public Bound<std::string> {
 public:
  using Bound::Bound;
  Status set(std::string_view text, bool) override {
    if (!is_ip_address(text)) return must_be("an IPv4 or IPv6 address");
    return *variable_ = text, Status();
  }
  [[nodiscard]] std::string text() const override { return *variable_; }
  [[nodiscard]] std::string_view type() const override { return "ip"; }
};

class ListValue final : public Bound<std::vector<std::string>> {
 public:
  using Bound::Bound;
  Status set(std::string_view text, bool first) override {
    auto fields = parse_csv(text);
    if (!fields) return must_be("a list separated by commas, quotes balanced");
    if (first) variable_->clear();
    for (std::string& field : *fields) variable_->push_back(std::move(field));
    return {};
  }
  [[nodiscard]] std::string text() const override { return format_csv(*variable_); }
  [[nodiscard]] std::string_view type() const override { return "strings"; }
};

class IntegerListValue final : public Bound<std::vector<int32_t>> {
 public:
  using Bound::Bound;
  Status set(std::string_view text, bool first) override {
    std::vector<int32_t> numbers;
    const auto fields = parse_csv(text);
    if (!fields) return must_be("a list of integers separated by commas");
    for (const std::string& field : *fields) {
      int32_t number = 0;
      if (!IntegerValue<int32_t>(&number).set(field, true).ok()) {
        return must_be("a list of integers separated by commas");
      }
      numbers.push_back(number);
    }
    if (first) variable_->clear();
    variable_->insert(variable_->end(), numbers.begin(), numbers.end());
    return {};
  }
  [[nodiscard]] std::string text() const override {
    return fmt::format("{}", fmt::join(*variable_, ","));
  }
  [[nodiscard]] std::string_view type() const override { return "ints"; }
};

}  // namespace

std::unique_ptr<FlagValue> string_value(std::string* variable) {
  return std::make_unique<StringValue>(variable);
}
std::unique_ptr<FlagValue> bool_value(bool* variable) {
  return std::make_unique<BoolValue>(variable);
}
std::unique_ptr<FlagValue> int32_value(int32_t* variable) {
  return std::make_unique<IntegerValue<int32_t>>(variable);
}
std::unique_ptr<FlagValue> float_value(float* variable) {
  return std::make_unique<FloatValue>(variable);
}
std::unique_ptr<FlagValue> duration_value(std::chrono::nanoseconds* variable) {
  return std::make_unique<DurationValue>(variable);
}
std::unique_ptr<FlagValue> ip_value(std::string* variable) {
  return std::make_unique<IpValue>(variable);
}
std::unique_ptr<FlagValue> list_value(std::vector<std::string>* variable) {
  return std::make_unique<ListValue>(variable);
}
std::unique_ptr<FlagValue> int32_list_value(std::vector<int32_t>* variable) {
  return std::make_unique<IntegerListValue>(variable);
}

}  // namespace ccm::app
