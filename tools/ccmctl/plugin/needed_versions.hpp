// The versions of the C and C++ libraries that a plugin file needs. Any thread.
#pragma once

#include "plugin_files/elf.hpp"
#include "plugin_files/file_checks.hpp"

#include <string>
#include <string_view>

namespace ccm::ctl {

struct NeededVersions {
  std::string glibc;    // "2.34"; empty when none is needed
  std::string glibcxx;  // "3.4.30"
  std::string cxxabi;   // "1.3.13"
};

// The newest one of each that the file names; what cannot be read stays empty.
NeededVersions needed_versions(const plugin_files::ElfReader& file);
// As above, of a file that was found to be an ELF file.
NeededVersions needed_versions(const plugin_files::Examination& file);

// Dotted numbers compared by number: "2.9" < "2.34".
bool version_less(std::string_view left, std::string_view right);

}  // namespace ccm::ctl
