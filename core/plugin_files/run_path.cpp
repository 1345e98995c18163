#include "plugin_files/run_path.hpp"

#include "plugin_files/folder_checks.hpp"
#include "plugin_files/owner_rule.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

namespace ccm::plugin {
namespace {

namespace fs = std::filesystem;

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
