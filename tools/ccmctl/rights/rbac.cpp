// ccmctl rbac: the roles for a manager with these plugins, from their declarations.
#include "access/access_rules.hpp"
#include "app/flags/controller_selection.hpp"
#include "app/flags/feature_gates.hpp"
#include "app/migration_plan.hpp"
#include "app/plugin_selection.hpp"
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "ccmctl/plugin_path.hpp"
#include "rbac_objects.hpp"
#include "yaml_text.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

namespace ccm::ctl {
namespace {

using nlohmann::ordered_json;

enum class Text { yaml, json };

struct Command {
  app::EarlyOptions plugins;
  std::vector<std::string> controllers{"*"};
  RbacOptions rbac;
  app::LeaderMigrationOptions migration;
  std::vector<std::string> feature_gates;
  bool accounts = false;  // --use-service-account-credentials
  int secure_port = 10258;
  bool skip_lookup = false;
  Text format = Text::yaml;
};

// Path segments of the API; names of roles are such.
std::string check_segment(const std::string& name) {
  const bool good = !name.empty() && name.size() <= 253 && name != "." && name != ".." &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return c > 0x20 && c < 0x7f && c != '/' && c != '%' && c != '"' && c != '\\';
                    });
  return good ? "" : "\"" + printable(name) + "\" cannot be the name of an object";
}

// Names of service accounts, namespaces and Leases: labels of lower-case letters, joined by dots.
std::string check_domain(const std::string& name) {
  const auto inside = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool good = !name.empty() && name.size() <= 253 && inside(name.front()) &&
                    inside(name.back()) && name.find("..") == std::string::npos &&
                    std::all_of(name.begin(), name.end(),
                                [&](char c) { return inside(c) || c == '-' || c == '.'; });
  return good ? "" : "\"" + printable(name) + "\" must be of a-z, 0-9, dashes and dots";
}

// By service account; "" = the program's own identity.
using AskedByAccount = std::map<std::string, std::vector<SubjectRules>>;

struct Asked {
  AskedByAccount rules;  // the host first, then plugins by id
  std::vector<std::string> errors;
};

AskedByAccount rules_of_plugins(const std::vector<plugin_files::Manifest>& manifests,
                                const std::vector<std::string>& components, bool accounts) {
  std::map<std::string, access::RulesByAccount> plugins;
  for (const plugin_files::Manifest& manifest : manifests) {
    plugins[manifest.id] =
        accounts ? access::rules_by_account(manifest, components)
                 : access::RulesByAccount{{"", access::rules_of(manifest, components)}};
  }
  AskedByAccount asked;
  for (const auto& [id, rules] : plugins) {
    for (const auto& [account, list] : rules) asked[account].push_back({id, list});
  }
  return asked;
}

Asked asked_by(const app::PluginSelection& selection, Command& command) {
  Asked asked;
  const auto known = selection.known_controllers();
  auto chosen = app::select_controllers(command.controllers, known);
  asked.errors = chosen.errors;
  app::LeaderElectionOptions election;
  election.leader_elect = command.rbac.leader_elect;
  election.resource_name = command.rbac.lease_name;
  const auto migration = app::plan_migration(command.migration, election, known, chosen.enabled);
  if (migration.ok()) {
    command.rbac.migration_lease = migration->lease;
  } else {
    asked.errors.push_back(migration.status().message());
  }
  for (std::string& problem : selection.problems(chosen.enabled)) {
    asked.errors.push_back(std::move(problem));
  }
  const std::vector<plugin_files::Manifest> manifests = selection.manifests(chosen.enabled);
  if (!asked.errors.empty() || manifests.empty()) return asked;
  std::vector<std::string> components = chosen.enabled;
  components.push_back(selection.provider());
  asked.rules = rules_of_plugins(manifests, components, command.accounts);
  const bool machines = access::offers_instances(manifests.front(), selection.provider());
  auto& program = asked.rules[""];
  program.insert(program.begin(),
                 {std::string(access::kHostSubject), access::host_rules(machines)});
  return asked;
}

std::string header(const Command& command) {
  std::string controllers;
  for (const std::string& item : command.controllers) {
    controllers += (controllers.empty() ? "" : ",") + item;
  }
  std::string text = "# The API rights of cloud-controller-manager --cloud-provider=";
  text += printable(command.plugins.cloud_provider) + " --controllers=" + printable(controllers);
  if (command.accounts) text += " --use-service-account-credentials";
  if (command.migration.enabled) text += " --enable-leader-migration";
  if (command.rbac.coordinated) text += " --feature-gates=CoordinatedLeaderElection=true";
  text += ",\n# and no others. Made by ccmctl rbac.\n";
  return text;
}

