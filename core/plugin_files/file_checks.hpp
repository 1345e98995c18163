// All checks of a plugin file that are made before any of its code runs. The loader refuses on the
// first failed check; `ccmctl plugin inspect` shows all of them. Any thread; touches the file
// system only.
#pragma once

#include "plugin_files/elf.hpp"
#include "plugin_files/manifest.hpp"
#include "plugin_files/plugin_file.hpp"

#include <ccm/abi/plugin.h>
#include <ccm/status.hpp>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

struct CheckOptions {
  uid_t uid = ::geteuid();  // besides root, who may own the file and its folders
  Pins pins;
  bool compute_sha256 = false;  // also when nothing is pinned
};

enum class CheckState { ok, warning, failed };
std::string_view to_string(CheckState state);

struct FileCheck {
  std::string name;  // "file", "owner", "folders", "elf", "hardening", "run path", "note",
                     // "manifest", "digest", "abi", "exports", "needs"
  CheckState state = CheckState::ok;
  std::string text;  // the finding; for a failure a clause that fits after "plugin FILE: "
  Code code = Code::ok;
};

struct Examination {
  std::filesystem::path path;     // absolute, folders resolved
  std::vector<FileCheck> checks;  // stops at the first one without which the next make no sense
  std::string note;               // the manifest as it stands in the file
  std::optional<Manifest> manifest;
  std::optional<ElfFacts> elf;
  std::string sha256;
  uint64_t size = 0;
  std::shared_ptr<const OpenFile> file;  // the examined file; null when it could not be opened
  std::vector<std::filesystem::path> bundled;  // see RunPath

  // Ok, or the first failure as one sentence: "plugin FILE: what is wrong; what to do".
  [[nodiscard]] Status verdict() const;
};

Examination examine(const std::filesystem::path& path, const CheckOptions& options);
// Checks the same file once more, with other options, even if another file has taken its path by
// now.
Examination examine_again(const Examination& found, const CheckOptions& options);

}  // namespace ccm::plugin
