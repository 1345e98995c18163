#include "plugin/loader.hpp"

#include "plugin/text.hpp"

#include <boost/dll/shared_library.hpp>
#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace ccm::plugin {
namespace {

namespace dll = boost::dll;

Status refuse(Code code, const std::filesystem::path& path, const std::string& why) {
  return Status(code, "plugin " + path.string() + ": " + why);
}

// ld.so begins its message with the path, which our sentence has already.
std::string load_error(const std::filesystem::path& path, const std::error_code& error) {
  const char* text = ::dlerror();
  std::string message = text == nullptr ? error.message() : text;
  const std::string prefix = path.string() + ": ";
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  return message;
}

Result<ccm_plugin_entry_fn> open_entry(const std::filesystem::path& path) {
  // NODELETE is not among Boost's modes, but the bits go through to dlopen: with it the image
  // outlives the shared_library object.
  const auto mode = static_cast<dll::load_mode::type>(dll::load_mode::rtld_now |
                                                      dll::load_mode::rtld_local | RTLD_NODELETE);
  std::error_code error;
  dll::shared_library library;
  library.load(path, mode, error);
  if (error) {
    return refuse(
        Code::failed_precondition, path,
        "cannot be loaded: " + load_error(path, error) +
            "; install what it links to (ccmctl plugin inspect lists it) or build it anew");
  }
  void* symbol = ::dlsym(library.native(), CCM_PLUGIN_ENTRY);
  if (symbol == nullptr) {
    return refuse(Code::failed_precondition, path,
                  "has no entry " CCM_PLUGIN_ENTRY "; build it anew with the SDK");
  }
  return reinterpret_cast<ccm_plugin_entry_fn>(symbol);
}

Result<const ccm_plugin*> call_entry(ccm_plugin_entry_fn entry, const std::filesystem::path& path) {
  const ccm_plugin* plugin = nullptr;
  try {
    plugin = entry();
  } catch (...) {
    return refuse(Code::failed_precondition, path,
                  CCM_PLUGIN_ENTRY " threw an exception; it must return static data only");
  }
  if (plugin == nullptr) {
    return refuse(Code::failed_precondition, path,
                  CCM_PLUGIN_ENTRY " returned NULL; it must return its ccm_plugin");
  }
  return plugin;
}

// What version 1.0 of the table holds is mandatory; what was added later never is.
Status check_table(const ccm_plugin& plugin, const Examination& file) {
  constexpr size_t kLeast = offsetof(ccm_plugin, create) + sizeof(ccm_plugin::create);
  if (plugin.size < kLeast) {
    return refuse(Code::failed_precondition, file.path,
                  "its ccm_plugin has size " + std::to_string(plugin.size) + ", at least " +
                      std::to_string(kLeast) + " are needed; set it to sizeof(ccm_plugin)");
  }
  if (plugin.create == nullptr) {
    return refuse(Code::failed_precondition, file.path,
                  "its ccm_plugin.create is NULL; a plugin must be able to make its components");
  }
  if (view(plugin.manifest) != file.note) {
    return refuse(Code::failed_precondition, file.path,
                  "its ccm_plugin.manifest differs from the manifest in its " CCM_NOTE_SECTION
                  " note; set it to ccm_plugin_manifest");
  }
  return {};
}

bool brings_go(const Examination& file) { return file.elf->go || file.manifest->language == "go"; }

}  // namespace

Loader::Loader(CheckOptions options) : options_(std::move(options)) {
  options_.compute_sha256 = true;  // for those who ask what runs in a process
}

Status Loader::check_conflicts(const Examination& file) const {
  const Manifest& manifest = *file.manifest;
  for (const LoadedPlugin& other : loaded_) {
    if (other.manifest.id == manifest.id) {
      return refuse(Code::already_exists, file.path,
                    "has the id " + manifest.id + ", as has " + other.path.string() +
                        ", which is loaded already; remove one of the two files");
    }
    for (const Component& component : manifest.components) {
      std::vector<std::string> names = component.aliases;
      names.push_back(component.name);
      for (const std::string& name : names) {
        if (other.manifest.find(component.kind, name) == nullptr) continue;
        return refuse(Code::already_exists, file.path,
                      "has a " + std::string(to_string(component.kind)) + " named " + name +
                          ", as has " + other.path.string() +
                          ", which is loaded already; remove one of the two files");
      }
    }
  }
  if (!go_plugin_.empty() && brings_go(file)) {
    return refuse(Code::already_exists, file.path,
                  "brings a Go runtime, as does " + go_plugin_ +
                      ", and one process can hold only one; use one of the two, or one that is "
                      "not written in Go");
  }
  return {};
}

Result<LoadedPlugin> Loader::load(const std::filesystem::path& path) {
  const Examination file = examine(path, options_);
  for (const LoadedPlugin& loaded : loaded_) {
    if (loaded.path == file.path) return loaded;
  }
  Status status = file.verdict();
  if (!status.ok()) return status;
  status = check_conflicts(file);
  if (!status.ok()) return status;

  const auto entry = open_entry(file.path);
  if (!entry) return entry.status();
  // Whatever the entry says, the runtime is in the process now.
  if (brings_go(file)) go_plugin_ = file.path.string();
  const auto plugin = call_entry(*entry, file.path);
  if (!plugin) return plugin.status();
  status = check_table(**plugin, file);
  if (!status.ok()) return status;

  LoadedPlugin loaded{file.path, *file.manifest, *plugin, {}, file.sha256};
  for (const Check& check : file.checks) {
    if (check.state != CheckState::warning) continue;
    loaded.warnings.push_back("plugin " + file.path.string() + ": " + check.text);
  }
  loaded_.push_back(loaded);
  return loaded;
}

}  // namespace ccm::plugin
