// ccmctl lint: annotations of Services, before they are applied.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "ccmctl/plugin_path.hpp"
#include "file.hpp"
#include "plugin_files/registry.hpp"
#include "service.hpp"
#include "table.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>

namespace ccm::ctl {
namespace {

struct LintOptions {
  std::vector<std::string> files;
  std::vector<std::string> folders;
  std::string provider;
  Format format = Format::table;
};

struct PlacedFinding {
  std::string file;
  size_t line = 0;  // 0: the file as a whole
  std::string service;
  LintFinding finding;
};

void add_table(const std::string& manifest, std::vector<ProviderAnnotations>& tables) {
  auto table = read_annotation_table(manifest);
  if (table) tables.push_back(*std::move(table));
}

// The named provider, else all providers in the plugin path.
std::vector<ProviderAnnotations> read_tables(const LintOptions& options) {
  std::vector<std::filesystem::path> folders(options.folders.begin(), options.folders.end());
  if (folders.empty()) folders.push_back(plugin_files::default_plugin_folder());
  const auto registry = plugin_files::Registry::scan(folders);
  std::vector<ProviderAnnotations> tables;
  if (!options.provider.empty()) {
    const auto provider = registry.find_provider(options.provider);
    if (!provider.ok()) throw std::runtime_error(provider.status().message());
    add_table(plugin_files::examine(provider->path, {}).note, tables);
    if (tables.empty()) {
      throw std::runtime_error("the cloud provider " + options.provider +
                               " lists no annotations of Services in its manifest");
    }
    return tables;
  }
  for (const auto& file : registry.files()) {
    if (file.verdict().ok()) add_table(file.note, tables);
  }
  if (tables.empty()) {
    throw std::runtime_error(
        "no plugin in the plugin path lists annotations of Services; give --plugin-path");
  }
  return tables;
}

std::optional<std::string> read_text(const std::string& name) {
  if (name == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::ifstream file(name, std::ios::binary);
  if (!file || std::filesystem::is_directory(name)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void lint_text(const std::string& name, const std::string& text,
               const std::vector<ProviderAnnotations>& tables,
               std::vector<PlacedFinding>& findings) {
  const LintFile file = read_services(text);
  for (const auto& [service, line] : file.services) {
    std::string subject = service.namespace_name.empty() ? "" : service.namespace_name + "/";
    subject += service.name;
    for (LintFinding& finding : lint_service(service, tables)) {
      findings.push_back({name, line, subject, std::move(finding)});
    }
  }
  if (!file.fault.empty()) {
    findings.push_back({name, 0, "", {"", "the file cannot be read as YAML: " + file.fault}});
  }
}

void print_findings(const LintOptions& options, const std::vector<PlacedFinding>& findings) {
  if (options.format == Format::json) {
    auto array = nlohmann::ordered_json::array();
    for (const PlacedFinding& placed : findings) {
      array.push_back({{"file", placed.file},
                       {"line", placed.line},
                       {"service", placed.service},
                       {"annotation", placed.finding.annotation},
                       {"text", placed.finding.text}});
    }
    std::cout << json_text(array);
    return;
  }
  for (const PlacedFinding& placed : findings) {
    std::string line = placed.file + ":";
    if (placed.line > 0) line += std::to_string(placed.line) + ": Service " + placed.service + ":";
    if (!placed.finding.annotation.empty()) line += " annotation " + placed.finding.annotation;
    std::cout << printable(line + " " + placed.finding.text) << '\n';
  }
}

int lint(const LintOptions& options) {
  std::vector<PlacedFinding> findings;
  try {
    const std::vector<ProviderAnnotations> tables = read_tables(options);
    for (const std::string& name : options.files) {
      const auto text = read_text(name);
      if (!text) throw std::runtime_error(name + ": cannot be read");
      lint_text(name, *text, tables, findings);
    }
  } catch (const std::runtime_error& error) {
    std::cerr << "ccmctl: " << printable(error.what()) << '\n';
    return kUsage;
  }
  print_findings(options, findings);
  return findings.empty() ? kOk : kFault;
}

}  // namespace

void add_lint(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "lint",
      "Check the annotations of Services in files of Kubernetes objects (YAML or JSON) against\n"
      "what cloud providers say that they know. Reads manifests of plugins, runs no code of "
      "theirs.\n"
      "Exit code 1 when something was found, 2 when a file or a provider is not there.");
  const auto options = std::make_shared<LintOptions>();
  command->add_option("FILE", options->files, "Files; - is standard input")
      ->required()
      ->type_name("");
  command
      ->add_option("--cloud-provider", options->provider,
                   "The provider's name or file; default: all that are there")
      ->type_name("NAME");
  add_plugin_path(*command, options->folders);
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = lint(*options); });
}

}  // namespace ccm::ctl
