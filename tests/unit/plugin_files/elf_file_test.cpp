// Real shared libraries, whole and damaged.
#include "plugin_files/elf.hpp"
#include "plugin_files/plugin_file.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <random>
#include <vector>

namespace ccm::plugin_files {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::byte> read_all(const char* path) {
  const auto opened = OpenFile::open(path);
  if (!opened) return {};
  const auto file = PluginFile::map(**opened);
  if (!file) return {};
  return {file->bytes().begin(), file->bytes().end()};
}

ElfFacts facts_of(const char* path) {
  const auto bytes = read_all(path);
  const auto elf = ElfReader::open(bytes);
  EXPECT_TRUE(elf.ok()) << elf.status().message();
  return elf.ok() ? read_facts(*elf) : ElfFacts();
}

TEST(ElfFile, ReadsTheNoteOfAPlugin) {
  const auto bytes = read_all(CCM_TEST_C_PLUGIN);
  const auto elf = ElfReader::open(bytes);
  ASSERT_TRUE(elf.ok()) << elf.status().message();
  const auto note = read_note(*elf);
  ASSERT_TRUE(note.ok()) << note.status().message();
  EXPECT_TRUE(note->starts_with("{\"id\": \"test.good\""));
  EXPECT_TRUE(note->ends_with("}"));
}

TEST(ElfFile, ReadsWhatAPluginExportsAndNeeds) {
  const ElfFacts facts = facts_of(CCM_TEST_CPP_PLUGIN);
  EXPECT_TRUE(facts.shared_library);
  EXPECT_THAT(facts.exports, ElementsAre("ccm_plugin_v1"));
  EXPECT_TRUE(facts.unique.empty());
  EXPECT_THAT(facts.needed, Contains("libstdc++.so.6"));
  EXPECT_FALSE(facts.executable_stack);
  EXPECT_FALSE(facts.text_relocations);
  EXPECT_FALSE(facts.go);
}

TEST(ElfFile, ReadsThousandsOfSymbols) {
  // Not malloc: with a sanitizer that is the program's own.
  void* libc = ::dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  Dl_info info{};
  ASSERT_NE(::dladdr(libc, &info), 0);
  const ElfFacts facts = facts_of(std::filesystem::canonical(info.dli_fname).c_str());
  EXPECT_GT(facts.exports.size(), 1000U);
  EXPECT_THAT(facts.exports, Contains("gnu_get_libc_version"));
  EXPECT_EQ(facts.soname, "libc.so.6");
}

TEST(ElfFile, AProgramIsNoSharedLibrary) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_FALSE(facts_of(self.c_str()).shared_library);
}

TEST(ElfFile, EveryTruncationIsSurvived) {
  const auto whole = read_all(CCM_TEST_C_PLUGIN);
  ASSERT_GT(whole.size(), 4096U);
  size_t readable = 0;
  // Exact-size copies, so that a sanitizer sees a read beyond the end.
  for (size_t size = 0; size < whole.size(); size += size < 1024 ? 1 : 37) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<long>(size));
    const auto elf = ElfReader::open(cut);
    if (!elf) continue;
    static_cast<void>(read_facts(*elf));
    readable += read_note(*elf).ok() ? 1 : 0;
  }
  // Only section headers and debug information may be missing.
  EXPECT_GT(readable, 0U);
}

TEST(ElfFile, DamageIsSurvived) {
  const auto whole = read_all(CCM_TEST_C_PLUGIN);
  std::mt19937 random(20240607);
  for (int round = 0; round < 4000; ++round) {
    auto damaged = whole;
    const int hits = 1 + static_cast<int>(random() % 8);
    for (int hit = 0; hit < hits; ++hit) {
      // Headers, notes and dynamic tables stand in the first kilobytes.
      const size_t range = random() % 4 == 0 ? damaged.size() : 2048;
      constexpr std::array<unsigned, 4> kNasty{0x00, 0x7f, 0x80, 0xff};
      damaged[random() % range] =
          static_cast<std::byte>(random() % 2 == 0 ? kNasty[random() % 4] : random());
    }
    const auto elf = ElfReader::open(damaged);
    if (!elf) {
      EXPECT_FALSE(elf.status().message().empty());
      continue;
    }
    EXPECT_LE(read_facts(*elf).exports.size(), damaged.size());
    const auto note = read_note(*elf);
    EXPECT_LE(note ? note->size() : 0, damaged.size());
  }
}

}  // namespace
}  // namespace ccm::plugin_files
