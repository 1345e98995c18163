// Whether others can put code into this process: owners and modes of files and folders, and the
// folders where ld.so searches for a plugin's libraries. Any thread; touches the file system only.
#pragma once

#include "plugin_files/elf.hpp"

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin {

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

}  // namespace ccm::plugin
