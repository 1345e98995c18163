// The host's command line, from arguments to values.
//   1. read_early() tells which plugins to look for, although their flags are not known yet.
//   2. CommandLine + add_plugin() for each of them.
//   3. parse(), then help()/version_text() if asked for, then validate().
// Exit codes (HOST-148): 0 after --help and --version; 1 for every fault found here, printed to
// stderr: one line from parse(), or all lines from validate() together.
// Home thread: main; reading values is any-thread after parse().
#pragma once

#include "app/flags/flag_set.hpp"
#include "app/flags/flag_value.hpp"
#include "app/flags/options.hpp"
#include "app/flags/options_validation.hpp"
#include "plugin_files/manifest.hpp"

#include <ccm/status.hpp>

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

// FlagValue::type() of a flag that a plugin brings: "string", "bool", "int", "duration", "strings".
std::string_view flag_type(plugin_files::OptionType type);

// Its value, which starts with the option's default and keeps to the manifest's limits.
std::unique_ptr<FlagValue> plugin_value(const plugin_files::Option& option);

struct EarlyOptions {
  std::vector<std::string> plugin_paths;
  std::string cloud_provider;
};

// Skips everything else, faults included. `arguments` are those after the program's name.
EarlyOptions read_early(std::span<const std::string> arguments);

class CommandLine {
 public:
  // The value of an environment variable, nullptr when unset.
  using Environment = std::function<const char*(const char* name)>;

  explicit CommandLine(Environment environment = [](const char* name) {
    return std::getenv(name);
  });

  // Adds the flags of a plugin. A flag that the host or another plugin already has is shared, and
  // the first default holds; of a flag that the host has too, the plugin's text and limits count.
  // Failure: its type differs.
  Status add_plugin(std::string_view id, std::span<const plugin_files::Option> options);

  // Flags that an installed plugin would add if it were in use; `why` it is not in use.
  void add_absent_plugin(std::string_view id, std::span<const plugin_files::Option> options,
                         const std::string& why);

  // Why the flags of a plugin that was chosen are not known; stands with any unknown flag.
  void set_incomplete(std::string why) { flags_.set_incomplete(std::move(why)); }

  // Flags, then the environment: plugins' flags that were not given, and client-go's feature gates.
  // Failure: one line.
  Status parse(std::span<const std::string> arguments);

  [[nodiscard]] const Options& options() const { return *options_; }
  [[nodiscard]] Validation validate(std::span<const KnownController> controllers) const;

  // The value in force of any flag; nullopt when there is none of that name.
  [[nodiscard]] std::optional<std::string> flag_text(std::string_view name) const;
  // Given by the user (or, for plugins' flags, by the environment).
  [[nodiscard]] bool is_set(std::string_view name) const;
  // Name and value in force of every flag, by name. Secrets are left out: flags that a plugin marks
  // as secret, and flags whose name looks like one.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> all_values() const;

  // The text of --help, wrapped to `width` columns.
  [[nodiscard]] std::string help(std::string_view program, std::size_t width = 100) const;

  // All flags at verbosity 1 (HOST-4); then one line for each given flag that is deprecated or has
  // no effect.
  void log_flags() const;

 private:
  struct Brought {
    std::string plugin;  // id
    std::string flag;
    std::string environment;
    std::optional<plugin_files::Option> shared;  // when the host has that flag, too
  };
  Environment environment_;
  std::unique_ptr<Options> options_;
  FlagSet flags_;
  std::vector<Brought> brought_;
};

// The output of --version (HOST-74); nullopt when it was not asked for. `wanted`: Options::version.
std::optional<std::string> version_text(std::string_view program, std::string_view wanted);

// Why a flag does nothing; empty when it works. One table.
std::string_view why_without_effect(std::string_view flag);

}  // namespace ccm::app
