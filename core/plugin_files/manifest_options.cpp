// Reads the "options" of a manifest: the plugin's flags.
#include "base/duration.hpp"
#include "plugin_files/manifest.hpp"
#include "plugin_files/manifest_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::plugin {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, OptionType>, 5> kTypes{
    {{"string", OptionType::string},
     {"boolean", OptionType::boolean},
     {"integer", OptionType::integer},
     {"duration", OptionType::duration},
     {"stringArray", OptionType::string_array}}};

bool is_variable_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string default_of_type(OptionType type) {
  switch (type) {
    case OptionType::boolean:
      return "false";
    case OptionType::integer:
      return "0";
    case OptionType::duration:
      return "0s";
    case OptionType::string:
    case OptionType::string_array:
      return "";
  }
  return "";
}

// One value as a flag's text; nullopt when the JSON value has another type than the option.
std::optional<std::string> text_of(const json& value, OptionType type) {
  switch (type) {
    case OptionType::string:
      if (value.is_string()) return value.get<std::string>();
      break;
    case OptionType::boolean:
      if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
      break;
    case OptionType::integer:
      if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) break;
      if (value.is_number_integer()) return std::to_string(value.get<int64_t>());
      break;
    case OptionType::duration:
      if (value.is_string() && parse_duration(value.get<std::string>())) {
        return value.get<std::string>();
      }
      break;
    case OptionType::string_array: {
      if (!value.is_array()) break;
      std::string joined;
      for (const json& element : value) {
        if (!element.is_string()) return std::nullopt;
        const auto text = element.get<std::string>();
        if (text.find(',') != std::string::npos) return std::nullopt;
        joined += (joined.empty() ? "" : ",") + text;
      }
      return joined;
    }
  }
  return std::nullopt;
}

std::string expectation(OptionType type) {
  switch (type) {
    case OptionType::string:
      return "must be a string";
    case OptionType::boolean:
      return "must be true or false";
    case OptionType::integer:
      return "must be an integer";
    case OptionType::duration:
      return "must be a duration such as \"30s\" or \"1h5m\"";
    case OptionType::string_array:
      return "must be an array of strings without commas";
  }
  return "";
}

// An integer as it is, a duration in nanoseconds.
std::optional<int64_t> number_of(const std::string& text, OptionType type) {
  if (type == OptionType::duration) {
    const auto duration = parse_duration(text);
    return duration ? std::optional<int64_t>(duration->count()) : std::nullopt;
  }
  if (type != OptionType::integer) return std::nullopt;
  return std::stoll(text);  // text_of made it
}

std::optional<int64_t> read_bound(ManifestReader& reader, const char* name, OptionType type) {
  const json* value = reader.any(name);
  if (value == nullptr) return std::nullopt;
  if (type != OptionType::integer && type != OptionType::duration) {
    reader.fault(name, "is for integers and durations only");
    return std::nullopt;
  }
  const auto text = text_of(*value, type);
  if (!text) {
    reader.fault(name, expectation(type));
    return std::nullopt;
  }
  return number_of(*text, type);
}

void read_default(ManifestReader& reader, Option& option) {
  option.default_value = default_of_type(option.type);
  const json* value = reader.any("default");
  if (value == nullptr) return;
  if (option.secret) {
    reader.fault("default", "is not for a secret, as everybody can read the manifest");
    return;
  }
  const auto text = text_of(*value, option.type);
  if (!text) {
    reader.fault("default", expectation(option.type));
    return;
  }
  option.default_value = *text;
  const auto number = number_of(*text, option.type);
  if (number && ((option.minimum && *number < *option.minimum) ||
                 (option.maximum && *number > *option.maximum))) {
    reader.fault("default", "lies outside of minimum and maximum");
  }
  const auto allowed = [&option](const std::string& one) {
    return std::find(option.allowed.begin(), option.allowed.end(), one) != option.allowed.end();
  };
  if (option.allowed.empty()) return;
  if (option.type == OptionType::string && !allowed(*text)) {
    reader.fault("default", "is not one of enum");
  }
  if (option.type == OptionType::string_array) {
    for (const json& element : *value) {
      if (!allowed(element.get<std::string>())) {
        reader.fault("default", "holds \"" + element.get<std::string>() + "\", not one of enum");
      }
    }
  }
}

bool read_type(ManifestReader& reader, Option& option) {
  const std::string name = reader.string("type", ManifestReader::Presence::required);
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&name](const auto& entry) { return entry.first == name; });
  if (type == kTypes.end()) {
    if (!name.empty()) {
      reader.fault(
          "type", "\"" + name + "\" is not one of string, boolean, integer, duration, stringArray");
    }
    return false;
  }
  option.type = type->second;
  return true;
}

Option read_option(const std::string& name, const json& value, ManifestReport& findings) {
  ManifestReader reader(value, "options." + name, findings);
  Option option;
  option.name = name;
  option.description = reader.string("description", ManifestReader::Presence::required);
  option.environment = reader.string("environment");
  option.allowed = reader.strings("enum");
  option.secret = reader.boolean("secret", false);
  if (!option.environment.empty() && !is_variable_name(option.environment)) {
    reader.fault("environment", "must be a variable's name of A-Z, 0-9 and _");
  }
  if (read_type(reader, option)) {
    option.minimum = read_bound(reader, "minimum", option.type);
    option.maximum = read_bound(reader, "maximum", option.type);
    if (option.minimum && option.maximum && *option.minimum > *option.maximum) {
      reader.fault("minimum", "is above maximum");
    }
    if (!option.allowed.empty() && option.type != OptionType::string &&
        option.type != OptionType::string_array) {
      reader.fault("enum", "is for strings and lists of strings only");
    }
    read_default(reader, option);
  } else {
    for (const char* known : {"default", "minimum", "maximum"}) reader.any(known);
  }
  reader.finish();
  return option;
}

}  // namespace

std::string_view to_string(OptionType type) {
  for (const auto& [name, candidate] : kTypes) {
    if (candidate == type) return name;
  }
  return "unknown";
}

std::vector<Option> read_options(ManifestReader& manifest, ManifestReport& findings) {
  std::vector<Option> options;
  const json* value = manifest.any("options");
  if (value == nullptr) return options;
  if (!value->is_object()) {
    manifest.fault("options", "must be an object of flag names");
    return options;
  }
  for (const auto& [name, option] : value->items()) {
    if (!is_name(name)) {
      manifest.fault("options", "\"" + name + "\" is no flag name: a-z, 0-9 and single dashes");
      continue;
    }
    options.push_back(read_option(name, option, findings));
  }
  return options;
}

}  // namespace ccm::plugin