void print(const Command& command, const std::vector<ordered_json>& objects) {
  if (command.format == Text::json) {
    ordered_json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", ordered_json::array()}};
    for (const ordered_json& object : objects) list["items"].push_back(without_comments(object));
    std::cout << json_text(list);
    return;
  }
  std::string text = header(command);
  for (const ordered_json& object : objects) {
    if (&object != &objects.front()) text += "---\n";
    text += to_yaml(object);
  }
  std::cout << text;
}

int rbac(Command command) {
  command.rbac.serving = command.secure_port != 0;
  command.rbac.reads_authentication = !command.skip_lookup;
  app::FeatureGates gates;
  for (const std::string& pairs : command.feature_gates) {
    const Status set = gates.set(pairs);
    if (set.ok()) continue;
    std::cerr << "ccmctl: --feature-gates " << printable(set.message()) << '\n';
    return kFault;
  }
  command.rbac.coordinated = gates.enabled(app::kCoordinatedLeaderElection);
  const app::PluginSelection selection(command.plugins);
  const Asked asked = asked_by(selection, command);
  for (const std::string& error : asked.errors) {
    std::cerr << "ccmctl: " << printable(error) << '\n';
  }
  if (!asked.errors.empty()) return kFault;
  RbacRules rules;
  for (const auto& [account, list] : asked.rules) {
    (account.empty() ? rules.cluster : rules.accounts[account]) = merge_rules(list);
  }
  print(command, rbac_objects(command.rbac, rules));
  return kOk;
}

void add_flags(CLI::App& app, Command& command) {
  app.add_option("--cloud-provider", command.plugins.cloud_provider, "Name of the provider")
      ->required();
  app.add_option("--controllers", command.controllers,
                 "Controllers that run, separated by commas, as the manager's flag")
      ->delimiter(',');
  add_plugin_path(app, command.plugins.plugin_paths);
  RbacOptions& rbac = command.rbac;
  app.add_option("--name", rbac.name, "Name of the roles and bindings")->check(check_segment);
  app.add_option("--namespace", rbac.namespace_name, "Namespace of the service account")
      ->check(check_domain);
  app.add_option("--service-account", rbac.service_account, "Name of the service account")
      ->check(check_domain);
  app.add_flag("--use-service-account-credentials", command.accounts,
               "As the manager's flag: a service account and a role for each controller");
  app.add_option("--leader-elect", rbac.leader_elect, "As the manager's flag");
  app.add_option("--leader-elect-resource-name", rbac.lease_name, "As the manager's flag")
      ->check(check_domain);
  app.add_option("--leader-elect-resource-namespace", rbac.lease_namespace, "As the manager's flag")
      ->check(check_domain);
  app.add_flag("--enable-leader-migration", command.migration.enabled, "As the manager's flag");
  app.add_option("--leader-migration-config", command.migration.config_file,
                 "As the manager's flag");
  app.add_option("--feature-gates", command.feature_gates,
                 "As the manager's flag: CoordinatedLeaderElection needs more rights");
  app.add_option("--secure-port", command.secure_port,
                 "As the manager's flag; 0: no rights for the endpoint's reviews");
  app.add_flag("--authentication-skip-lookup", command.skip_lookup,
               "As the manager's flag: the cluster's authentication settings are not read");
  static const std::map<std::string, Text> kTexts{{"yaml", Text::yaml}, {"json", Text::json}};
  app.add_option("-o,--output", command.format, "How to print: yaml or json (one List)")
      ->transform(CLI::CheckedTransformer(kTexts).description(""))
      ->type_name("FORMAT");
}

}  // namespace

void add_rbac(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "rbac",
      "Print service account, roles and bindings for a manager with these plugins: what they\n"
      "declare and what the host does itself, merged and sorted, and nothing else. Give it the\n"
      "flags of the manager's command line. Runs no code of the plugins.");
  const auto options = std::make_shared<Command>();
  add_flags(*command, *options);
  command->callback([options, &exit_code] { exit_code = rbac(*options); });
}

}  // namespace ccm::ctl
