// ElfReader: bounds-checked access to the parts of an ELF64 file that the dynamic loader uses.
// Nothing here trusts the file: every offset and count is checked against the bytes that are there,
// so it may be fed garbage. It goes by program headers and the dynamic segment, as ld.so does;
// section headers, which a stripped file may lack, are only a second try for notes.
// Any thread; borrows the bytes.
#pragma once

#include <ccm/status.hpp>

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_files {

using Bytes = std::span<const std::byte>;

struct NoteArea {
  Bytes bytes;
  uint64_t alignment;  // the notes' within: 4 or 8
};

class ElfReader {
 public:
  // Fails with invalid_argument when this is no ELF file, its header is cut off, or it is made for
  // another machine than the one this host was built for; the message is a clause that fits after
  // "plugin FILE: ".
  static Result<ElfReader> open(Bytes file);

  [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }
  [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  [[nodiscard]] const std::vector<Elf64_Dyn>& dynamic() const { return dynamic_; }

  // The bytes [offset, offset + size) of the file; nullopt when they are not all there.
  [[nodiscard]] std::optional<Bytes> bytes(uint64_t offset, uint64_t size) const;

  // The bytes from a virtual address to the end of the file's part of its segment.
  [[nodiscard]] std::optional<Bytes> from_address(uint64_t address) const;

  // The last entry with that tag in the dynamic segment, as ld.so takes it.
  [[nodiscard]] std::optional<uint64_t> dynamic_value(int64_t tag) const;

  // A NUL-terminated string of the dynamic string table, at most its first 1,024 bytes; nullopt
  // when it leaves the table.
  [[nodiscard]] std::optional<std::string_view> dynamic_string(uint64_t offset) const;

  // Contents of all note segments; of note sections when there is no note segment.
  [[nodiscard]] std::vector<NoteArea> note_areas() const;

  // Copies a T from `from` at `offset`; nullopt when it does not fit. Alignment does not matter.
  template <typename T>
  static std::optional<T> read(Bytes from, uint64_t offset) {
    if (offset > from.size() || from.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, from.data() + offset, sizeof(T));
    return value;
  }

 private:
  explicit ElfReader(Bytes file) : file_(file) {}
  Status read_segments();
  void read_dynamic();

  Bytes file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> dynamic_;
  Bytes dynamic_strings_;
};

// The machine that this host was built for, as ELF's e_machine, and names for messages.
uint16_t host_machine();
std::string_view machine_name(uint16_t machine);

// The manifest's note in a plugin file, read without running any of the plugin's code.
// Any thread. Messages are clauses that fit after "plugin FILE: ".

// One ELF note; borrows the file's bytes.
struct ElfNote {
  std::string_view owner;  // without the terminating NUL
  uint32_t type = 0;
  std::string_view text;
};

// Visits each note that is whole. A damaged note ends its own area only.
void each_note(const ElfReader& file, const std::function<void(const ElfNote&)>& visit);

// The manifest text of the note "ccm" type 1, borrowed from `file`; NULs that only pad it are not
// part of it. Fails with not_found when there is no such note, with invalid_argument when there are
// two that differ.
Result<std::string_view> read_note(const ElfReader& file);

// The facts in a shared library: exports, needed libraries, hardening. Read from the
// dynamic segment without running code; `ccmctl plugin inspect` prints it and the checks judge it.
struct ElfFacts {
  bool shared_library = false;       // neither an executable (PIE or not) nor an object file
  std::vector<std::string> exports;  // defined dynamic symbols that others can bind to, sorted
  std::vector<std::string> unique;   // symbols that RTLD_LOCAL does not keep apart
  std::vector<std::string> needed;   // DT_NEEDED, in order
  std::string soname;
  std::string run_path;  // DT_RUNPATH, else DT_RPATH
  bool text_relocations = false;
  bool executable_stack = false;
  bool go = false;  // brings a Go runtime
};

// Any bytes that ElfReader opened; what cannot be read stays empty. Never fails: whether what is
// there suffices is for the checks to say.
ElfFacts read_facts(const ElfReader& file);

}  // namespace ccm::plugin_files
