#include "plugin_files/loader.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

namespace ccm::plugin_files {
namespace {

Status refuse(Code code, const std::filesystem::path& path, const std::string& why) {
  return Status(code, "plugin " + path.string() + ": " + why);
}

// ld.so's messages begin with the path that it was given.
std::string load_error(const std::string& given) {
  const char* text = ::dlerror();
  std::string message = text == nullptr ? "ld.so does not say why" : text;
  const std::string prefix = given + ": ";
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  return message;
}

constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

Status cannot_load(const Examination& file, const std::string& why) {
  return refuse(Code::failed_precondition, file.path,
                "cannot be loaded: " + why +
                    "; install what it links to (ccmctl plugin inspect lists it) or rebuild it");
}

// The image remembers the path by which it was loaded: debuggers, sanitizers and dladdr() use it,
// and a descriptor's path means nothing to people. The old text stays, since ld.so has allocated
// it.
void name_image(void* handle, const std::filesystem::path& path) {
  static auto& texts = *new std::vector<char*>;  // never freed
  link_map* image = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &image) != 0 || image == nullptr) return;
  char* const own = ::strdup(path.c_str());
  if (own == nullptr) return;
  texts.push_back(std::exchange(image->l_name, own));
}

// The path leads to the file that was checked.
bool leads_to(const std::filesystem::path& path, const OpenFile& file) {
  struct stat there {};
  const auto checked = file.status();
  return checked.ok() && ::lstat(path.c_str(), &there) == 0 && there.st_dev == checked->st_dev &&
         there.st_ino == checked->st_ino;
}

Status was_replaced(const std::filesystem::path& path) {
  return refuse(Code::failed_precondition, path,
                "was replaced while it was loaded; start the manager again, or mount /proc");
}

struct EntryPoint {
  ccm_plugin_entry_fn call = nullptr;
};

// Loads the checked file, even if another file has taken its path by now. The descriptor stays open
// for ever: ld.so takes two images of one path for one.
Result<EntryPoint> open_entry(const Examination& file) {
  static auto& loaded_files = *new std::vector<std::shared_ptr<const OpenFile>>;
  for (const std::filesystem::path& library : file.bundled) {
    if (::dlopen(library.c_str(), kMode) == nullptr) {
      return cannot_load(file, library.string() + ": " + load_error(library));
    }
  }
  // Without /proc a descriptor has no path, and the file's own has to lead to it before and after.
  std::string path = file.file->own_path();
  const bool by_descriptor = ::access(path.c_str(), F_OK) == 0;
  if (!by_descriptor) path = file.path.string();
  if (!by_descriptor && !leads_to(file.path, *file.file)) return was_replaced(file.path);
  void* const handle = ::dlopen(path.c_str(), kMode);
  if (handle == nullptr) return cannot_load(file, load_error(path));
  if (!by_descriptor && !leads_to(file.path, *file.file)) return was_replaced(file.path);
  loaded_files.push_back(file.file);
  name_image(handle, file.path);
  void* const symbol = ::dlsym(handle, CCM_PLUGIN_ENTRY);
  if (symbol == nullptr) {
    return refuse(Code::failed_precondition, file.path,
                  "has no entry " CCM_PLUGIN_ENTRY "; rebuild it with the SDK");
  }
  return EntryPoint{reinterpret_cast<ccm_plugin_entry_fn>(symbol)};
}

Result<const ccm_plugin*> call_entry(EntryPoint entry, const std::filesystem::path& path) {
  const ccm_plugin* plugin = nullptr;
  try {
    plugin = entry.call();
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

// The members of version 1.0 of the table are mandatory; later ones never are.
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
  options_.compute_sha256 = true;  // for people who ask what runs in a process
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
      for (const std::string& name : component.names()) {
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
  return load(plugin_files::examine(path, options_));
}

Result<LoadedPlugin> Loader::load(const Examination& file) {
  for (const LoadedPlugin& loaded : loaded_) {
    if (loaded.path == file.path) return loaded;
  }
  Status status = file.verdict();
  if (!status.ok()) return status;
  status = check_conflicts(file);
  if (!status.ok()) return status;

  const auto entry = open_entry(file);
  if (!entry) return entry.status();
  // The runtime is in the process now, also when the plugin is refused below.
  if (brings_go(file)) go_plugin_ = file.path.string();
  const auto plugin = call_entry(*entry, file.path);
  if (!plugin) return plugin.status();
  status = check_table(**plugin, file);
  if (!status.ok()) return status;

  LoadedPlugin loaded{file.path, *file.manifest, *plugin, {}, file.sha256};
  for (const FileCheck& check : file.checks) {
    if (check.state != CheckState::warning) continue;
    loaded.warnings.push_back("plugin " + file.path.string() + ": " + check.text);
  }
  loaded_.push_back(loaded);
  return loaded;
}

}  // namespace ccm::plugin_files
