#include "manager_flags.hpp"

#include "app/flags/controller_selection.hpp"
#include "plugin_path.hpp"

#include <utility>

namespace ccm::ctl {
namespace {

Status wrong_use(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return {Code::invalid_argument, text};
}

std::vector<std::string> manager_arguments(const CloudOptions& options,
                                           const std::string& cluster_name) {
  std::vector<std::string> arguments{"--cloud-provider=" + options.provider,
                                     "--cluster-name=" + cluster_name};
  if (!options.config.empty()) arguments.push_back("--cloud-config=" + options.config);
  for (const std::string& path : options.plugin_paths) {
    arguments.push_back("--plugin-path=" + path);
  }
  arguments.insert(arguments.end(), options.more.begin(), options.more.end());
  return arguments;
}

}  // namespace

void add_cloud_options(CLI::App& command, CloudOptions& options) {
  command
      .add_option("--cloud-provider", options.provider,
                  "As the manager's flag: name of the provider")
      ->required()
      ->type_name("NAME");
  command.add_option("--cloud-config", options.config, "As the manager's flag")->type_name("FILE");
  add_plugin_path(command, options.plugin_paths);
  command
      .add_option("--login-timeout", options.timeout_seconds,
                  "Seconds in which the provider has to log in")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
  command.allow_extras();
  command.footer("Other flags are taken as the manager's, the provider's own among them.");
}

ManagerFlags::ManagerFlags(const CloudOptions& options, const std::string& cluster_name)
    : arguments_(manager_arguments(options, cluster_name)),
      selection_(app::read_early(arguments_)) {}

Status ManagerFlags::parse() {
  if (Status status = selection_.add_flags(line_); !status.ok()) return status;
  if (Status status = line_.parse(arguments_); !status.ok()) return wrong_use({status.message()});
  std::vector<std::string> faults = selection_.problems({});
  pins_ = app::read_pins(options().generic, faults);
  return faults.empty() ? Status() : wrong_use(faults);
}

Result<app::SelectedComponent> ManagerFlags::load_provider() {
  auto loaded = selection_.load({}, pins_);
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->provider);
}

std::vector<std::string> ManagerFlags::controllers() const {
  return app::select_controllers(options().generic.controllers, selection_.known_controllers())
      .enabled;
}

Result<std::vector<plugin_files::Manifest>> ManagerFlags::manifests() const {
  const auto chosen =
      app::select_controllers(options().generic.controllers, selection_.known_controllers());
  if (!chosen.errors.empty()) return wrong_use(chosen.errors);
  const auto problems = selection_.problems(chosen.enabled);
  if (!problems.empty()) return wrong_use(problems);
  return selection_.manifests(chosen.enabled);
}

}  // namespace ccm::ctl
