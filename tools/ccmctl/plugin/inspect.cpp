// ccmctl plugin inspect: all facts in a plugin file, without running it.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "json.hpp"
#include "needed_versions.hpp"
#include "plugin_files/file_checks.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

namespace ccm::ctl {
namespace {

using plugin_files::Examination;
using plugin_files::Manifest;
using Rows = std::vector<std::vector<std::string>>;

struct InspectOptions {
  std::string file;
  Format format = Format::table;
};

std::string describe(const plugin_files::Component& component) {
  std::string text = fmt::format("{} {}", to_string(component.kind), component.name);
  if (!component.aliases.empty()) text += " (also " + join(component.aliases) + ")";
  if (!component.enabled_by_default) text += ", off by default";
  if (!component.provider_id_prefixes.empty()) {
    text += ", provider IDs " + printable(join(component.provider_id_prefixes));
  }
  return text;
}

std::string describe(const plugin_files::Option& option) {
  std::string text = fmt::format("--{} ({}", option.name, to_string(option.type));
  if (option.secret) text += ", secret";
  if (!option.default_value.empty()) text += ", default " + printable(option.default_value);
  if (!option.environment.empty()) text += ", variable " + option.environment;
  return text + "): " + printable(option.description);
}

std::string describe(const plugin_files::RbacRule& rule) {
  std::vector<std::string> groups = rule.api_groups;
  for (std::string& group : groups) {
    if (group.empty()) group = "core";
  }
  std::string text = join(rule.verbs) + " on " + join(rule.resources) + " of " + join(groups);
  if (!rule.resource_names.empty()) text += " named " + join(rule.resource_names);
  if (rule.optional) text += " (optional)";
  return printable(text);
}

// The label stands beside the first of several values.
template <typename Values>
void add_all(Rows& rows, const std::string& label, const Values& values) {
  for (const auto& value : values) {
    rows.push_back({&value == &values.front() ? label : "", describe(value)});
  }
}

void add_manifest(Rows& rows, const Manifest& manifest) {
  rows.push_back({"Plugin", manifest.id + " " + manifest.version});
  if (!manifest.vendor.empty()) rows.push_back({"Vendor", printable(manifest.vendor)});
  if (!manifest.description.empty()) {
    rows.push_back({"Description", printable(manifest.description)});
  }
  if (!manifest.language.empty()) rows.push_back({"Language", printable(manifest.language)});
  rows.push_back({"ABI", fmt::format("{}.{} (host {}.{})", manifest.abi_major, manifest.abi_minor,
                                     CCM_ABI_MAJOR, CCM_ABI_MINOR)});
  rows.push_back({"Operations", manifest.nonblocking
                                    ? "do not block, on the host's loop"
                                    : fmt::format("may block, {} at once", manifest.max_parallel)});
  add_all(rows, "Components", manifest.components);
  rows.push_back({"Needs", join(manifest.needs)});
  add_all(rows, "Flags", manifest.options);
  add_all(rows, "Permissions", manifest.rbac);
}

void add_elf(Rows& rows, const plugin_files::ElfFacts& elf, const NeededVersions& versions) {
  rows.push_back({"Exports", elf.exports.size() > 8 ? fmt::format("{} symbols", elf.exports.size())
                                                    : printable(join(elf.exports))});
  rows.push_back({"Links to", printable(join(elf.needed))});
  std::vector<std::string> newest;
  if (!versions.glibc.empty()) newest.push_back("GLIBC_" + versions.glibc);
  if (!versions.glibcxx.empty()) newest.push_back("GLIBCXX_" + versions.glibcxx);
  if (!versions.cxxabi.empty()) newest.push_back("CXXABI_" + versions.cxxabi);
  rows.push_back({"Needs at least", printable(join(newest))});
}

void print_table(const Examination& file) {
  Rows rows{{"File", printable(file.path.string())}};
  if (file.size != 0) rows.push_back({"Size", fmt::format("{} bytes", file.size)});
  if (!file.sha256.empty()) rows.push_back({"SHA-256", file.sha256});
  if (file.manifest) add_manifest(rows, *file.manifest);
  if (file.elf) add_elf(rows, *file.elf, needed_versions(file));
  std::cout << align(rows) << "\n";
  Rows checks;
  for (const plugin_files::FileCheck& check : file.checks) {
    checks.push_back({std::string(to_string(check.state)), check.name, printable(check.text)});
  }
  std::cout << align(checks);
}

int inspect(const InspectOptions& options) {
  plugin_files::CheckOptions checks;
  checks.compute_sha256 = true;
  const Examination file = examine(std::filesystem::absolute(options.file), checks);
  if (options.format == Format::json) {
    std::cout << json_text(to_json(file));
  } else {
    print_table(file);
  }
  return file.verdict().ok() ? kOk : kFault;
}

}  // namespace

void add_plugin_inspect(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "inspect",
      "Show what a plugin file says about itself, and every check that the host makes before it\n"
      "loads one. Runs no code of the plugin. Exit code 1 when a check failed.");
  const auto options = std::make_shared<InspectOptions>();
  command->add_option("FILE", options->file, "The plugin's .so file")->required()->type_name("");
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = inspect(*options); });
}

}  // namespace ccm::ctl
