// All checks of a plugin file that are made before any of its code runs. The loader refuses on the
// first failed check; `ccmctl plugin inspect` shows all of them. Any thread; touches the file
// system only.
#pragma once

#include "plugin_files/elf.hpp"
#include "plugin_files/manifest.hpp"
#include "plugin_files/plugin_file.hpp"

#include <ccm/abi/plugin.h>
#include <ccm/status.hpp>

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_files {

// For messages about plugin files.

// "a, b, c", or the first three and how many more.
std::string shortened_list(const std::vector<std::string>& items);

// "a, b, c"; "none" when empty.
std::string list(const std::vector<std::string>& items);

// "root", else "user 1000": names would need NSS, which a static or minimal image may lack.
std::string user_name(uid_t uid);

// The rule for all that becomes code of this process: root or one user owns it, and no one else may
// write to it. Any thread; touches the file system only.
struct RuleFault {
  std::string what;    // after its name: "belongs to user 1000, not to root or user 65532"
  std::string remedy;  // "run chown root /opt/x"
};

std::optional<RuleFault> owner_fault(const std::filesystem::path& path, const struct stat& status,
                                     uid_t uid);

// Its group or all may write to it.
bool others_can_write(const struct stat& status);
std::string mode_text(const struct stat& status);  // "0755"

// Both faults of a file: its owner, and its mode.
std::optional<RuleFault> file_fault(const std::filesystem::path& path, const struct stat& status,
                                    uid_t uid);

// A folder that somebody other than root and one user can write to.
struct FolderFault {
  std::filesystem::path folder;
  std::string what;    // after its name: "which belongs to user 1000, not to root or user 65532"
  std::string remedy;  // "run chown root /opt/x"
};

// For `path`, which is absolute and has no symbolic links: root or `uid` owns each folder above it
// and no one else may write to it. A sticky folder of root that all may write to (/tmp) passes as
// an ancestor, since nobody can replace another one's entry there, but not as the folder that holds
// `path`: there anyone could add one. One for each folder.
std::vector<FolderFault> unsafe_folders(const std::filesystem::path& path, uid_t uid);

// The first fault of the folder `path` and of the way to it, which is absolute, need not exist, and
// may have symbolic links: nobody else may be able to redirect one of those either.
std::optional<FolderFault> unsafe_way(const std::filesystem::path& path, uid_t uid);

// Where ld.so searches for the libraries of a plugin: they run in this process as the plugin does.
// Any thread; touches the file system only.
struct RunPath {
  // Clauses that fit after "plugin FILE: ", each for a place where others than root and the user
  // could put a library. Such a plugin is refused.
  std::vector<std::string> faults;
  // Libraries that the plugin links to and that are installed beside it ($ORIGIN), by path. ld.so
  // would search beside the path that it was given, which is not the plugin's.
  std::vector<std::filesystem::path> bundled;
};

// For the plugin in the folder `origin`, which is absolute and has no symbolic links.
RunPath judge_run_path(const ElfFacts& elf, const std::filesystem::path& origin, uid_t uid);

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

}  // namespace ccm::plugin_files
