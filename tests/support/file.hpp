// Small file helpers of the test suites.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ccm::support {

// The whole content. Throws std::runtime_error with the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Replaces the content. Throws std::runtime_error with the path.
void write_file(const std::filesystem::path& path, std::string_view content);

// A folder of its own below TMPDIR, removed with all it holds at the end of life unless kept.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Leaves the folder where it is, for a look after a failure.
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace ccm::support
