#include "app/flags/options_command_line.hpp"

#include "app/flags/options_flags.hpp"
#include "base/duration.hpp"
#include "base/log.hpp"
#include "base/version.hpp"

#include <ccm/nearest.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::app {

namespace {

using plugin_files::Option;
using plugin_files::OptionType;

class PluginValue final : public FlagValue {
 public:
  explicit PluginValue(const Option& option) : option_(option) {
    text_ = option.default_value;  // the manifest's reader has checked it
    if (option.type == OptionType::duration) {
      if (const auto value = parse_duration(text_)) text_ = format_duration(*value);
    }
  }

  Status set(std::string_view text, bool first) override {
    Result<std::string> value = read(text);
    if (!value.ok()) return value.status();
    const bool adds = option_.type == OptionType::string_array && !first && !text_.empty();
    if (adds && value->empty()) return {};
    text_ = adds ? text_ + "," + *value : std::move(*value);
    return {};
  }
  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] std::string_view type() const override { return flag_type(option_.type); }
  [[nodiscard]] std::string_view implied() const override {
    return option_.type == OptionType::boolean ? "true" : std::string_view{};
  }

 private:
  // The value as it is kept.
  [[nodiscard]] Result<std::string> read(std::string_view text) const {
    switch (option_.type) {
      case OptionType::string: {
        if (const Status status = check_allowed(std::string(text)); !status.ok()) return status;
        return std::string(text);
      }
      case OptionType::boolean: {
        const auto value = parse_bool(text);
        if (!value) return must_be("true or false");
        return std::string(*value ? "true" : "false");
      }
      case OptionType::integer:
        return within_range(parse_integer(text), "an integer");
      case OptionType::duration: {
        const auto value = parse_duration(text);
        return within_range(value ? std::optional(value->count()) : std::nullopt,
                            "a duration such as 300ms, 5m or 1h30m");
      }
      case OptionType::string_array: {
        const auto items = parse_csv(text);
        if (!items) return must_be("a list separated by commas, quotes balanced");
        for (const std::string& item : *items) {
          if (const Status status = check_allowed(item); !status.ok()) return status;
        }
        return format_csv(*items);
      }
    }
    return must_be("of a known type");
  }

  [[nodiscard]] Status check_allowed(const std::string& text) const {
    const auto& allowed = option_.allowed;
    if (allowed.empty() || std::ranges::find(allowed, text) != allowed.end()) return {};
    // Suggesting the nearest value would reveal a typed secret.
    const std::string hint = option_.secret ? "" : did_you_mean(text, allowed);
    return must_be("one of " + format_csv(allowed) + hint);
  }

