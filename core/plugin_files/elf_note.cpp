#include "plugin_files/elf_note.hpp"

#include <ccm/abi/plugin.h>

#include <optional>
#include <string>

namespace ccm::plugin {
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

// Returns false when `visit` asked to stop.
bool each_note_in(const NoteArea& area, const std::function<bool(const ElfNote&)>& visit) {
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
    if (end > area.bytes.size()) return true;
    const ElfNote note{without_trailing_nuls(as_text(area.bytes.subspan(owner_at, head->n_namesz))),
                       head->n_type, as_text(area.bytes.subspan(text_at, head->n_descsz))};
    if (!visit(note)) return false;
    at = round_up(end, area.alignment);
  }
  return true;
}

}  // namespace

void each_note(const ElfReader& file, const std::function<bool(const ElfNote&)>& visit) {
  for (const NoteArea& area : file.note_areas()) {
    if (!each_note_in(area, visit)) return;
  }
}

Result<std::string_view> read_note(const ElfReader& file) {
  std::optional<std::string_view> manifest;
  bool differ = false;
  each_note(file, [&](const ElfNote& note) {
    if (note.owner != CCM_NOTE_OWNER || note.type != CCM_NOTE_TYPE_MANIFEST) return true;
    const std::string_view text = without_trailing_nuls(note.text);
    // The same text twice comes from a header that two source files include, as cgo makes them.
    differ = differ || (manifest && *manifest != text);
    manifest = text;
    return true;
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

}  // namespace ccm::plugin
