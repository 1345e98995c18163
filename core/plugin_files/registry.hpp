// Registry: the plugins in the folders of the plugin path, read from their manifests alone. No code
// of theirs runs, and a plugin that is not chosen is never loaded. A value; any thread.
#pragma once

#include "plugin_files/file_checks.hpp"
#include "plugin_files/manifest.hpp"

#include <ccm/status.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_files {

// plugin_folder() beside the folder of the running binary: the same in build tree, package and
// image.
std::filesystem::path default_plugin_folder();

struct InstalledController {
  std::string name;
  std::vector<std::string> aliases;
  std::string client_name;         // HOST-82
  bool enabled_by_default = true;  // part of "*" in --controllers (HOST-77)
  std::filesystem::path path;
  std::string plugin_id;
};

struct KnownProvider {
  std::string name;
  std::filesystem::path path;
  std::string plugin_id;
};

class Registry {
 public:
  // Reads controllers/*.so and providers/*.so of each folder, in that order, files by name. Folders
  // that do not exist hold nothing. A folder that is given twice counts once.
  static Registry scan(const std::vector<std::filesystem::path>& folders,
                       const CheckOptions& options = {});

  // Every file with its findings, faulty ones included.
  [[nodiscard]] const std::vector<Examination>& files() const { return files_; }

  // The controllers of files that passed all checks. Sorted by name.
  [[nodiscard]] const std::vector<InstalledController>& controllers() const { return controllers_; }
  [[nodiscard]] const std::vector<KnownProvider>& providers() const { return providers_; }

  // One sentence for each file that was found but cannot be loaded, and for each folder that a flag
  // names but that cannot be read: worth a log line, fatal only when its plugins are needed.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  // Two files with one id, or with one name for a component: already_exists, naming both. A
  // controller in a provider's file counts only with that provider: `provider` is the chosen one's
  // file; empty = none is chosen yet, then no two of them are compared with each other.
  [[nodiscard]] Status conflicts(const std::filesystem::path& provider = {}) const;

  // The meaning of --cloud-provider=`name` (HOST-12): providers/NAME.so, else a file whose manifest
  // has a provider of that name; or an absolute path of a file with one provider. not_found: the
  // wanted name, where it was searched, and the existing ones. An existing but faulty file fails
  // with its own fault.
  [[nodiscard]] Result<KnownProvider> find_provider(std::string_view name) const;

  // The only provider of a file; its own fault when it has any.
  static Result<KnownProvider> provider_in(const Examination& file);

 private:
  void scan_folder(const std::filesystem::path& folder);
  void add(Examination file);
  [[nodiscard]] Status unknown_provider(std::string_view name) const;

  CheckOptions options_;
  std::vector<std::filesystem::path> folders_;
  std::vector<Examination> files_;
  std::vector<InstalledController> controllers_;
  std::vector<KnownProvider> providers_;
  std::vector<std::string> problems_;
};

}  // namespace ccm::plugin_files
