// ccmctl permissions: what the manager has to be allowed to do in the cloud with the controllers
// that run, as the provider's manifest lists it ("cloudPermissions").
#include "app/flags/controller_selection.hpp"
#include "app/plugin_selection.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "plugin_files/file_checks.hpp"
#include "plugin_files/registry.hpp"
#include "plugin_path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>

namespace ccm::ctl {
namespace {

using nlohmann::ordered_json;

struct PermissionsCommand {
  app::EarlyOptions plugins;
  std::vector<std::string> controllers{"*"};
};

// "cloudPermissions" of the provider's manifest. Throws std::runtime_error, one line.
ordered_json permissions_of(const app::EarlyOptions& options) {
  std::vector<std::filesystem::path> folders{plugin::default_plugin_folder()};
  if (!options.plugin_paths.empty()) {
    folders.assign(options.plugin_paths.begin(), options.plugin_paths.end());
  }
  const auto provider = plugin::Registry::scan(folders).find_provider(options.cloud_provider);
  if (!provider.ok()) throw std::runtime_error(provider.status().message());
  const auto manifest = ordered_json::parse(plugin::examine(provider->path, {}).note);
  const auto found = manifest.find("cloudPermissions");
  if (found != manifest.end()) return *found;
  throw std::runtime_error("the manifest of " + provider->plugin_id + " lists no cloudPermissions");
}

// An entry without "controllers" always counts.
std::set<std::string> needed_by(const ordered_json& permissions,
                                const std::set<std::string>& running) {
  std::set<std::string> names;
  for (const ordered_json& entry : permissions.at("needed")) {
    const auto of = entry.value("controllers", std::vector<std::string>());
    const bool counts = of.empty() || std::any_of(of.begin(), of.end(), [&](const auto& name) {
                          return running.contains(name);
                        });
    if (!counts) continue;
    for (const ordered_json& name : entry.at("names")) names.insert(name.get<std::string>());
  }
  return names;
}

std::string policy_of(const std::set<std::string>& names) {
  const ordered_json statement = {{"Effect", "Allow"}, {"Action", names}, {"Resource", "*"}};
  const ordered_json policy = {{"Version", "2012-10-17"},
                               {"Statement", ordered_json::array({statement})}};
  return json_text(policy);
}

int print_permissions(const PermissionsCommand& command) {
  const app::PluginSelection selection(command.plugins);
  const auto chosen = app::select_controllers(command.controllers, selection.known_controllers());
  for (const std::string& error : chosen.errors) {
    std::cerr << "ccmctl: " << printable(error) << '\n';
  }
  if (!chosen.errors.empty()) return kFault;
  std::set<std::string> names;
  std::string form;
  try {
    const ordered_json permissions = permissions_of(command.plugins);
    form = permissions.at("form");
    names = needed_by(permissions, {chosen.enabled.begin(), chosen.enabled.end()});
  } catch (const ordered_json::exception& fault) {
    throw std::runtime_error(std::string("the manifest's cloudPermissions: ") + fault.what());
  }
  if (form == "iam-policy") {
    std::cout << policy_of(names);
  } else {
    for (const std::string& name : names) std::cout << printable(name) << '\n';
  }
  return kOk;
}

}  // namespace

void add_permissions(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "permissions",
      "Print what the manager has to be allowed to do in the cloud with these controllers, as the\n"
      "provider's manifest lists it: for AWS an IAM policy, for others one permission a line. "
      "Runs\n"
      "no code of the plugins.");
  const auto options = std::make_shared<PermissionsCommand>();
  command->add_option("--cloud-provider", options->plugins.cloud_provider, "Name of the provider")
      ->required();
  command
      ->add_option("--controllers", options->controllers,
                   "Controllers that run, separated by commas, as the manager's flag")
      ->delimiter(',');
  add_plugin_path(*command, options->plugins.plugin_paths);
  command->callback([options, &exit_code] { exit_code = print_permissions(*options); });
}

}  // namespace ccm::ctl
