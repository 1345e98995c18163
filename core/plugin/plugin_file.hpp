// PluginFile: one file opened for reading, mapped, so that only the pages that are looked at cost
// anything. The descriptor that was checked is the one that is read.
// Any thread; movable, owns the mapping.
#pragma once

#include "plugin/elf_reader.hpp"

#include <ccm/status.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace ccm::plugin {

class PluginFile {
 public:
  // Follows no symbolic link at the end of `path`. Fails with not_found, permission_denied or
  // invalid_argument (a folder, device, symbolic link or empty file); the message is a clause that
  // fits after "plugin PATH: ".
  static Result<PluginFile> open(const std::filesystem::path& path);

  PluginFile(PluginFile&& other) noexcept;
  PluginFile& operator=(PluginFile&& other) noexcept;
  PluginFile(const PluginFile&) = delete;
  PluginFile& operator=(const PluginFile&) = delete;
  ~PluginFile();

  [[nodiscard]] Bytes bytes() const { return bytes_; }
  [[nodiscard]] const struct stat& status() const { return status_; }

 private:
  PluginFile() = default;

  Bytes bytes_;
  struct stat status_ {};
};

// Lower-case hexadecimal SHA-256 of the bytes.
std::string sha256_hex(Bytes bytes);

}  // namespace ccm::plugin
