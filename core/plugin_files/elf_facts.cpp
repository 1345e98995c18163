#include "plugin_files/elf_facts.hpp"

#include "plugin_files/elf_note.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ccm::plugin {
namespace {

constexpr uint64_t kMaxSymbols = 1U << 22;
constexpr size_t kMaxExports = 1U << 16;  // of a plugin there should be one
constexpr size_t kMaxVersions = 1U << 16;

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

void note_version(std::string_view version, ElfFacts& facts) {
  const std::array<std::pair<std::string_view, std::string*>, 3> families{
      {{"GLIBC_", &facts.newest_glibc},
       {"GLIBCXX_", &facts.newest_glibcxx},
       {"CXXABI_", &facts.newest_cxxabi}}};
  for (const auto& [prefix, newest] : families) {
    if (!version.starts_with(prefix)) continue;
    const std::string_view number = version.substr(prefix.size());
    // GLIBC_PRIVATE and its like are no releases.
    if (number.empty() || number[0] < '0' || number[0] > '9') continue;
    if (version_less(*newest, number)) *newest = number;
  }
}

// Walks DT_VERNEED: for each needed library the versions of it that are needed.
void read_versions(const ElfReader& file, ElfFacts& facts) {
  const auto address = file.dynamic_value(DT_VERNEED);
  const auto area = address ? file.from_address(*address) : std::nullopt;
  if (!area) return;
  uint64_t library_at = 0;
  for (size_t seen = 0; seen < kMaxVersions;) {
    const auto library = ElfReader::read<Elf64_Verneed>(*area, library_at);
    if (!library) return;
    uint64_t version_at = library_at + library->vn_aux;
    for (size_t i = 0; i < library->vn_cnt && seen < kMaxVersions; ++i, ++seen) {
      const auto version = ElfReader::read<Elf64_Vernaux>(*area, version_at);
      if (!version) return;
      if (const auto name = file.dynamic_string(version->vna_name)) note_version(*name, facts);
      version_at += version->vna_next;
    }
    if (library->vn_next == 0) return;
    library_at += library->vn_next;
    ++seen;
  }
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

// The first number of a version, which goes with its dot.
unsigned long take_number(std::string_view& version) {
  unsigned long number = 0;
  const char* end = std::from_chars(version.begin(), version.end(), number).ptr;
  const auto digits = static_cast<size_t>(end - version.begin());
  version.remove_prefix(std::min(version.size(), digits + 1));
  return number;
}

}  // namespace

bool version_less(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    const unsigned long left_number = take_number(left);
    const unsigned long right_number = take_number(right);
    if (left_number != right_number) return left_number < right_number;
  }
  return left.empty() && !right.empty();
}

ElfFacts read_facts(const ElfReader& file) {
  ElfFacts facts;
  read_dynamic_facts(file, facts);
  read_exports(file, facts);
  read_versions(file, facts);
  // ld.so makes the stack executable when the header says so, and when there is no such header.
  facts.executable_stack = true;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_GNU_STACK) facts.executable_stack = (segment.p_flags & PF_X) != 0;
  }
  each_note(file, [&](const ElfNote& note) {
    facts.go = facts.go || note.owner == "Go";
    return true;
  });
  return facts;
}

}  // namespace ccm::plugin
