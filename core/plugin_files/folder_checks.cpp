#include "plugin_files/folder_checks.hpp"

#include "plugin_files/owner_rule.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <deque>
#include <system_error>

namespace ccm::plugin {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel

std::optional<FolderFault> foreign_fault(const fs::path& path, const struct stat& status,
                                         uid_t uid) {
  const auto fault = owner_fault(path, status, uid);
  if (!fault) return std::nullopt;
  return FolderFault{path, "which " + fault->what, fault->remedy};
}

std::optional<FolderFault> folder_fault(const fs::path& folder, bool holds_file, uid_t uid) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    return FolderFault{folder, "which cannot be read: " + std::generic_category().message(errno),
                       "let this user read it"};
  }
  if (auto fault = foreign_fault(folder, status, uid)) return fault;
  if (!others_can_write(status)) return std::nullopt;
  const bool sticky = (status.st_mode & S_ISVTX) != 0;
  if (sticky && status.st_uid == 0 && !holds_file) return std::nullopt;
  return FolderFault{
      folder, "to which others can write (mode " + mode_text(status) + ")",
      sticky ? "move it into a folder of its own" : "run chmod go-w " + folder.string()};
}

// The names of a path, to be walked from its front.
void put_in_front(std::deque<fs::path>& names, const fs::path& path) {
  const fs::path relative = path.relative_path();
  names.insert(names.begin(), relative.begin(), relative.end());
}

}  // namespace

std::vector<FolderFault> unsafe_folders(const fs::path& path, uid_t uid) {
  std::vector<FolderFault> faults;
  fs::path folder = path.parent_path();
  for (bool holds_file = true;; holds_file = false) {
    if (auto fault = folder_fault(folder, holds_file, uid)) faults.push_back(std::move(*fault));
    if (folder == folder.parent_path()) return faults;
    folder = folder.parent_path();
  }
}

// As the kernel walks it, so that the folders on the way to a link's target are judged too.
std::optional<FolderFault> unsafe_way(const fs::path& path, uid_t uid) {
  std::deque<fs::path> names;
  put_in_front(names, path);
  fs::path place = "/";
  int links = 0;
  while (!names.empty()) {
    const fs::path name = names.front();
    names.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      place = place.parent_path();
      continue;
    }
    struct stat status {};
    const fs::path next = place / name;
    if (::lstat(next.c_str(), &status) != 0)
      break;  // absent: the owner of the parent decides its content
    if (auto fault = folder_fault(place, false, uid)) return fault;
    if (auto fault = foreign_fault(next, status, uid)) return fault;
    if (!S_ISLNK(status.st_mode)) {
      place = next;
      continue;
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(next, error);
    if (error || ++links > kMostLinks) {
      return FolderFault{next, "which is a symbolic link that leads nowhere", "remove it"};
    }
    if (target.is_absolute()) place = "/";
    put_in_front(names, target);
  }
  return folder_fault(place, true, uid);
}

}  // namespace ccm::plugin
