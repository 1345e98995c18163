#include "settings.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ccm::ctl {

std::map<std::string, std::string> PluginSettings::flag_values() const {
  std::map<std::string, std::string> values;
  for (const std::string& flag : flags) {
    const auto equals = flag.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("--flag takes NAME=VALUE");
    values[flag.substr(0, equals)] = flag.substr(equals + 1);
  }
  return values;
}

std::optional<std::string> PluginSettings::cloud_config_text() const {
  if (cloud_config.empty()) return std::nullopt;
  std::ifstream file(cloud_config, std::ios::binary);
  if (!file) throw std::invalid_argument("cannot read " + cloud_config);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void add_plugin_settings(CLI::App& command, PluginSettings& settings) {
  command
      .add_option("--cloud", settings.cloud,
                  "Command that plays the cloud: it is asked on its standard input and answers on\n"
                  "its standard output, in lines of JSON")
      ->type_name("COMMAND");
  command.add_option("--cloud-config", settings.cloud_config, "The plugin's --cloud-config")
      ->type_name("FILE");
  command.add_option("--flag", settings.flags, "A flag of the plugin; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

}  // namespace ccm::ctl