  [[nodiscard]] Result<std::string> within_range(std::optional<int64_t> value,
                                                 const std::string& what) const {
    if (!value) return must_be(what + range());
    const bool low = option_.minimum && *value < *option_.minimum;
    const bool high = option_.maximum && *value > *option_.maximum;
    if (low || high) return must_be("a value" + range());
    return shown(*value);
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

Status bad_option(std::string message) { return {Code::invalid_argument, std::move(message)}; }

bool may_share(const Flag& flag, plugin_files::OptionType type) {
  // Every value is a text; lists and addresses are read as one.
  return type == plugin_files::OptionType::string ? flag.value->type() != "bool"
                                                  : flag.value->type() == flag_type(type);
}

const std::string kPluginSection = "Flags of plugin ";

// Flags that are accepted and checked, and do nothing.
struct NoEffectFlag {
  std::string_view flag;  // a trailing * stands for any rest
  std::string_view why;
};

constexpr std::string_view kWebhooks = "no webhooks are served";
constexpr std::string_view kHttp2 = "only HTTP/1.1 is served";
constexpr std::string_view kAtOnce = "log lines are written at once";

constexpr std::array kNoEffectFlags = std::to_array<NoEffectFlag>({
    {"webhook-*", kWebhooks},
    {"contention-profiling", "there are no profiles to serve"},
    {"http2-max-streams-per-connection", kHttp2},
    {"disable-http2-serving", kHttp2},
    {"permit-address-sharing", "the socket has SO_REUSEADDR in any case"},
    {"log-flush-frequency", kAtOnce},
    {"log-text-info-buffer-size", kAtOnce},
    {"log-json-info-buffer-size", kAtOnce},
});

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

std::string_view flag_type(OptionType type) {
  static constexpr std::array<std::string_view, 5> kNames{"string", "bool", "int", "duration",
                                                          "strings"};
  return kNames.at(static_cast<std::size_t>(type));
}

std::unique_ptr<FlagValue> plugin_value(const Option& option) {
  return std::make_unique<PluginValue>(option);
}

EarlyOptions read_early(std::span<const std::string> arguments) {
  Options options;
  FlagSet flags;
  add_host_flags(flags, options);
  flags.parse_known(arguments);
  return {options.generic.plugin_paths, options.kube_cloud_shared.cloud_provider};
}

CommandLine::CommandLine(Environment environment)
    : environment_(std::move(environment)), options_(std::make_unique<Options>()) {
  add_host_flags(flags_, *options_);
  for (const Flag* flag : flags_.sorted()) {
    const std::string_view why = why_without_effect(flag->name);
    if (!why.empty()) flags_.find(flag->name)->usage.append(" No effect: ").append(why).append(".");
  }
}

void CommandLine::add_absent_plugin(std::string_view id,
                                    std::span<const plugin_files::Option> options,
                                    const std::string& why) {
  for (const plugin_files::Option& option : options) {
    flags_.add_absent(option.name, "plugin " + std::string(id) + " brings it, but " + why);
  }
}

Status CommandLine::add_plugin(std::string_view id, std::span<const plugin_files::Option> options) {
  FlagGroup group = flags_.group(kPluginSection + std::string(id));
  for (const plugin_files::Option& option : options) {
    Flag* known = flags_.find(option.name);
    if (known != nullptr && !may_share(*known, option.type)) {
      return bad_option("plugin " + std::string(id) + " declares --" + option.name + " as " +
                        std::string(flag_type(option.type)) + ", but it is " +
                        std::string(known->value->type()) + " in \"" + known->section + "\"");
    }
    std::string usage = option.description;
    if (!option.environment.empty()) usage += " Environment: " + option.environment + ".";
    std::optional<plugin_files::Option> shared;
    if (known == nullptr) {
      known = &group.add(option.name, plugin_value(option), std::move(usage));
    } else if (!known->section.starts_with(kPluginSection)) {
      known->usage = std::move(usage);
      shared = option;
    }
    known->secret = known->secret || option.secret;
    brought_.push_back({std::string(id), option.name, option.environment, std::move(shared)});
  }
  return {};
}

Status CommandLine::parse(std::span<const std::string> arguments) {
  Status status = flags_.parse(arguments);
  if (!status.ok()) return status;
  options_->client_connection.feature_gates.read(environment_);
  for (const Brought& brought : brought_) {
    Flag* flag = flags_.find(brought.flag);
    if (flag->set || brought.environment.empty()) continue;
    const char* const value = environment_(brought.environment.c_str());
    if (value == nullptr) continue;
    status = flag->value->set(value, true);
    if (!status.ok()) {
      return bad_option("invalid value \"" + flag->shown(value) +
                        "\" in the environment variable " + brought.environment + ": " +
                        status.message());
    }
    flag->set = true;
  }
  return {};
}

Validation CommandLine::validate(std::span<const KnownController> controllers) const {
  Validation result = app::validate(*options_, controllers);
  for (const Brought& brought : brought_) {
    const Flag& flag = *flags_.find(brought.flag);
    if (!brought.shared || !flag.set) continue;
    const std::string text = flag.value->text();
    const Status status = plugin_value(*brought.shared)->set(text, true);
    if (status.ok()) continue;
    result.errors.push_back("--" + brought.flag + " " + status.message() + ", is " +
                            flag.shown(text));
  }
  return result;
}

std::optional<std::string> CommandLine::flag_text(std::string_view name) const {
  const Flag* flag = flags_.find(name);
  if (flag == nullptr) return std::nullopt;
  return flag->value->text();
}

std::vector<std::pair<std::string, std::string>> CommandLine::all_values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Flag* flag : flags_.sorted()) {
    values.emplace_back(flag->name, flag->shown(flag->value->text()));
  }
  std::sort(values.begin(), values.end());
  return values;
}

bool CommandLine::is_set(std::string_view name) const {
  const Flag* flag = flags_.find(name);
  return flag != nullptr && flag->set;
}

std::string CommandLine::help(std::string_view program, std::size_t width) const {
  return "Runs the controllers that connect a Kubernetes cluster to its cloud.\n\nUsage: " +
         std::string(program) + " --cloud-provider=NAME [flags]\n" + flags_.help(width);
}

void CommandLine::log_flags() const {
  for (const Flag* flag : flags_.sorted()) {
    log::v(1).info("Flag",
                   {{"name", "--" + flag->name}, {"value", flag->shown(flag->value->text())}});
  }
  for (const Flag* flag : flags_.sorted()) {
    if (!flag->set) continue;
    const std::string name = "--" + flag->name;
    if (!flag->deprecated.empty()) {
      log::warning("Flag is deprecated", {{"flag", name}, {"reason", flag->deprecated}});
    }
    const std::string_view why = why_without_effect(flag->name);
    if (!why.empty()) log::info("Flag has no effect", {{"flag", name}, {"reason", why}});
  }
  for (const auto& [name, value] : options_->generic.feature_gates.overrides()) {
    for (const KnownGate& gate : known_gates()) {
      if (gate.name != name || gate.effective) continue;
      log::info("Feature gate has no effect", {{"gate", name}, {"value", value}});
    }
  }
  options_->client_connection.feature_gates.log();
}

std::optional<std::string> version_text(std::string_view program, std::string_view wanted) {
  const Version& build = version();
  if (wanted == "true") return std::string(program) + " " + std::string(build.text) + "\n";
  if (wanted != "raw") return std::nullopt;
  std::string text = "version.Info{";
  const auto add = [&text](std::string_view name, std::string_view value) {
    if (text.back() != '{') text += ", ";
    text.append(name).append(":\"").append(value).append("\"");
  };
  add("Major", build.major);
  add("Minor", build.minor);
  add("GitVersion", build.text);
  add("GitCommit", build.commit);
  add("Compiler", build.compiler);
  add("Platform", std::string(build.system) + "/" + std::string(build.machine));
  return text + "}\n";
}

std::string_view why_without_effect(std::string_view flag) {
  const auto* const found = std::ranges::find_if(
      kNoEffectFlags, [flag](const NoEffectFlag& entry) { return matches(entry.flag, flag); });
  return found == kNoEffectFlags.end() ? std::string_view{} : found->why;
}

}  // namespace ccm::app
