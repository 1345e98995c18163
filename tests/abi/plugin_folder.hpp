// A plugin path of a test's own: plugin files copied from the build tree with modes that pass the
// checks whatever the umask of the build was.
#pragma once

#include <filesystem>
#include <string>

namespace ccm::test {

class PluginFolder {
 public:
  PluginFolder();  // makes controllers/ and providers/ below a new temporary folder
  PluginFolder(const PluginFolder&) = delete;
  PluginFolder& operator=(const PluginFolder&) = delete;
  ~PluginFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Copies the test plugin NAME.so to `to` below the folder and returns where it is.
  std::filesystem::path add(const std::string& name, const std::string& to) const;
  // Copies it to providers/NAME.so.
  std::filesystem::path add(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

// Whether some page of the file is mapped into this process now: then its code may have run.
bool is_mapped(const std::filesystem::path& path);

}  // namespace ccm::test
