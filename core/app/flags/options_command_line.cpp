#include "app/flags/options_command_line.hpp"

#include "app/flags/options_flags.hpp"
#include "app/flags/options_plugin_value.hpp"
#include "base/log.hpp"
#include "base/version.hpp"

#include <algorithm>
#include <utility>

namespace ccm::app {
namespace {

Status bad_option(std::string message) { return {Code::invalid_argument, std::move(message)}; }

bool may_share(const Flag& flag, plugin::OptionType type) {
  // Every value is a text; lists and addresses are read as one.
  return type == plugin::OptionType::string ? flag.value->type() != "bool"
                                            : flag.value->type() == flag_type(type);
}

const std::string kPluginSection = "Flags of plugin ";

bool is_of_host(const Flag& flag) { return !flag.section.starts_with(kPluginSection); }

}  // namespace

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
    const std::string_view why = later_function(flag->name);
    if (!why.empty()) flags_.find(flag->name)->usage.append(" No effect: ").append(why).append(".");
  }
}

void CommandLine::add_absent_plugin(std::string_view id, std::span<const plugin::Option> options,
                                    const std::string& why) {
  for (const plugin::Option& option : options) {
    flags_.add_absent(option.name, "plugin " + std::string(id) + " brings it, but " + why);
  }
}

Status CommandLine::add_plugin(std::string_view id, std::span<const plugin::Option> options) {
  FlagGroup group = flags_.group(kPluginSection + std::string(id));
  for (const plugin::Option& option : options) {
    Flag* known = flags_.find(option.name);
    if (known != nullptr && !may_share(*known, option.type)) {
      return bad_option("plugin " + std::string(id) + " declares --" + option.name + " as " +
                        std::string(flag_type(option.type)) + ", but it is " +
                        std::string(known->value->type()) + " in \"" + known->section + "\"");
    }
    std::string usage = option.description;
    if (!option.environment.empty()) usage += " Environment: " + option.environment + ".";
    std::optional<plugin::Option> shared;
    if (known == nullptr) {
      known = &group.add(option.name, plugin_value(option), std::move(usage));
    } else if (is_of_host(*known)) {
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
    const std::string_view later = later_function(flag->name);
    if (!later.empty()) log::info("Flag has no effect", {{"flag", name}, {"reason", later}});
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

}  // namespace ccm::app
