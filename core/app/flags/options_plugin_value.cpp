#include "app/flags/options_plugin_value.hpp"

#include "app/flags/go_values.hpp"
#include "base/duration.hpp"

#include <ccm/nearest.hpp>

#include <algorithm>
#include <utility>

namespace ccm::app {
namespace {

using plugin::Option;
using plugin::OptionType;

class PluginValue final : public FlagValue {
 public:
  explicit PluginValue(const Option& option) : option_(option) {
    text_ = option.default_value;  // the manifest's reader has checked it
    if (option.type == OptionType::duration) {
      if (const auto value = parse_duration(text_)) text_ = format_duration(*value);
    }
  }

  Status set(std::string_view text, bool first) override {
    switch (option_.type) {
      case OptionType::string:
        return set_string(text);
      case OptionType::boolean:
        return set_boolean(text);
      case OptionType::integer:
        return set_integer(text);
      case OptionType::duration:
        return set_duration(text);
      case OptionType::string_array:
        return set_list(text, first);
    }
    return must_be("of a known type");
  }
  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] std::string_view type() const override { return flag_type(option_.type); }
  [[nodiscard]] std::string_view implied() const override {
    return option_.type == OptionType::boolean ? "true" : std::string_view{};
  }

 private:
  Status set_string(std::string_view text) {
    const Status status = check_allowed(std::string(text));
    if (status.ok()) text_ = text;
    return status;
  }

  Status set_boolean(std::string_view text) {
    const auto value = parse_bool(text);
    if (!value) return must_be("true or false");
    return text_ = *value ? "true" : "false", Status();
  }

  Status set_integer(std::string_view text) {
    const auto value = parse_integer(text);
    if (!value) return must_be("an integer" + range());
    Status status = check_range(*value);
    if (status.ok()) text_ = std::to_string(*value);
    return status;
  }

  Status set_duration(std::string_view text) {
    const auto value = parse_duration(text);
    if (!value) return must_be("a duration such as 300ms, 5m or 1h30m" + range());
    Status status = check_range(value->count());
    if (status.ok()) text_ = format_duration(*value);
    return status;
  }

  Status set_list(std::string_view text, bool first) {
    auto items = parse_csv(text);
    if (!items) return must_be("a list separated by commas, quotes balanced");
    for (const std::string& item : *items) {
      const Status status = check_allowed(item);
      if (!status.ok()) return status;
    }
    if (first) text_.clear();
    const std::string added = format_csv(*items);
    if (!text_.empty() && !added.empty()) text_ += ',';
    text_ += added;
    return {};
  }

  [[nodiscard]] Status check_allowed(const std::string& text) const {
    const auto& allowed = option_.allowed;
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), text) != allowed.end()) {
      return {};
    }
    // Suggesting the nearest value would reveal a typed secret.
    const std::string hint = option_.secret ? "" : did_you_mean(text, allowed);
    return must_be("one of " + format_csv(allowed) + hint);
  }

  [[nodiscard]] Status check_range(int64_t value) const {
    const bool low = option_.minimum && value < *option_.minimum;
    const bool high = option_.maximum && value > *option_.maximum;
    return low || high ? must_be("a value" + range()) : Status();
  }

  [[nodiscard]] std::string shown(int64_t value) const {
    if (option_.type == OptionType::integer) return std::to_string(value);
    return format_duration(std::chrono::nanoseconds(value));
  }

  // " from 1 to 10", " of at least 1", ...
  [[nodiscard]] std::string range() const {
    if (option_.minimum && option_.maximum) {
      return " from " + shown(*option_.minimum) + " to " + shown(*option_.maximum);
    }
    if (option_.minimum) return " of at least " + shown(*option_.minimum);
    if (option_.maximum) return " of at most " + shown(*option_.maximum);
    return {};
  }

  Option option_;
  std::string text_;
};

}  // namespace

std::string_view flag_type(OptionType type) {
  switch (type) {
    case OptionType::string:
      return "string";
    case OptionType::boolean:
      return "bool";
    case OptionType::integer:
      return "int";
    case OptionType::duration:
      return "duration";
    case OptionType::string_array:
      return "strings";
  }
  return "string";
}

std::unique_ptr<FlagValue> plugin_value(const Option& option) {
  return std::make_unique<PluginValue>(option);
}

}  // namespace ccm::app
