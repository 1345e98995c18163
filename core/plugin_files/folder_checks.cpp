#include "plugin_files/folder_checks.hpp"

#include "plugin_files/text.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <string_view>
#include <system_error>

namespace ccm::plugin {
namespace fs = std::filesystem;

std::optional<RuleFault> owner_fault(const std::filesystem::path& path, const struct stat& status,
                                     uid_t uid) {
  if (status.st_uid == 0 || status.st_uid == uid) return std::nullopt;
  return RuleFault{"belongs to " + user_name(status.st_uid) + ", not to root or " + user_name(uid),
                   "run chown root " + path.string()};
}

bool others_can_write(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

std::string mode_text(const struct stat& status) {
  std::string digits;
  for (unsigned shift = 12; shift > 0; shift -= 3) {
    digits += static_cast<char>('0' + ((status.st_mode >> (shift - 3)) & 7U));
  }
  return digits;
}

std::optional<RuleFault> file_fault(const std::filesystem::path& path, const struct stat& status,
                                    uid_t uid) {
  if (auto fault = owner_fault(path, status, uid)) return fault;
  if (!others_can_write(status)) return std::nullopt;
  return RuleFault{"can be written by others than its owner (mode " + mode_text(status) + ")",
                   "run chmod go-w " + path.string()};
}

namespace {

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

namespace {

constexpr std::string_view kRemedy = "; link it without -rpath";

// ld.so's folder for one entry; nullopt when that depends on where or how the host runs.
struct Entry {
  std::string text;
  std::optional<fs::path> folder;
  bool beside_plugin = false;
};

Entry read_entry(const std::string& text, const fs::path& origin) {
  Entry entry{text, std::nullopt, false};
  std::string rest = text;
  for (const std::string_view token :
       {std::string_view("$ORIGIN"), std::string_view("${ORIGIN}")}) {
    const bool whole = text == token || text.starts_with(std::string(token) + "/");
    if (!whole) continue;
    entry.beside_plugin = true;
    rest = origin.string() + text.substr(token.size());
  }
  if (!rest.starts_with('/') || rest.find('$') != std::string::npos) return entry;
  entry.folder = rest;
  return entry;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(':', begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string fault_of(const std::string& subject, const fs::path& path, const FolderFault& fault) {
  std::string text = subject;
  if (fault.folder != path.lexically_normal()) text += " by way of " + fault.folder.string();
  return text + ", " + fault.what;
}

// A library found by its path: as with the plugin, no one else may write to it.
std::optional<std::string> library_fault(const fs::path& library, uid_t uid) {
  struct stat status {};
  if (::stat(library.c_str(), &status) != 0) return std::nullopt;
  const auto fault = file_fault(library, status, uid);
  if (!fault) return std::nullopt;
  return "links to " + library.string() + ", which " + fault->what + "; " + fault->remedy;
}

// "libx.so" is searched for; with a slash it is a path.
void judge_paths(const ElfFacts& elf, uid_t uid, RunPath& result) {
  for (const std::string& name : elf.needed) {
    if (name.find('/') == std::string::npos) continue;
    const std::string subject = "links to " + name;
    if (!name.starts_with('/')) {
      result.faults.push_back(subject +
                              ", a path that depends on where the host runs; link it by its name");
    } else if (const auto fault = unsafe_way(fs::path(name).parent_path(), uid)) {
      result.faults.push_back(fault_of(subject, name, *fault) + "; " + fault->remedy);
    } else if (auto of_library = library_fault(name, uid)) {
      result.faults.push_back(std::move(*of_library));
    }
  }
}

}  // namespace

RunPath judge_run_path(const ElfFacts& elf, const fs::path& origin, uid_t uid) {
  RunPath result;
  judge_paths(elf, uid, result);
  if (elf.run_path.empty()) return result;
  std::vector<std::string> found;  // the first folder that has one counts
  for (const std::string& text : split(elf.run_path)) {
    const Entry entry = read_entry(text, origin);
    const std::string subject = "has the run path \"" + text + "\"";
    if (!entry.folder) {
      result.faults.push_back(subject + ", which depends on where and how the host runs" +
                              std::string(kRemedy));
      continue;
    }
    if (const auto fault = unsafe_way(*entry.folder, uid)) {
      result.faults.push_back(fault_of(subject, *entry.folder, *fault) + std::string(kRemedy));
      continue;
    }
    for (const std::string& name : elf.needed) {
      const fs::path library = *entry.folder / name;
      std::error_code error;
      if (name.find('/') != std::string::npos) continue;
      if (std::find(found.begin(), found.end(), name) != found.end()) continue;
      if (!fs::exists(library, error)) continue;
      found.push_back(name);
      if (auto fault = library_fault(library, uid)) result.faults.push_back(std::move(*fault));
      if (entry.beside_plugin) result.bundled.push_back(library);
    }
  }
  return result;
}

}  // namespace ccm::plugin
