// The manifest's note in a plugin file, read without running any of the plugin's code.
// Any thread. Messages are clauses that fit after "plugin FILE: ".
#pragma once

#include "plugin_files/elf_reader.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace ccm::plugin {

// One ELF note; borrows the file's bytes.
struct ElfNote {
  std::string_view owner;  // without the terminating NUL
  uint32_t type = 0;
  std::string_view text;
};

// Visits each note that is whole; false from `visit` stops. A damaged note ends its own area only.
void each_note(const ElfReader& file, const std::function<bool(const ElfNote&)>& visit);

// The manifest text of the note "ccm" type 1, borrowed from `file`; NULs that only pad it are not
// part of it. Fails with not_found when there is no such note, with invalid_argument when there are
// two that differ.
Result<std::string_view> read_note(const ElfReader& file);

}  // namespace ccm::plugin
