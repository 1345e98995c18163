#include "plugin_files/elf.hpp"

#include <ccm/abi/plugin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace ccm::plugin_files {

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
  static constexpr std::array<std::pair<uint16_t, std::string_view>, 7> kNames{
      {{EM_X86_64, "x86-64"},
       {EM_AARCH64, "arm64"},
       {EM_RISCV, "riscv64"},
       {EM_PPC64, "ppc64"},
       {EM_386, "i386"},
       {EM_ARM, "arm"},
       {EM_S390, "s390x"}}};
  for (const auto& [number, name] : kNames) {
    if (number == machine) return name;
  }
  return "another machine";
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

namespace {

std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view without_trailing_nuls(std::string_view text) {
  const size_t last = text.find_last_not_of('\0');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

uint64_t round_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

void each_note_in(const NoteArea& area, const std::function<void(const ElfNote&)>& visit) {
  uint64_t at = 0;
  while (const auto head = ElfReader::read<Elf64_Nhdr>(area.bytes, at)) {
    if (head->n_namesz == 0) {
      // Nobody's note: NULs that a compiler put after the one before to pad its array.
      at += sizeof(uint32_t);
      continue;
    }
    // 32-bit sizes in 64-bit arithmetic: none of these sums can wrap around.
    const uint64_t owner_at = at + sizeof(Elf64_Nhdr);
    const uint64_t text_at = round_up(owner_at + head->n_namesz, area.alignment);
    const uint64_t end = text_at + head->n_descsz;
    if (end > area.bytes.size()) return;
    visit({without_trailing_nuls(as_text(area.bytes.subspan(owner_at, head->n_namesz))),
           head->n_type, as_text(area.bytes.subspan(text_at, head->n_descsz))});
    at = round_up(end, area.alignment);
  }
}

}  // namespace

void each_note(const ElfReader& file, const std::function<void(const ElfNote&)>& visit) {
  for (const NoteArea& area : file.note_areas()) each_note_in(area, visit);
}

Result<std::string_view> read_note(const ElfReader& file) {
  std::optional<std::string_view> manifest;
  bool differ = false;
  each_note(file, [&](const ElfNote& note) {
    if (note.owner != CCM_NOTE_OWNER || note.type != CCM_NOTE_TYPE_MANIFEST) return;
    const std::string_view text = without_trailing_nuls(note.text);
    // Equal texts come from a header that two source files include, as cgo makes them.
    differ = differ || (manifest && *manifest != text);
    manifest = text;
  });
  if (!manifest) {
    return Status(Code::not_found,
                  "has no " CCM_NOTE_SECTION
                  " note, so it is no plugin of this host; build it with ccm_add_plugin() or put "
                  "CCM_PLUGIN_MANIFEST into one source file");
  }
  if (differ) {
    return Status(Code::invalid_argument,
                  "has " CCM_NOTE_SECTION " notes that differ; give it one manifest only");
  }
  return *manifest;
}

namespace {

constexpr uint64_t kMaxSymbols = 1U << 22;
constexpr size_t kMaxExports = 1U << 16;  // a plugin should have one

// The number of dynamic symbols by DT_GNU_HASH: the end of the chain that starts last.
uint64_t count_by_gnu_hash(Bytes table) {
  const auto buckets = ElfReader::read<uint32_t>(table, 0);
  const auto first_hashed = ElfReader::read<uint32_t>(table, 4);
  const auto bloom_words = ElfReader::read<uint32_t>(table, 8);
  if (!buckets || !first_hashed || !bloom_words) return 0;
  const uint64_t buckets_at = 16 + uint64_t{*bloom_words} * 8;
  uint64_t last = 0;
  for (uint64_t i = 0; i < *buckets; ++i) {
    const auto start = ElfReader::read<uint32_t>(table, buckets_at + i * 4);
    if (!start) return 0;
    last = std::max<uint64_t>(last, *start);
  }
  if (last < *first_hashed) return *first_hashed;
  const uint64_t chains_at = buckets_at + uint64_t{*buckets} * 4;
  for (; last < kMaxSymbols; ++last) {
    const auto hash = ElfReader::read<uint32_t>(table, chains_at + (last - *first_hashed) * 4);
    if (!hash) return 0;
    if ((*hash & 1U) != 0) return last + 1;
  }
  return 0;
}

uint64_t count_symbols(const ElfReader& file) {
  if (const auto address = file.dynamic_value(DT_HASH)) {
    const auto table = file.from_address(*address);
    const auto count = table ? ElfReader::read<uint32_t>(*table, 4) : std::nullopt;
    if (count) return std::min<uint64_t>(*count, kMaxSymbols);
  }
  if (const auto address = file.dynamic_value(DT_GNU_HASH)) {
    if (const auto table = file.from_address(*address)) return count_by_gnu_hash(*table);
  }
  return 0;
}

bool visible(const Elf64_Sym& symbol) {
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && binding != STB_LOCAL && visibility != STV_HIDDEN &&
         visibility != STV_INTERNAL;
}

void read_exports(const ElfReader& file, ElfFacts& facts) {
  const auto address = file.dynamic_value(DT_SYMTAB);
  const auto table = address ? file.from_address(*address) : std::nullopt;
  if (!table) return;
  const uint64_t count = count_symbols(file);
  for (uint64_t i = 1; i < count && facts.exports.size() < kMaxExports; ++i) {
    const auto symbol = ElfReader::read<Elf64_Sym>(*table, i * sizeof(Elf64_Sym));
    if (!symbol) break;
    if (!visible(*symbol)) continue;
    const auto name = file.dynamic_string(symbol->st_name);
    if (!name) continue;
    facts.exports.emplace_back(*name);
    if (ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE) facts.unique.emplace_back(*name);
  }
  std::sort(facts.exports.begin(), facts.exports.end());
  std::sort(facts.unique.begin(), facts.unique.end());
}

std::string string_of(const ElfReader& file, int64_t tag) {
  const auto offset = file.dynamic_value(tag);
  const auto text = offset ? file.dynamic_string(*offset) : std::nullopt;
  return text ? std::string(*text) : std::string();
}

void read_dynamic_facts(const ElfReader& file, ElfFacts& facts) {
  for (const Elf64_Dyn& entry : file.dynamic()) {
    if (entry.d_tag != DT_NEEDED) continue;
    if (const auto name = file.dynamic_string(entry.d_un.d_val)) facts.needed.emplace_back(*name);
  }
  facts.soname = string_of(file, DT_SONAME);
  facts.run_path = string_of(file, DT_RUNPATH);
  if (facts.run_path.empty()) facts.run_path = string_of(file, DT_RPATH);
  const uint64_t flags = file.dynamic_value(DT_FLAGS).value_or(0);
  facts.text_relocations = file.dynamic_value(DT_TEXTREL).has_value() || (flags & DF_TEXTREL) != 0;
  const bool pie = (file.dynamic_value(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0;
  facts.shared_library = file.header().e_type == ET_DYN && !pie && !file.dynamic().empty();
}

}  // namespace

ElfFacts read_facts(const ElfReader& file) {
  ElfFacts facts;
  read_dynamic_facts(file, facts);
  read_exports(file, facts);
  // ld.so makes the stack executable when the header says so, and when there is no such header.
  facts.executable_stack = true;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_GNU_STACK) facts.executable_stack = (segment.p_flags & PF_X) != 0;
  }
  each_note(file, [&](const ElfNote& note) { facts.go = facts.go || note.owner == "Go"; });
  return facts;
}

}  // namespace ccm::plugin_files
