#include "cloud_permissions.hpp"

#include "plugin_files/file_checks.hpp"
#include "plugin_files/registry.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace ccm::ctl {
namespace {

using nlohmann::json;

// An entry without "controllers" always counts.
std::set<std::string> needed_by(const json& needed, const std::vector<std::string>& controllers) {
  std::set<std::string> names;
  for (const json& entry : needed) {
    const auto of = entry.value("controllers", std::vector<std::string>());
    const bool counts = of.empty() || std::find_first_of(of.begin(), of.end(), controllers.begin(),
                                                         controllers.end()) != of.end();
    if (!counts) continue;
    for (const json& name : entry.at("names")) names.insert(name.get<std::string>());
  }
  return names;
}

CloudPermissions permissions_of(const json& listed, const std::vector<std::string>& controllers) {
  CloudPermissions permissions;
  permissions.form = listed.at("form");
  permissions.names = needed_by(listed.at("needed"), controllers);
  if (const auto trial = listed.find("trial"); trial != listed.end()) {
    permissions.trial_flag = trial->at("flag");
    permissions.not_tried = trial->value("leavesOut", "");
  }
  return permissions;
}

}  // namespace

Result<CloudPermissions> read_cloud_permissions(const app::EarlyOptions& options,
                                                const std::vector<std::string>& controllers) {
  std::vector<std::filesystem::path> folders{plugin_files::default_plugin_folder()};
  if (!options.plugin_paths.empty()) {
    folders.assign(options.plugin_paths.begin(), options.plugin_paths.end());
  }
  const auto provider = plugin_files::Registry::scan(folders).find_provider(options.cloud_provider);
  if (!provider.ok()) return provider.status();
  try {
    const auto manifest = json::parse(plugin_files::examine(provider->path, {}).note);
    const auto found = manifest.find("cloudPermissions");
    if (found != manifest.end()) return permissions_of(*found, controllers);
  } catch (const json::exception& fault) {
    return Status(Code::invalid_argument,
                  std::string("the manifest's cloudPermissions: ") + fault.what());
  }
  return Status(Code::not_found,
                "the manifest of " + provider->plugin_id + " lists no cloudPermissions");
}

}  // namespace ccm::ctl
