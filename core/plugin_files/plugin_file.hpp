// A plugin's file, opened once: checks, hash and load use this descriptor, even if another file has
// taken its path by then. Any thread.
#pragma once

#include "plugin_files/elf.hpp"

#include <ccm/status.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_files {

class OpenFile {
 public:
  // Follows no symbolic link at the end of `path`. Fails with not_found, permission_denied or
  // invalid_argument (a folder, device, symbolic link or empty file); the message is a clause that
  // fits after "plugin PATH: ".
  static Result<std::shared_ptr<const OpenFile>> open(const std::filesystem::path& path);

  ~OpenFile();
  OpenFile& operator=(OpenFile&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // A path of this very file, for functions that take only paths: /proc/PID/fd/N, with the PID of
  // this process as /proc shows it. A debugger, too, opens ld.so's path, and /proc/self would be
  // its own descriptors. Valid as long as this object. Where /proc is not mounted it leads nowhere.
  [[nodiscard]] std::string own_path() const;
  // As it is now.
  [[nodiscard]] Result<struct stat> status() const;
  // The file system forbids running code of its files.
  [[nodiscard]] bool is_noexec() const;

 private:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  const int descriptor_;
};

// Its bytes, mapped, so that only the pages that are read cost anything. Movable.
class PluginFile {
 public:
  static Result<PluginFile> map(const OpenFile& file);

  PluginFile(PluginFile&& other) noexcept;
  ~PluginFile();

  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  explicit PluginFile(Bytes bytes) : bytes_(bytes) {}

  Bytes bytes_;
};

// Lower-case hexadecimal SHA-256 of the bytes.
std::string sha256_hex(Bytes bytes);

// Pins: the SHA-256 sums of the plugin files that may be loaded. Values; any thread.
class Pins {
 public:
  // One "ID=SUM". Failure: invalid_argument, a clause that fits after its place.
  Status add(std::string_view text);
  // A file with one on each line; empty lines and text after a # do not count. Failure: one line
  // with file and line.
  Status read(const std::filesystem::path& file);

  // Without pins every file may be loaded; with at least one, only pinned files.
  [[nodiscard]] bool empty() const { return sums_.empty(); }
  // The sums of a plugin, in lower case; null when it has none.
  [[nodiscard]] const std::vector<std::string>* find(std::string_view id) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> sums_;
};

// The line for such a file.
std::string pin_line(std::string_view id, std::string_view sha256, std::string_view file);

}  // namespace ccm::plugin_files
