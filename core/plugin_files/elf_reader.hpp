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
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ccm::plugin {

using Bytes = std::span<const std::byte>;

struct NoteArea {
  Bytes bytes;
  uint64_t alignment;  // of the notes within: 4 or 8
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

}  // namespace ccm::plugin
