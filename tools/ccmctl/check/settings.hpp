// The settings that `plugin check` and `plugin try` give to a plugin.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccm::ctl {

struct PluginSettings {
  std::string cloud;               // a command that plays the cloud
  std::string cloud_config;        // a file
  std::vector<std::string> flags;  // "NAME=VALUE"

  // Throws std::invalid_argument when a flag has no "=".
  [[nodiscard]] std::map<std::string, std::string> flag_values() const;
  // The file's text; nothing without a file. Throws std::invalid_argument when it cannot be read.
  [[nodiscard]] std::optional<std::string> cloud_config_text() const;
};

// Adds --cloud, --cloud-config and --flag.
void add_plugin_settings(CLI::App& command, PluginSettings& settings);

}  // namespace ccm::ctl
