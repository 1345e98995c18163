#include "plugin_files/elf_reader.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace ccm::plugin {
namespace {

// A plugin has a dozen program headers and some dozens of dynamic entries; more is damage.
constexpr size_t kMaxDynamicEntries = 4096;
constexpr size_t kMaxNoteAreas = 64;
constexpr size_t kMaxNameLength = 1024;

Status damaged(std::string what) { return Status(Code::invalid_argument, std::move(what)); }

Status check_identity(const Elf64_Ehdr& header) {
  static_assert(std::endian::native == std::endian::little, "notes are read in host byte order");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) {
    return damaged("is a 32-bit file, this host is 64-bit; install the plugin built for " +
                   std::string(machine_name(host_machine())));
  }
  if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != host_machine()) {
    return damaged("is built for " + std::string(machine_name(header.e_machine)) +
                   ", this host is " + std::string(machine_name(host_machine())) +
                   "; install the plugin built for " + std::string(machine_name(host_machine())));
  }
  if (header.e_ident[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT) {
    return damaged("is an ELF file of an unknown version; rebuild it");
  }
  return {};
}

}  // namespace

uint16_t host_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__riscv)
  return EM_RISCV;
#elif defined(__powerpc64__)
  return EM_PPC64;
#else
#error "name this machine's ELF number here"
#endif
}

std::string_view machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "arm64";
    case EM_RISCV:
      return "riscv64";
    case EM_PPC64:
      return "ppc64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_S390:
      return "s390x";
    default:
      return "another machine";
  }
}

Result<ElfReader> ElfReader::open(Bytes file) {
  ElfReader reader(file);
  if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) {
    return damaged("is not an ELF file; a plugin is a shared library");
  }
  auto header = read<Elf64_Ehdr>(file, 0);
  if (!header) return damaged("ends within its ELF header; copy or install it again");
  reader.header_ = *header;
  Status status = check_identity(reader.header_);
  if (!status.ok()) return status;
  status = reader.read_segments();
  if (!status.ok()) return status;
  reader.read_dynamic();
  return reader;
}

Status ElfReader::read_segments() {
  if (header_.e_phnum != 0 && header_.e_phentsize != sizeof(Elf64_Phdr)) {
    return damaged("has program headers of an unknown size; copy or install it again");
  }
  const auto table = bytes(header_.e_phoff, uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr));
  if (!table) return damaged("ends before its program headers; copy or install it again");
  for (size_t i = 0; i < header_.e_phnum; ++i) {
    segments_.push_back(*read<Elf64_Phdr>(*table, i * sizeof(Elf64_Phdr)));
    const Elf64_Phdr& segment = segments_.back();
    // A truncated copy loads and then dies of SIGBUS, so every loaded byte must be there.
    if (segment.p_type == PT_LOAD && !bytes(segment.p_offset, segment.p_filesz)) {
      return damaged("is cut off: a segment ends beyond the file; copy or install it again");
    }
  }
  return {};
}

void ElfReader::read_dynamic() {
  const auto segment = std::find_if(segments_.begin(), segments_.end(),
                                    [](const auto& s) { return s.p_type == PT_DYNAMIC; });
  if (segment == segments_.end()) return;
  const auto area = bytes(segment->p_offset, segment->p_filesz);
  if (!area) return;
  for (size_t i = 0; i < kMaxDynamicEntries; ++i) {
    const auto entry = read<Elf64_Dyn>(*area, i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) break;
    dynamic_.push_back(*entry);
  }
  const auto address = dynamic_value(DT_STRTAB);
  const auto size = dynamic_value(DT_STRSZ);
  if (!address || !size) return;
  const auto strings = from_address(*address);
  if (strings && strings->size() >= *size) dynamic_strings_ = strings->first(*size);
}

std::optional<Bytes> ElfReader::bytes(uint64_t offset, uint64_t size) const {
  if (offset > file_.size() || size > file_.size() - offset) return std::nullopt;
  return file_.subspan(offset, size);
}

std::optional<Bytes> ElfReader::from_address(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const uint64_t inside = address - segment.p_vaddr;
    if (inside >= segment.p_filesz) continue;
    const auto area = bytes(segment.p_offset, segment.p_filesz);
    if (area) return area->subspan(inside);
  }
  return std::nullopt;
}

std::optional<uint64_t> ElfReader::dynamic_value(int64_t tag) const {
  const auto entry = std::find_if(dynamic_.rbegin(), dynamic_.rend(),
                                  [tag](const auto& e) { return e.d_tag == tag; });
  if (entry == dynamic_.rend()) return std::nullopt;
  return entry->d_un.d_val;
}

std::optional<std::string_view> ElfReader::dynamic_string(uint64_t offset) const {
  if (offset >= dynamic_strings_.size()) return std::nullopt;
  const char* start = reinterpret_cast<const char*>(dynamic_strings_.data()) + offset;
  const size_t room = dynamic_strings_.size() - offset;
  const size_t length = strnlen(start, std::min(room, kMaxNameLength));
  if (length == room) return std::nullopt;
  return std::string_view(start, length);
}

std::vector<NoteArea> ElfReader::note_areas() const {
  std::vector<NoteArea> areas;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE || areas.size() == kMaxNoteAreas) continue;
    if (auto area = bytes(segment.p_offset, segment.p_filesz)) {
      areas.push_back({*area, segment.p_align == 8 ? 8U : 4U});
    }
  }
  if (!areas.empty() || header_.e_shentsize != sizeof(Elf64_Shdr)) return areas;
  const auto table = bytes(header_.e_shoff, uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr));
  if (!table) return areas;
  for (size_t i = 0; i < header_.e_shnum; ++i) {
    const auto section = *read<Elf64_Shdr>(*table, i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOTE || areas.size() == kMaxNoteAreas) continue;
    if (auto area = bytes(section.sh_offset, section.sh_size)) {
      areas.push_back({*area, section.sh_addralign == 8 ? 8U : 4U});
    }
  }
  return areas;
}

}  // namespace ccm::plugin
