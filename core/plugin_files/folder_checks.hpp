// Whether others could put code into a folder. Any thread; touches the file system only.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin {

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

// The same for the folder `path`, which is absolute, need not exist, and may have symbolic links:
// nobody else may be able to redirect one of those either. The first fault.
std::optional<FolderFault> unsafe_way(const std::filesystem::path& path, uid_t uid);

}  // namespace ccm::plugin
