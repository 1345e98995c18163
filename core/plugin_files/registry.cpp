#include "plugin_files/registry.hpp"

#include "base/plugin_folder.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace ccm::plugin_files {
namespace {

namespace fs = std::filesystem;

// Names of regular files and links that end in ".so", sorted. An unreadable folder sets `error`.
std::vector<fs::path> libraries_in(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> found;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    if (entry->path().extension() == ".so") found.push_back(entry->path());
    entry.increment(error);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_absence(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

std::string folder_names(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code error;
    names.push_back(folder.string() + (fs::is_directory(folder, error) ? "" : " (no such folder)"));
  }
  return list(names);
}

Status conflict(const std::string& what, const fs::path& first, const fs::path& second) {
  return Status(Code::already_exists, "plugins " + first.string() + " and " + second.string() +
                                          ": both have " + what + "; remove one of the two files");
}

bool brings_provider(const Examination& file) {
  const auto& components = file.manifest->components;
  return std::ranges::any_of(
      components, [](const auto& component) { return component.kind == ComponentKind::provider; });
}

// Whether the controllers of both files can be wanted by one process.
bool serve_together(const Examination& first, const Examination& second, const fs::path& provider) {
  if (brings_provider(first) && brings_provider(second)) return false;
  if (provider.empty()) return true;
  const auto is_left_out = [&provider](const Examination& file) {
    std::error_code error;
    return brings_provider(file) && file.path != provider &&
           !fs::equivalent(file.path, provider, error);
  };
  return !is_left_out(first) && !is_left_out(second);
}

Status conflict_between(const Examination& first, const Examination& second,
                        const fs::path& provider) {
  if (first.manifest->id == second.manifest->id) {
    return conflict("the id " + first.manifest->id, first.path, second.path);
  }
  const bool together = serve_together(first, second, provider);
  for (const Component& component : second.manifest->components) {
    if (component.kind == ComponentKind::controller && !together) continue;
    for (const std::string& name : component.names()) {
      if (first.manifest->find(component.kind, name) == nullptr) continue;
      return conflict("a " + std::string(to_string(component.kind)) + " named " + name, first.path,
                      second.path);
    }
  }
  return {};
}

}  // namespace

fs::path default_plugin_folder() {
  std::error_code error;
  fs::path binary = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    // Without /proc: the path that the kernel was given.
    const auto* const given = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    if (given != nullptr) binary = fs::canonical(given, error);
  }
  if (binary.empty()) return fs::path("/usr/local") / plugin_folder();
  return binary.parent_path().parent_path() / plugin_folder();
}

Registry Registry::scan(const std::vector<fs::path>& folders, const CheckOptions& options) {
  Registry registry;
  registry.options_ = options;
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(fs::absolute(folder), error);
    const fs::path& known = error ? folder : real;
    auto& seen = registry.folders_;
    if (std::find(seen.begin(), seen.end(), known) != seen.end()) continue;
    seen.push_back(known);
    registry.scan_folder(known);
  }
  const auto by_name = [](const auto& left, const auto& right) { return left.name < right.name; };
  std::stable_sort(registry.controllers_.begin(), registry.controllers_.end(), by_name);
  std::stable_sort(registry.providers_.begin(), registry.providers_.end(), by_name);
  return registry;
}

void Registry::scan_folder(const fs::path& folder) {
  for (const char* kind : {"controllers", "providers"}) {
    std::error_code error;
    for (const fs::path& path : libraries_in(folder / kind, error)) add(examine(path, options_));
    if (error && !is_absence(error)) {
      problems_.push_back("plugin folder " + (folder / kind).string() +
                          ": cannot be read: " + error.message());
    }
  }
}

void Registry::add(Examination file) {
  const Status verdict = file.verdict();
  if (!verdict.ok()) {
    problems_.push_back(verdict.message());
  } else {
    for (const Component& component : file.manifest->components) {
      if (component.kind == ComponentKind::provider) {
        providers_.push_back({component.name, file.path, file.manifest->id});
      } else {
        controllers_.push_back({component.name, component.aliases, component.client_name,
                                component.enabled_by_default, file.path, file.manifest->id});
      }
    }
  }
  files_.push_back(std::move(file));
}

Status Registry::conflicts(const fs::path& provider) const {
  for (auto second = files_.begin(); second != files_.end(); ++second) {
    if (!second->verdict().ok()) continue;
    for (auto first = files_.begin(); first != second; ++first) {
      if (!first->verdict().ok()) continue;
      Status status = conflict_between(*first, *second, provider);
      if (!status.ok()) return status;
    }
  }
  return {};
}

Result<KnownProvider> Registry::provider_in(const Examination& file) {
  Status verdict = file.verdict();
  if (!verdict.ok()) return verdict;
  std::vector<std::string> names;
  for (const Component& component : file.manifest->components) {
    if (component.kind == ComponentKind::provider) names.push_back(component.name);
  }
  if (names.size() == 1) return KnownProvider{names[0], file.path, file.manifest->id};
  return Status(Code::invalid_argument,
                "plugin " + file.path.string() + ": " +
                    (names.empty() ? "has no cloud provider; name a provider's file"
                                   : "has the providers " + list(names) +
                                         "; give --cloud-provider one of these names and "
                                         "--plugin-path the folder above"));
}

Result<KnownProvider> Registry::find_provider(std::string_view name) const {
  if (name.starts_with('/')) return provider_in(examine(fs::path(name), options_));
  if (name.empty() || name.find('/') != std::string_view::npos) {
    return Status(
        Code::invalid_argument,
        "cloud provider \"" + std::string(name) +
            "\": is neither a name nor an absolute path; set --cloud-provider to one of " + "them");
  }
  const std::string file_name = std::string(name) + ".so";
  for (const Examination& file : files_) {
    const bool named =
        file.path.filename() == file_name && file.path.parent_path().filename() == "providers";
    if (!named) continue;
    Status verdict = file.verdict();
    if (!verdict.ok()) return verdict;
    if (file.manifest->find(ComponentKind::provider, name) != nullptr) {
      return KnownProvider{std::string(name), file.path, file.manifest->id};
    }
  }
  for (const KnownProvider& provider : providers_) {
    if (provider.name == name) return provider;
  }
  return unknown_provider(name);
}

Status Registry::unknown_provider(std::string_view name) const {
  std::vector<std::string> names;
  for (const KnownProvider& provider : providers_) names.push_back(provider.name);
  return Status(Code::not_found,
                "cloud provider \"" + std::string(name) + "\": there is neither providers/" +
                    std::string(name) + ".so nor a plugin with a provider of that name in " +
                    folder_names(folders_) + "; known providers: " + list(names) +
                    "; correct --cloud-provider or add the plugin's folder with --plugin-path");
}

}  // namespace ccm::plugin_files
