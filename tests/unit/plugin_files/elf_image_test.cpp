// Images made by hand, for what no compiler would write.
#include "plugin_files/elf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace ccm::plugin_files {
namespace {

using testing::HasSubstr;

// An ELF file of one header, one program header and the bytes of one note segment.
class Image {
 public:
  explicit Image(uint64_t alignment = 4) {
    std::memcpy(header_.e_ident, ELFMAG, SELFMAG);
    header_.e_ident[EI_CLASS] = ELFCLASS64;
    header_.e_ident[EI_DATA] = ELFDATA2LSB;
    header_.e_ident[EI_VERSION] = EV_CURRENT;
    header_.e_version = EV_CURRENT;
    header_.e_type = ET_DYN;
    header_.e_machine = host_machine();
    header_.e_phoff = sizeof(Elf64_Ehdr);
    header_.e_phentsize = sizeof(Elf64_Phdr);
    header_.e_phnum = 1;
    header_.e_shentsize = sizeof(Elf64_Shdr);
    segment_.p_type = PT_NOTE;
    segment_.p_align = alignment;
    segment_.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  }

  // Appends a note, padded to the segment's alignment; `text_size` may lie.
  Image& note(const std::string& owner, uint32_t type, const std::string& text) {
    return note(owner, type, text, static_cast<uint32_t>(text.size()));
  }
  Image& note(const std::string& owner, uint32_t type, const std::string& text,
              uint32_t text_size) {
    const Elf64_Nhdr head{static_cast<uint32_t>(owner.size() + 1), text_size, type};
    notes_.append(reinterpret_cast<const char*>(&head), sizeof(head));
    notes_.append(owner.c_str(), owner.size() + 1);
    pad();
    notes_.append(text);
    pad();
    return *this;
  }
  Image& raw(const std::string& bytes) {
    notes_ += bytes;
    return *this;
  }
  // Moves the notes from a segment to a section.
  Image& as_section() {
    segment_.p_type = PT_NULL;
    section_.sh_type = SHT_NOTE;
    section_.sh_addralign = segment_.p_align;
    header_.e_shnum = 1;
    return *this;
  }
  Elf64_Ehdr& header() { return header_; }
  Elf64_Phdr& segment() { return segment_; }

  [[nodiscard]] std::vector<std::byte> bytes() {
    if (segment_.p_filesz == 0) segment_.p_filesz = notes_.size();
    section_.sh_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    section_.sh_size = notes_.size();
    if (header_.e_shnum != 0) header_.e_shoff = section_.sh_offset + notes_.size();
    std::string all(reinterpret_cast<const char*>(&header_), sizeof(header_));
    all.append(reinterpret_cast<const char*>(&segment_), sizeof(segment_));
    all += notes_;
    if (header_.e_shnum != 0) {
      all.append(reinterpret_cast<const char*>(&section_), sizeof(section_));
    }
    const auto view = std::as_bytes(std::span(all));
    return {view.begin(), view.end()};
  }

 private:
  void pad() {
    while (notes_.size() % segment_.p_align != 0) notes_ += '\0';
  }

  Elf64_Ehdr header_{};
  Elf64_Phdr segment_{};
  Elf64_Shdr section_{};
  std::string notes_;
};

std::string text_of(Image image) {
  const auto bytes = image.bytes();
  const auto elf = ElfReader::open(bytes);
  const auto note = elf ? read_note(*elf) : Result<std::string_view>(elf.status());
  return note ? std::string(*note) : "fault: " + note.status().message();
}

TEST(ElfNote, IsFoundBehindOthers) {
  EXPECT_EQ(text_of(Image().note("GNU", 3, "build").note("ccm", 1, "{}")), "{}");
}

TEST(ElfNote, IsFoundInASegmentAlignedToEight) {
  EXPECT_EQ(text_of(Image(8).note("GNU", 5, "odd").note("ccm", 1, "{\"a\":1}")), "{\"a\":1}");
}

TEST(ElfNote, IsFoundInASectionWhenThereIsNoSegment) {
  EXPECT_EQ(text_of(Image().note("ccm", 1, "{}").as_section()), "{}");
}

TEST(ElfNote, NulsThatPadTheTextAreNotPartOfIt) {
  EXPECT_EQ(text_of(Image().note("ccm", 1, std::string("{}\0\0\0\0", 6))), "{}");
}

TEST(ElfNote, NulsBetweenTwoNotesAreSkipped) {
  Image image;
  image.note("GNU", 3, "four").raw(std::string(4, '\0')).note("ccm", 1, "{}");
  EXPECT_EQ(text_of(image), "{}");
}

TEST(ElfNote, OwnerAndTypeBothCount) {
  EXPECT_THAT(text_of(Image().note("ccm", 2, "{}")), HasSubstr("fault: has no .note.ccm note"));
  EXPECT_THAT(text_of(Image().note("ccn", 1, "{}")), HasSubstr("fault: has no .note.ccm note"));
}

TEST(ElfNote, TwoThatDifferAreAFault) {
  EXPECT_EQ(text_of(Image().note("ccm", 1, "{}").note("ccm", 1, "{}")), "{}");
  EXPECT_THAT(text_of(Image().note("ccm", 1, "{}").note("ccm", 1, "[]")),
              HasSubstr("has .note.ccm notes that differ"));
}

TEST(ElfNote, SizesThatLieAreNotBelieved) {
  EXPECT_THAT(text_of(Image().note("ccm", 1, "{}", 0xFFFFFFFFU)), HasSubstr("fault: has no"));
  EXPECT_THAT(text_of(Image().note("ccm", 1, "{}", 5)), HasSubstr("fault: has no"));
}

TEST(ElfNote, ASegmentBeyondTheFileIsNotRead) {
  Image image;
  image.note("ccm", 1, "{}");
  image.segment().p_filesz = 4096;
  EXPECT_THAT(text_of(image), HasSubstr("fault: has no .note.ccm note"));
  image.segment().p_offset = UINT64_MAX - 8;
  EXPECT_THAT(text_of(image), HasSubstr("fault: has no .note.ccm note"));
}

TEST(ElfNote, ALoadedSegmentBeyondTheFileIsAFault) {
  Image image;
  image.note("ccm", 1, "{}");
  image.segment().p_type = PT_LOAD;
  image.segment().p_filesz = 4096;
  EXPECT_THAT(text_of(image), HasSubstr("is cut off"));
}

TEST(ElfNote, ProgramHeadersBeyondTheFileAreAFault) {
  Image image;
  image.header().e_phoff = UINT64_MAX - 16;
  EXPECT_THAT(text_of(image), HasSubstr("ends before its program headers"));
  image.header().e_phoff = sizeof(Elf64_Ehdr);
  image.header().e_phentsize = 1;
  EXPECT_THAT(text_of(image), HasSubstr("program headers of an unknown size"));
}

TEST(ElfNote, BigEndianAndUnknownMachinesAreNamed) {
  Image image;
  image.header().e_machine = EM_S390;
  image.header().e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_THAT(text_of(image), HasSubstr("is built for s390x, this host is"));
  image.header().e_machine = 0x1234;
  EXPECT_THAT(text_of(image), HasSubstr("is built for another machine"));
}

}  // namespace
}  // namespace ccm::plugin_files
