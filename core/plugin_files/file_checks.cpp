#include "plugin_files/file_checks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <ranges>
#include <system_error>
#include <utility>

namespace ccm::plugin_files {

namespace {

std::string join(const std::vector<std::string>& items, size_t count) {
  std::string joined;
  for (size_t i = 0; i < count; ++i) joined += (i == 0 ? "" : ", ") + items[i];
  return joined;
}

}  // namespace

std::string shortened_list(const std::vector<std::string>& items) {
  constexpr size_t kShown = 3;
  const size_t shown = std::min(items.size(), kShown);
  std::string text = join(items, shown);
  if (items.size() > shown) text += " and " + std::to_string(items.size() - shown) + " more";
  return text;
}

std::string list(const std::vector<std::string>& items) {
  return items.empty() ? "none" : join(items, items.size());
}

std::string user_name(uid_t uid) { return uid == 0 ? "root" : "user " + std::to_string(uid); }

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
    if (text != token && !text.starts_with(std::string(token) + "/")) continue;
    entry.beside_plugin = true;
    rest = origin.string() + text.substr(token.size());
  }
  if (!rest.starts_with('/') || rest.find('$') != std::string::npos) return entry;
  entry.folder = rest;
  return entry;
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
  for (const auto part : std::views::split(elf.run_path, ':')) {
    const std::string text(part.begin(), part.end());
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

namespace {

// Linkers of other vendors export these from every shared library; they clash with nothing.
constexpr std::array<std::string_view, 6> kLinkerSymbols{"_init",       "_fini", "_edata",
                                                         "__bss_start", "_end",  "__end__"};

// Collects the checks of one file.
class Examiner {
 public:
  Examiner(Examination& result, const CheckOptions& options) : result_(result), options_(options) {}

  void run(const fs::path& path) {
    if (!path.is_absolute()) {
      result_.path = path;
      fail("file", Code::invalid_argument, "is not an absolute path; begin it with /");
      return;
    }
    // The folders are resolved so that the checked ones are the used ones.
    std::error_code error;
    const fs::path folder = fs::canonical(path.parent_path(), error);
    result_.path = error ? path : folder / path.filename();
    auto file = OpenFile::open(result_.path);
    if (!file) {
      fail("file", file.status().code(), file.status().message());
      return;
    }
    result_.file = *std::move(file);
    run_open();
  }

  void run_open() {
    const auto status = result_.file->status();
    const auto file = PluginFile::map(*result_.file);
    if (!status || !file) {
      const Status fault = status ? file.status() : status.status();
      fail("file", fault.code(), fault.message());
      return;
    }
    result_.size = file->bytes().size();
    if (result_.file->is_noexec()) {
      fail("file", Code::failed_precondition,
           "lies on a file system that is mounted noexec, so none of its code can run; move it, or "
           "mount that without noexec");
    } else {
      ok("file", "regular file of " + std::to_string(result_.size) + " bytes");
    }
    check_owner(*status);
    check_folders();
    const auto elf = ElfReader::open(file->bytes());
    if (!elf) {
      fail("elf", elf.status().code(), elf.status().message());
      return;
    }
    result_.elf = read_facts(*elf);
    if (!result_.elf->shared_library) {
      fail("elf", Code::invalid_argument,
           "is a program or object file, not a shared library; link it with -shared");
      return;
    }
    ok("elf", "64-bit shared library for " + std::string(machine_name(elf->header().e_machine)));
    check_hardening();
    check_run_path();
    if (!check_note(*elf)) return;
    check_digest(file->bytes());
    check_abi();
    check_exports();
    if (result_.manifest) check_needs();
  }

 private:
  void ok(const char* name, std::string text) { add(name, CheckState::ok, std::move(text)); }
  void warn(const char* name, std::string text) { add(name, CheckState::warning, std::move(text)); }
  void fail(const char* name, Code code, std::string text) {
    add(name, CheckState::failed, std::move(text), code);
  }
  void add(const char* name, CheckState state, std::string text, Code code = Code::ok) {
    result_.checks.push_back({name, state, std::move(text), code});
  }

  void check_owner(const struct stat& status) {
    if (const auto fault = file_fault(result_.path, status, options_.uid)) {
      fail("owner", Code::permission_denied, fault->what + "; " + fault->remedy);
    } else {
      ok("owner", user_name(status.st_uid) + ", mode " + mode_text(status));
    }
  }

  void check_folders() {
    const auto faults = unsafe_folders(result_.path, options_.uid);
    if (faults.empty()) ok("folders", "only root or this user can write to them");
    for (const FolderFault& fault : faults) {
      fail("folders", Code::permission_denied,
           "lies in " + fault.folder.string() + ", " + fault.what + "; " + fault.remedy);
    }
  }

  void check_digest(Bytes bytes) {
    const Pins& pins = options_.pins;
    if (pins.empty() && !options_.compute_sha256) return;
    result_.sha256 = sha256_hex(bytes);
    if (pins.empty() || !result_.manifest) return;
    const std::string& id = result_.manifest->id;
    const std::vector<std::string>* pinned = pins.find(id);
    if (pinned == nullptr) {
      fail("digest", Code::permission_denied,
           "is not pinned, and others are; to allow it give --plugin-sha256=" + id + "=" +
               result_.sha256);
    } else if (std::find(pinned->begin(), pinned->end(), result_.sha256) == pinned->end()) {
      fail("digest", Code::permission_denied,
           "has the SHA-256 sum " + result_.sha256 + ", pinned for " + id + " is " + list(*pinned) +
               "; install the file that was pinned, or pin this one");
    } else {
      ok("digest", "sha256 " + result_.sha256 + " is pinned");
    }
  }

  void check_hardening() {
    const ElfFacts& elf = *result_.elf;
    if (elf.executable_stack) {
      warn("hardening", "asks for an executable stack; link it with -z noexecstack");
    }
    if (elf.text_relocations) warn("hardening", "has text relocations; compile it with -fPIC");
    if (!elf.executable_stack && !elf.text_relocations) {
      ok("hardening", "no executable stack or text relocations");
    }
  }

  void check_run_path() {
    RunPath judged = judge_run_path(*result_.elf, result_.path.parent_path(), options_.uid);
    result_.bundled = std::move(judged.bundled);
    for (std::string& fault : judged.faults) {
      fail("run path", Code::permission_denied, std::move(fault));
    }
    if (!judged.faults.empty()) return;
    const std::string& path = result_.elf->run_path;
    ok("run path", path.empty() ? "none" : path + ", to which only root or this user can write");
  }

  void check_exports() {
    const ElfFacts& elf = *result_.elf;
    const auto& exports = elf.exports;
    if (std::find(exports.begin(), exports.end(), CCM_PLUGIN_ENTRY) == exports.end()) {
      fail("exports", Code::failed_precondition,
           "does not export " CCM_PLUGIN_ENTRY "; build it with the SDK of plugin ABI " +
               std::to_string(CCM_ABI_MAJOR) + " and mark the entry CCM_PLUGIN_EXPORT");
      return;
    }
    std::vector<std::string> extra = exports;
    std::erase_if(extra, [](const std::string& name) {
      return name == CCM_PLUGIN_ENTRY ||
             std::ranges::find(kLinkerSymbols, name) != kLinkerSymbols.end();
    });
    if (extra.empty()) {
      ok("exports", CCM_PLUGIN_ENTRY " alone");
    } else if (elf.go) {
      fail("exports", Code::failed_precondition,
           "exports " + shortened_list(extra) +
               " of the Go runtime besides " CCM_PLUGIN_ENTRY
               "; link it with the SDK's version script: go build -buildmode=c-shared -ldflags "
               "'-extldflags=-Wl,--version-script=plugin.map'");
    } else {
      fail("exports", Code::failed_precondition,
           "exports " + shortened_list(extra) +
               " besides " CCM_PLUGIN_ENTRY
               ", which may clash with other plugins; link it with the SDK's version script "
               "plugin.map, "
               "as ccm_add_plugin() does");
    }
  }

  bool check_note(const ElfReader& elf) {
    const auto note = read_note(elf);
    if (!note) {
      fail("note", note.status().code(), note.status().message());
      return false;
    }
    result_.note = *note;
    ok("note", std::to_string(note->size()) + " bytes");
    ManifestReport report = parse_manifest(*note);
    for (const std::string& fault : report.faults) {
      fail("manifest", Code::invalid_argument,
           "manifest: " + fault + "; correct it and rebuild the plugin");
    }
    for (const std::string& warning : report.warnings) warn("manifest", "manifest: " + warning);
    result_.manifest = std::move(report.manifest);
    if (result_.manifest) {
      ok("manifest", result_.manifest->id + " " + result_.manifest->version);
    }
    return true;
  }

  void check_abi() {
    if (!result_.manifest) return;
    const Manifest& manifest = *result_.manifest;
    const std::string theirs =
        std::to_string(manifest.abi_major) + "." + std::to_string(manifest.abi_minor);
    const std::string ours = std::to_string(CCM_ABI_MAJOR) + "." + std::to_string(CCM_ABI_MINOR);
    if (manifest.abi_major != CCM_ABI_MAJOR) {
      const bool newer = manifest.abi_major > CCM_ABI_MAJOR;
      fail("abi", Code::failed_precondition,
           "is built for plugin ABI " + theirs + ", this host has " + ours + "; " +
               (newer ? "update the host" : "install a newer version of the plugin"));
    } else if (manifest.abi_minor > CCM_ABI_MINOR) {
      // Correct as long as all its needs are met, which the check "needs" tells.
      warn("abi", "is built for plugin ABI " + theirs + ", newer than this host's " + ours);
    } else {
      ok("abi", "plugin ABI " + theirs + ", host " + ours);
    }
  }

  void check_needs() {
    std::vector<std::string> missing = result_.manifest->needs;
    const auto offered = host_interfaces();
    std::erase_if(missing, [&](const std::string& id) {
      return std::ranges::find(offered, id) != offered.end();
    });
    if (missing.empty()) {
      ok("needs", "all " + std::to_string(result_.manifest->needs.size()) + " offered by the host");
    } else {
      fail("needs", Code::failed_precondition,
           "needs " + shortened_list(missing) + ", which this host (plugin ABI " +
               std::to_string(CCM_ABI_MAJOR) + "." + std::to_string(CCM_ABI_MINOR) +
               ") does not have; update the host or install an older version of the plugin");
    }
  }

  Examination& result_;
  const CheckOptions& options_;
};

}  // namespace

std::string_view to_string(CheckState state) {
  static constexpr std::array<std::string_view, 3> kNames{"ok", "warning", "failed"};
  return kNames.at(static_cast<std::size_t>(state));
}

Status Examination::verdict() const {
  for (const FileCheck& check : checks) {
    if (check.state != CheckState::failed) continue;
    return Status(check.code, "plugin " + path.string() + ": " + check.text);
  }
  return {};
}

Examination examine_again(const Examination& found, const CheckOptions& options) {
  Examination result;
  result.path = found.path;
  result.file = found.file;
  if (!result.file) {
    result.checks = found.checks;
    return result;
  }
  Examiner(result, options).run_open();
  return result;
}

Examination examine(const fs::path& path, const CheckOptions& options) {
  Examination result;
  Examiner(result, options).run(path);
  return result;
}

}  // namespace ccm::plugin_files
