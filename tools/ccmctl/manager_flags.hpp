// The manager's command line as ccmctl takes it: the flags of its own that are named like the
// manager's, and all others, the provider's among them. Values of plain options.
#pragma once

#include "app/flags/options_command_line.hpp"
#include "app/plugin_selection.hpp"

#include <ccm/status.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ccm::ctl {

struct CloudOptions {
  std::string provider;
  std::string config;
  std::vector<std::string> plugin_paths;
  std::vector<std::string> more;  // further flags of the manager
  unsigned timeout_seconds = 60;  // for the log-in
};

// --cloud-provider, --cloud-config, --plugin-path; other flags are taken as the manager's.
void add_cloud_options(CLI::App& command, CloudOptions& options);

class ManagerFlags {
 public:
  ManagerFlags(const CloudOptions& options, const std::string& cluster_name);
  ManagerFlags(const ManagerFlags&) = delete;
  ManagerFlags& operator=(const ManagerFlags&) = delete;

  // Failure: invalid_argument, all faults of the command line.
  Status parse();
  // After parse(): loads the provider alone.
  [[nodiscard]] Result<app::SelectedComponent> load_provider();
  // After parse(): the provider's manifest, then those of the controllers that would run.
  // Failure: invalid_argument.
  [[nodiscard]] Result<std::vector<plugin_files::Manifest>> manifests() const;
  // The names of these controllers. After parse().
  [[nodiscard]] std::vector<std::string> controllers() const;
  [[nodiscard]] std::string provider() const { return selection_.provider(); }
  [[nodiscard]] const app::CommandLine& line() const { return line_; }
  [[nodiscard]] const app::Options& options() const { return line_.options(); }

 private:
  const std::vector<std::string> arguments_;
  const app::PluginSelection selection_;
  app::CommandLine line_;
  plugin_files::Pins pins_;
};

}  // namespace ccm::ctl
