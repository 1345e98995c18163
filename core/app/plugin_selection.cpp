#include "app/plugin_selection.hpp"

#include "plugin/file_checks.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

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

bool brings_provider(const plugin::Manifest& manifest) {
  return std::any_of(manifest.components.begin(), manifest.components.end(),
                     [](const auto& one) { return one.kind == plugin::ComponentKind::provider; });
}

bool same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code error;
  return one == other || std::filesystem::equivalent(one, other, error);
}

const plugin::KnownController* find_in(const std::vector<plugin::KnownController>& controllers,
                                       std::string_view name) {
  for (const auto& controller : controllers) {
    if (controller.name == name) return &controller;
  }
  return nullptr;
}

}  // namespace

PluginSelection::PluginSelection(const EarlyOptions& early)
    : registry_(plugin::Registry::scan(folders(early))),
      provider_name_(early.cloud_provider),
      provider_(registry_.find_provider(early.cloud_provider)) {
  sort_controllers();
}

void PluginSelection::sort_controllers() {
  for (const auto& controller : registry_.controllers()) {
    const auto manifest = manifest_of(registry_, controller.path);
    if (!manifest || !brings_provider(*manifest)) {
      controllers_.push_back(controller);
    } else if (!provider_.ok() || !same_file(controller.path, provider_->path)) {
      of_other_providers_.push_back(controller);
    }
  }
  if (!provider_.ok()) return;
  const auto chosen = manifest_of(registry_, provider_->path);
  if (!chosen) return;
  for (const auto& component : chosen->components) {
    if (component.kind != plugin::ComponentKind::controller) continue;
    controllers_.push_back({component.name, component.aliases, component.client_name,
                            component.enabled_by_default, provider_->path, chosen->id});
  }
  std::stable_sort(controllers_.begin(), controllers_.end(),
                   [](const auto& one, const auto& other) { return one.name < other.name; });
}

const plugin::KnownController* PluginSelection::find_controller(std::string_view name) const {
  return find_in(controllers_, name);
}

Status PluginSelection::add_flags(CommandLine& command_line) const {
  std::vector<std::filesystem::path> paths;
  for (const auto& controller : controllers_) paths.push_back(controller.path);
  if (provider_.ok()) paths.push_back(provider_->path);
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
  for (const auto& controller : controllers_) {
    known.push_back({controller.name, controller.aliases, controller.enabled_by_default});
  }
  const auto is_known = [&known](std::string_view name) {
    return std::any_of(known.begin(), known.end(),
                       [name](const auto& one) { return one.name == name; });
  };
  for (const auto& upstream : kUpstream) {
    if (!is_known(upstream.name)) known.push_back({upstream.name, {upstream.alias}, false});
  }
  for (const auto& other : of_other_providers_) {
    if (!is_known(other.name)) known.push_back({other.name, other.aliases, false});
  }
  return known;
}

std::vector<std::string> PluginSelection::problems(std::span<const std::string> enabled) const {
  std::vector<std::string> result;
  const std::filesystem::path chosen = provider_.ok() ? provider_->path : std::filesystem::path();
  if (const Status status = registry_.conflicts(chosen); !status.ok()) {
    result.push_back(status.message());
  }
  // An empty name is the command line's own complaint (HOST-6).
  if (!provider_name_.empty() && !provider_.ok()) result.push_back(provider_.status().message());
  for (const auto& name : enabled) {
    if (find_controller(name) == nullptr) result.push_back(why_missing(name));
  }
  return result;
}

std::string PluginSelection::why_missing(const std::string& name) const {
  std::string text = "--controllers asks for \"" + name + "\", but ";
  if (const auto* other = find_in(of_other_providers_, name)) {
    text += "it belongs to the cloud provider in " + other->path.string();
    text += ", and --cloud-provider is \"" + provider_name_;
    text += "\"; choose that provider or leave the name out";
    return text;
  }
  text += "no plugin in the plugin path brings it; install that plugin or leave the name out ";
  text += "(ccmctl plugin list shows what is there)";
  return text;
}

std::vector<plugin::Manifest> PluginSelection::manifests(
    std::span<const std::string> enabled) const {
  std::vector<std::filesystem::path> paths;
  if (provider_.ok()) paths.push_back(provider_->path);
  for (const auto& name : enabled) {
    const auto* controller = find_controller(name);
    if (controller != nullptr) paths.push_back(controller->path);
  }
  std::vector<plugin::Manifest> result;
  for (const auto& path : paths) {
    auto manifest = manifest_of(registry_, path);
    if (!manifest) continue;
    const bool known = std::any_of(result.begin(), result.end(),
                                   [&](const auto& one) { return one.id == manifest->id; });
    if (!known) result.push_back(std::move(*manifest));
  }
  return result;
}

Result<LoadedSelection> PluginSelection::load(std::span<const std::string> enabled,
                                              const Loaded& loaded) const {
  plugin::Loader loader;
  const auto load_one = [&](const std::filesystem::path& path) {
    const std::size_t before = loader.loaded().size();
    auto plugin = loader.load(path);
    if (loaded && loader.loaded().size() > before) loaded(loader.loaded().back());
    return plugin;
  };
  LoadedSelection selection;
  if (!provider_.ok()) return provider_.status();
  auto provider = load_one(provider_->path);
  if (!provider.ok()) return provider.status();
  selection.provider = {std::move(*provider), provider_->name};
  for (const auto& name : enabled) {
    const auto* controller = find_controller(name);
    if (controller == nullptr) continue;  // problems() told
    auto file = load_one(controller->path);
    if (!file.ok()) return file.status();
    selection.controllers.push_back({std::move(*file), controller->name});
  }
  return selection;
}

}  // namespace ccm::app
