// The plugins that a command line selects: found by their manifests first, loaded when all other
// checks have passed. Home thread: main.
#pragma once

#include "app/flags/controller_selection.hpp"
#include "app/flags/options.hpp"
#include "app/flags/options_command_line.hpp"
#include "plugin_files/loader.hpp"
#include "plugin_files/registry.hpp"

#include <ccm/status.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ccm::app {

struct SelectedComponent {
  plugin_files::LoadedPlugin plugin;
  std::string name;  // the component's in it
};

struct LoadedSelection {
  SelectedComponent provider;
  std::vector<SelectedComponent> controllers;  // in the order of their names
};

// The pins of --plugin-sha256 and --plugin-sha256-file; each fault is one line of `errors`.
plugin_files::Pins read_pins(const GenericOptions& options, std::vector<std::string>& errors);

class PluginSelection {
 public:
  // Reads the manifests of --plugin-path, or of the default folder. Nothing is loaded.
  explicit PluginSelection(const EarlyOptions& early);

  // Adds the plugins' flags: of every controller in the selection, enabled or not, so that
  // disabling a controller does not make its flags unknown, and of the chosen provider.
  Status add_flags(CommandLine& command_line) const;

  // The names that --controllers accepts: installed controllers, and upstream's names, so that a
  // manifest for a Go manager may disable a controller that was not packaged. Those are not part of
  // "*", and neither are the controllers of other providers, which may be named for the same
  // reason.
  [[nodiscard]] std::vector<KnownController> known_controllers() const;

  // One line for each reason why `enabled` and the provider cannot be loaded.
  [[nodiscard]] std::vector<std::string> problems(std::span<const std::string> enabled) const;

  // Files that cannot be used but are not asked for either; worth a warning.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return registry_.problems(); }

  // The provider's first, then those of the enabled controllers, each plugin once. Leaves out what
  // problems() complains about.
  [[nodiscard]] std::vector<plugin_files::Manifest> manifests(
      std::span<const std::string> enabled) const;
  // The provider's name in its manifest; empty when there is none.
  [[nodiscard]] std::string provider() const {
    return provider_.ok() ? provider_->name : std::string();
  }

  // Loads the provider and the enabled controllers: the files whose manifests were read, even if
  // other files have taken their paths since, and none before all of them have passed their checks.
  // `loaded` is called for each plugin before the next one is loaded, and may be empty. The failure
  // is one line.
  using Loaded = std::function<void(const plugin_files::LoadedPlugin&)>;
  [[nodiscard]] Result<LoadedSelection> load(std::span<const std::string> enabled,
                                             plugin_files::Pins pins,
                                             const Loaded& loaded = {}) const;

 private:
  void sort_controllers();
  [[nodiscard]] std::string why_missing(const std::string& name) const;
  [[nodiscard]] const plugin_files::Examination* file(const std::filesystem::path& path) const;
  [[nodiscard]] std::optional<plugin_files::Manifest> manifest_of(
      const std::filesystem::path& path) const;

  plugin_files::Registry registry_;
  std::string provider_name_;
  std::optional<plugin_files::Examination> by_path_;  // a provider that was given by its path
  Result<plugin_files::KnownProvider> provider_;
  // A controller in a provider's file is selected only with that provider: it works with that
  // cloud's API and credential.
  std::vector<plugin_files::InstalledController> controllers_;         // sorted by name
  std::vector<plugin_files::InstalledController> of_other_providers_;  // the rest
};

}  // namespace ccm::app
