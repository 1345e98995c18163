#include "needed_versions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ccm::ctl {

using plugin_files::ElfReader;

namespace {

constexpr size_t kMaxVersions = 1U << 16;

void note_version(std::string_view version, NeededVersions& needed) {
  const std::array<std::pair<std::string_view, std::string*>, 3> families{
      {{"GLIBC_", &needed.glibc}, {"GLIBCXX_", &needed.glibcxx}, {"CXXABI_", &needed.cxxabi}}};
  for (const auto& [prefix, newest] : families) {
    if (!version.starts_with(prefix)) continue;
    const std::string_view number = version.substr(prefix.size());
    // GLIBC_PRIVATE and its like are no releases.
    if (number.empty() || number[0] < '0' || number[0] > '9') continue;
    if (version_less(*newest, number)) *newest = number;
  }
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

// Walks DT_VERNEED: for each needed library the versions of it that are needed.
NeededVersions needed_versions(const ElfReader& file) {
  NeededVersions needed;
  const auto address = file.dynamic_value(DT_VERNEED);
  const auto area = address ? file.from_address(*address) : std::nullopt;
  if (!area) return needed;
  uint64_t library_at = 0;
  for (size_t seen = 0; seen < kMaxVersions;) {
    const auto library = ElfReader::read<Elf64_Verneed>(*area, library_at);
    if (!library) return needed;
    uint64_t version_at = library_at + library->vn_aux;
    for (size_t i = 0; i < library->vn_cnt && seen < kMaxVersions; ++i, ++seen) {
      const auto version = ElfReader::read<Elf64_Vernaux>(*area, version_at);
      if (!version) return needed;
      if (const auto name = file.dynamic_string(version->vna_name)) note_version(*name, needed);
      version_at += version->vna_next;
    }
    if (library->vn_next == 0) return needed;
    library_at += library->vn_next;
    ++seen;
  }
  return needed;
}

NeededVersions needed_versions(const plugin_files::Examination& file) {
  const auto bytes = plugin_files::PluginFile::map(*file.file);
  if (!bytes) return {};
  const auto elf = ElfReader::open(bytes->bytes());
  return elf ? needed_versions(*elf) : NeededVersions();
}

bool version_less(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    const unsigned long left_number = take_number(left);
    const unsigned long right_number = take_number(right);
    if (left_number != right_number) return left_number < right_number;
  }
  return left.empty() && !right.empty();
}

}  // namespace ccm::ctl
