// Where ld.so searches for the libraries of a plugin: they run in this process as the plugin does.
// Any thread; touches the file system only.
#pragma once

#include "plugin_files/elf_facts.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::plugin {

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
