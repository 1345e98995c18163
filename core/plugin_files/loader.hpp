// Loader: turns plugin files into callable plugins. A refusal is one sentence: which file, what is
// wrong, what to do. All checks that can be made without running code come first (file_checks.hpp),
// so a refused file has in most cases not even been mapped for execution. Home thread: whichever
// uses it; not to be shared. A loaded image stays until the process ends: code that threads, exit
// handlers or a language runtime still use cannot be unloaded safely.
#pragma once

#include "plugin_files/file_checks.hpp"
#include "plugin_files/manifest.hpp"

#include <ccm/abi/plugin.h>
#include <ccm/status.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::plugin_files {

struct LoadedPlugin {
  std::filesystem::path path;
  Manifest manifest;
  const ccm_plugin* plugin = nullptr;  // the plugin's own, valid until the process ends
  std::vector<std::string> warnings;   // one sentence each, worth a log line
  std::string sha256{};                // the file's as it was loaded; lower-case hexadecimal
};

class Loader {
 public:
  explicit Loader(CheckOptions options = {});

  // Makes all checks of an open file, with this loader's options; for load().
  [[nodiscard]] Examination examine(const Examination& found) const {
    return examine_again(found, options_);
  }

  // Loads the file that was examined, through the descriptor that was; a file that is already
  // loaded is returned again. Fails with
  //   not_found           no such file
  //   permission_denied   somebody else could change it or what it links to, or it is not pinned
  //   invalid_argument    no plugin: not ELF, damaged, no note, faulty manifest
  //   failed_precondition a plugin, but not for this host: ABI, needs, libraries, entry
  //   already_exists      its id or one of its names is taken, or it is a second Go plugin
  Result<LoadedPlugin> load(const Examination& file);
  // Loads the file at an absolute path.
  Result<LoadedPlugin> load(const std::filesystem::path& path);

  // All plugins loaded so far, in order.
  [[nodiscard]] const std::vector<LoadedPlugin>& loaded() const { return loaded_; }

 private:
  Status check_conflicts(const Examination& file) const;

  CheckOptions options_;
  std::vector<LoadedPlugin> loaded_;
  std::string go_plugin_;  // path of the plugin with the Go runtime
};

}  // namespace ccm::plugin_files
