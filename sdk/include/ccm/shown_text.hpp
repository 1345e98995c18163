// Texts that people read: without characters that hide others, or turn them around. [any-thread]
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ccm {

// The length of the character at the front of `text` when it is one that a reader does not see, or
// that changes the order in which others are shown: C1 controls, soft hyphens, zero-width and
// directional characters, separators of lines and paragraphs, fillers, tags. 0 for all others, also
// for C0 controls, which some texts need.
inline std::size_t hidden_length(std::string_view text) {
  struct Range {
    std::string_view lead;
    unsigned char first;
    unsigned char last;  // of the last byte, which follows the lead
  };
  static constexpr std::array<Range, 17> kHidden{{
      {"\xC2", 0x80, 0x9F},          // C1
      {"\xC2", 0xAD, 0xAD},          // U+00AD
      {"\xD8", 0x9C, 0x9C},          // U+061C
      {"\xE1\x85", 0x9F, 0xA0},      // U+115F, U+1160
      {"\xE1\xA0", 0x8E, 0x8E},      // U+180E
      {"\xE2\x80", 0x8B, 0x8F},      // U+200B to U+200F
      {"\xE2\x80", 0xA8, 0xAE},      // U+2028 to U+202E
      {"\xE2\x81", 0xA0, 0xAF},      // U+2060 to U+206F
      {"\xE3\x85", 0xA4, 0xA4},      // U+3164
      {"\xEF\xBB", 0xBF, 0xBF},      // U+FEFF
      {"\xEF\xBE", 0xA0, 0xA0},      // U+FFA0
      {"\xEF\xBF", 0xB9, 0xBB},      // U+FFF9 to U+FFFB
      {"\xF0\x9D\x85", 0xB3, 0xBA},  // U+1D173 to U+1D17A
      {"\xF3\xA0\x80", 0x80, 0xBF},  // U+E0000 to U+E003F
      {"\xF3\xA0\x81", 0x80, 0xBF},  // to U+E007F
      {"\xF3\xA0\x84", 0x80, 0xBF},  // U+E0100 to U+E013F
      {"\xF3\xA0\x85", 0x80, 0xBF},  // and on
  }};
  if (text.size() < 2 || static_cast<unsigned char>(text.front()) < 0xC2) return 0;
  for (const Range& range : kHidden) {
    if (text.size() <= range.lead.size() || !text.starts_with(range.lead)) continue;
    const auto last = static_cast<unsigned char>(text[range.lead.size()]);
    if (last >= range.first && last <= range.last) return range.lead.size() + 1;
  }
  return 0;
}

// A copy with U+FFFD in place of each hidden character and of each C0 control but line feed and
// tabulator.
inline std::string shown_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
    const std::size_t hidden = control ? 1 : hidden_length(text);
    if (hidden == 0) {
      shown += text.front();
    } else {
      shown += "\xEF\xBF\xBD";
    }
    text.remove_prefix(hidden == 0 ? 1 : hidden);
  }
  return shown;
}

}  // namespace ccm
