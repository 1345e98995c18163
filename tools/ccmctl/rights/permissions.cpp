// ccmctl permissions: what the manager has to be allowed to do in the cloud with the controllers
// that run, as the provider's manifest lists it ("cloudPermissions").
#include "app/flags/controller_selection.hpp"
#include "app/plugin_selection.hpp"
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "ccmctl/plugin_path.hpp"
#include "cloud_permissions.hpp"

#include <nlohmann/json.hpp>

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
  const auto permissions = read_cloud_permissions(command.plugins, chosen.enabled);
  if (!permissions.ok()) throw std::runtime_error(permissions.status().message());
  if (permissions->form == "iam-policy") {
    std::cout << policy_of(permissions->names);
  } else {
    for (const std::string& name : permissions->names) std::cout << printable(name) << '\n';
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
