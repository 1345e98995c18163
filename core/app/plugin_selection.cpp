#include "app/plugin_selection.hpp"

#include "plugin_files/file_checks.hpp"

#include <algorithm>
#include <array>
#include <map>
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
  if (early.plugin_paths.empty()) return {plugin_files::default_plugin_folder()};
  std::vector<std::filesystem::path> result;
  result.reserve(early.plugin_paths.size());
  for (const auto& path : early.plugin_paths) result.push_back(std::filesystem::absolute(path));
  return result;
}

bool brings_provider(const plugin_files::Manifest& manifest) {
  const auto& all = manifest.components;
  return std::ranges::find(all, plugin_files::ComponentKind::provider,
                           &plugin_files::Component::kind) != all.end();
}

bool same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code error;
  return one == other || std::filesystem::equivalent(one, other, error);
}

const plugin_files::InstalledController* find_in(
    const std::vector<plugin_files::InstalledController>& controllers, std::string_view name) {
  const auto found = std::ranges::find(controllers, name, &plugin_files::InstalledController::name);
  return found == controllers.end() ? nullptr : &*found;
}

}  // namespace

plugin_files::Pins read_pins(const GenericOptions& options, std::vector<std::string>& errors) {
  plugin_files::Pins pins;
  for (const std::string& text : options.plugin_sha256) {
    Status status = pins.add(text);
    if (!status.ok()) errors.push_back(status.with_context("--plugin-sha256").message());
  }
  if (options.plugin_sha256_file.empty()) return pins;
  Status status = pins.read(options.plugin_sha256_file);
  if (!status.ok()) errors.push_back(status.with_context("--plugin-sha256-file").message());
  return pins;
}

PluginSelection::PluginSelection(const EarlyOptions& early)
    : registry_(plugin_files::Registry::scan(folders(early))),
      provider_name_(early.cloud_provider),
      by_path_(provider_name_.starts_with('/')
                   ? std::optional(plugin_files::examine(provider_name_, {}))
                   : std::nullopt),
      provider_(by_path_ ? plugin_files::Registry::provider_in(*by_path_)
                         : registry_.find_provider(early.cloud_provider)) {
  sort_controllers();
}

const plugin_files::Examination* PluginSelection::file(const std::filesystem::path& path) const {
  for (const auto& file : registry_.files()) {
    if (file.path == path) return &file;
  }
  return by_path_ && by_path_->path == path ? &*by_path_ : nullptr;
}

std::optional<plugin_files::Manifest> PluginSelection::manifest_of(
    const std::filesystem::path& path) const {
  const plugin_files::Examination* known = file(path);
  return known == nullptr ? std::nullopt : known->manifest;
}

void PluginSelection::sort_controllers() {
  for (const auto& controller : registry_.controllers()) {
    const auto manifest = manifest_of(controller.path);
    if (!manifest || !brings_provider(*manifest)) {
      controllers_.push_back(controller);
    } else if (!provider_.ok() || !same_file(controller.path, provider_->path)) {
      of_other_providers_.push_back(controller);
    }
  }
  if (!provider_.ok()) return;
  const auto chosen = manifest_of(provider_->path);
  if (!chosen) return;
  for (const auto& component : chosen->components) {
    if (component.kind != plugin_files::ComponentKind::controller) continue;
    controllers_.push_back({component.name, component.aliases, component.client_name,
                            component.enabled_by_default, provider_->path, chosen->id});
  }
  std::ranges::stable_sort(controllers_, {}, &plugin_files::InstalledController::name);
}

Status PluginSelection::add_flags(CommandLine& command_line) const {
  std::vector<std::filesystem::path> paths;
  paths.reserve(controllers_.size() + 1);
  for (const auto& controller : controllers_) paths.push_back(controller.path);
  if (provider_.ok()) paths.push_back(provider_->path);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const auto& path : paths) {
    const auto manifest = manifest_of(path);
    if (!manifest) continue;
    if (Status status = command_line.add_plugin(manifest->id, manifest->options); !status.ok()) {
      return status;
    }
  }
  if (!provider_name_.empty() && !provider_.ok()) {
    command_line.set_incomplete(
        "flags of the cloud provider are not known, since it cannot be used: " +
        provider_.status().message());
  }
  for (const auto& file : registry_.files()) {
    if (!file.manifest || std::ranges::find(paths, file.path) != paths.end()) continue;
    command_line.add_absent_plugin(file.manifest->id, file.manifest->options,
                                   "--cloud-provider is \"" + provider_name_ + "\"");
  }
  return {};
}

std::vector<KnownController> PluginSelection::known_controllers() const {
  std::vector<KnownController> known;
  known.reserve(controllers_.size());
  for (const auto& controller : controllers_) {
    known.push_back({controller.name, controller.aliases, controller.enabled_by_default});
  }
  const auto is_known = [&known](std::string_view name) {
    return std::ranges::find(known, name, &KnownController::name) != known.end();
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
  // The command line complains about an empty name (HOST-6).
  if (!provider_name_.empty() && !provider_.ok()) result.push_back(provider_.status().message());
  for (const auto& name : enabled) {
    if (find_in(controllers_, name) == nullptr) result.push_back(why_missing(name));
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

std::vector<plugin_files::Manifest> PluginSelection::manifests(
    std::span<const std::string> enabled) const {
  std::vector<std::filesystem::path> paths;
  if (provider_.ok()) paths.push_back(provider_->path);
  for (const auto& name : enabled) {
    const auto* controller = find_in(controllers_, name);
    if (controller != nullptr) paths.push_back(controller->path);
  }
  std::vector<plugin_files::Manifest> result;
  for (const auto& path : paths) {
    auto manifest = manifest_of(path);
    if (!manifest) continue;
    const bool known =
        std::ranges::find(result, manifest->id, &plugin_files::Manifest::id) != result.end();
    if (!known) result.push_back(std::move(*manifest));
  }
  return result;
}

Result<LoadedSelection> PluginSelection::load(std::span<const std::string> enabled,
                                              plugin_files::Pins pins, const Loaded& loaded) const {
  if (!provider_.ok()) return provider_.status();
  std::vector<std::pair<std::filesystem::path, std::string>> wanted{
      {provider_->path, provider_->name}};
  for (const auto& name : enabled) {
    const auto* controller = find_in(controllers_, name);
    if (controller == nullptr) continue;  // problems() told
    wanted.emplace_back(controller->path, controller->name);
  }
  plugin_files::CheckOptions options;
  options.pins = std::move(pins);
  plugin_files::Loader loader(std::move(options));
  std::map<std::filesystem::path, plugin_files::Examination> files;
  for (const auto& [path, name] : wanted) {
    if (files.count(path) > 0) continue;
    const plugin_files::Examination* known = file(path);
    if (known == nullptr) return Status(Code::internal, path.string() + " was never looked at");
    auto examined = loader.examine(*known);
    if (Status verdict = examined.verdict(); !verdict.ok()) return verdict;
    files.emplace(path, std::move(examined));
  }
  LoadedSelection selection;
  for (const auto& [path, name] : wanted) {
    const std::size_t before = loader.loaded().size();
    auto plugin = loader.load(files.at(path));
    if (!plugin.ok()) return plugin.status();
    if (loaded && loader.loaded().size() > before) loaded(loader.loaded().back());
    if (&name == &wanted.front().second) {
      selection.provider = {*std::move(plugin), name};
    } else {
      selection.controllers.push_back({*std::move(plugin), name});
    }
  }
  return selection;
}

}  // namespace ccm::app
