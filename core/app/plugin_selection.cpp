#include "app/plugin_selection.hpp"

#include "plugin/file_checks.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

namespace ccm::app {
namespace {

struct UpstreamName {
  const char* name;
  const char* alias;
};

// HOST-75, HOST-76.
constexpr std::array<UpstreamName, 5> kUpstream{
    {{"cloud-node-controller", "cloud-node"},
     {"cloud-node-lifecycle-controller", "cloud-node-lifecycle"},
     {"node-ipam-controller", "nodeipam"},
     {"node-route-controller", "route"},
     {"service-lb-controller", "service"}}};

std::vector<std::filesystem::path> folders(const EarlyOptions& early) {
  if (early.plugin_paths.empty()) return {plugin::default_plugin_folder()};
  std::vector<std::filesystem::path> result;
  for (const auto& path : early.plugin_paths) result.push_back(std::filesystem::absolute(path));
  return result;
}

std::optional<plugin::Manifest> manifest_of(const plugin::Registry& registry,
                                            const std::filesystem::path& path) {
  for (const auto& file : registry.files()) {
    if (file.path == path && file.manifest) return file.manifest;
  }
  // A provider that was given by its path lies outside of the folders.
  return plugin::examine(path, {}).manifest;
}

}  // namespace

PluginSelection::PluginSelection(const EarlyOptions& early)
    : registry_(plugin::Registry::scan(folders(early))), provider_name_(early.cloud_provider) {}

Status PluginSelection::add_flags(CommandLine& command_line) const {
  std::vector<std::filesystem::path> paths;
  for (const auto& controller : registry_.controllers()) paths.push_back(controller.path);
  if (const auto provider = registry_.find_provider(provider_name_); provider.ok()) {
    paths.push_back(provider->path);
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const auto& path : paths) {
    const auto manifest = manifest_of(registry_, path);
    if (!manifest) continue;
    if (Status status = command_line.add_plugin(manifest->id, manifest->options); !status.ok()) {
      return status;
    }
  }
  return {};
}

std::vector<KnownController> PluginSelection::known_controllers() const {
  std::vector<KnownController> known;
  for (const auto& controller : registry_.controllers()) {
    known.push_back({controller.name, controller.aliases, controller.enabled_by_default});
  }
  for (const auto& upstream : kUpstream) {
    if (registry_.find_controller(upstream.name) == nullptr) {
      known.push_back({upstream.name, {upstream.alias}, false});
    }
  }
  return known;
}

std::vector<std::string> PluginSelection::problems(std::span<const std::string> enabled) const {
  std::vector<std::string> result;
  if (const Status status = registry_.conflicts(); !status.ok()) result.push_back(status.message());
  // An empty name is the command line's own complaint (HOST-6).
  if (!provider_name_.empty()) {
    if (const auto provider = registry_.find_provider(provider_name_); !provider.ok()) {
      result.push_back(provider.status().message());
    }
  }
  for (const auto& name : enabled) {
    if (registry_.find_controller(name) != nullptr) continue;
    result.push_back(
        "--controllers asks for \"" + name +
        "\", but no plugin in the plugin path brings it; install that plugin or leave the "
        "name out (ccmctl plugin list shows what is there)");
  }
  return result;
}

Result<LoadedSelection> PluginSelection::load(std::span<const std::string> enabled) const {
  plugin::Loader loader;
  LoadedSelection selection;
  const auto provider = registry_.find_provider(provider_name_);
  if (!provider.ok()) return provider.status();
  auto loaded = loader.load(provider->path);
  if (!loaded.ok()) return loaded.status();
  selection.provider = {std::move(*loaded), provider->name};
  for (const auto& name : enabled) {
    const auto* controller = registry_.find_controller(name);
    if (controller == nullptr) continue;  // problems() told
    auto file = loader.load(controller->path);
    if (!file.ok()) return file.status();
    selection.controllers.push_back({std::move(*file), controller->name});
  }
  return selection;
}

}  // namespace ccm::app
