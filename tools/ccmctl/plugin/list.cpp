// ccmctl plugin list: the plugins in the plugin path.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "ccmctl/plugin_path.hpp"
#include "json.hpp"
#include "plugin_files/registry.hpp"

#include <iostream>
#include <memory>

namespace ccm::ctl {
namespace {

using plugin_files::Component;
using plugin_files::Examination;
using plugin_files::Registry;

struct ListOptions {
  std::vector<std::string> folders;
  Format format = Format::table;
  bool pins = false;
};

std::vector<std::string> row_of(const Examination& file, const Component& component) {
  std::string in_default = "-";
  if (component.kind == plugin_files::ComponentKind::controller) {
    in_default = component.enabled_by_default ? "on" : "off";
  }
  return {std::string(to_string(component.kind)),
          component.name,
          join(component.aliases),
          in_default,
          file.manifest->id,
          file.manifest->version,
          printable(file.path.string())};
}

void print_table(const Registry& registry, const std::vector<std::string>& folders) {
  std::vector<std::vector<std::string>> rows{
      {"KIND", "NAME", "ALIASES", "DEFAULT", "PLUGIN", "VERSION", "FILE"}};
  for (const Examination& file : registry.files()) {
    if (!file.verdict().ok()) continue;
    for (const Component& component : file.manifest->components) {
      rows.push_back(row_of(file, component));
    }
  }
  if (rows.size() == 1) {
    std::cout << "No plugins in " << printable(join(folders)) << ".\n";
  } else {
    std::cout << align(rows);
  }
  std::vector<std::string> problems = registry.problems();
  if (!registry.conflicts().ok()) problems.push_back(registry.conflicts().message());
  if (!problems.empty()) std::cout << "\nNot usable:\n";
  for (const std::string& problem : problems) std::cout << "  " << printable(problem) << '\n';
}

void print_json(const Registry& registry) {
  nlohmann::ordered_json json{{"plugins", nlohmann::ordered_json::array()},
                              {"problems", registry.problems()}};
  for (const Examination& file : registry.files()) json["plugins"].push_back(to_json(file));
  if (!registry.conflicts().ok()) json["problems"].push_back(registry.conflicts().message());
  std::cout << json_text(json);
}

// Lines of --plugin-sha256-file: of the files that the host would load, and of no others.
void print_pins(const Registry& registry) {
  for (const Examination& file : registry.files()) {
    if (!file.verdict().ok()) continue;
    std::cout << plugin_files::pin_line(file.manifest->id, file.sha256,
                                        printable(file.path.string()))
              << '\n';
  }
  for (const std::string& problem : registry.problems()) {
    std::cerr << "ccmctl: left out: " << printable(problem) << '\n';
  }
}

void list(const ListOptions& options) {
  std::vector<std::string> folders = options.folders;
  if (folders.empty()) folders.push_back(plugin_files::default_plugin_folder().string());
  plugin_files::CheckOptions checks;
  checks.compute_sha256 = options.pins;
  const Registry registry = Registry::scan({folders.begin(), folders.end()}, checks);
  if (options.pins) {
    print_pins(registry);
  } else if (options.format == Format::json) {
    print_json(registry);
  } else {
    print_table(registry, folders);
  }
}

}  // namespace

void add_plugin_list(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "list",
      "List the controllers and providers that the plugin path holds, as their manifests say.\n"
      "Files that the host would refuse are listed with the reason. Runs no code of theirs.");
  const auto options = std::make_shared<ListOptions>();
  add_plugin_path(*command, options->folders);
  add_format(*command, options->format);
  command->add_flag(
      "--pins", options->pins,
      "Print lines for the manager's --plugin-sha256-file instead: id and SHA-256 sum\n"
      "of each file");
  command->callback([options, &exit_code] {
    list(*options);
    exit_code = kOk;
  });
}

}  // namespace ccm::ctl
