// The facts in a shared library: exports, needed libraries, hardening. Read from the
// dynamic segment without running code; `ccmctl plugin inspect` prints it and the checks judge it.
#pragma once

#include "plugin_files/elf_reader.hpp"

#include <string>
#include <vector>

namespace ccm::plugin {

struct ElfFacts {
  bool shared_library = false;       // neither an executable (PIE or not) nor an object file
  std::vector<std::string> exports;  // defined dynamic symbols that others can bind to, sorted
  std::vector<std::string> unique;   // those of them that RTLD_LOCAL does not keep apart
  std::vector<std::string> needed;   // DT_NEEDED, in order
  std::string soname;
  std::string run_path;        // DT_RUNPATH, else DT_RPATH
  std::string newest_glibc;    // "2.34"; empty when none is needed
  std::string newest_glibcxx;  // "3.4.30"
  std::string newest_cxxabi;   // "1.3.13"
  bool text_relocations = false;
  bool executable_stack = false;
  bool go = false;  // brings a Go runtime
};

// Any bytes that ElfReader opened; what cannot be read stays empty. Never fails: whether what is
// there suffices is for the checks to say.
ElfFacts read_facts(const ElfReader& file);

// Dotted numbers compared by number: "2.9" < "2.34".
bool version_less(std::string_view left, std::string_view right);

}  // namespace ccm::plugin
