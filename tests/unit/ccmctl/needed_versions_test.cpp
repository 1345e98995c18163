// The versions that plugin files need, of whole and of damaged ones.
#include "ccmctl/plugin/needed_versions.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace ccm::ctl {
namespace {

TEST(NeededVersions, ThoseOfAPluginInCxx) {
  const plugin_files::Examination file = plugin_files::examine(CCM_TEST_CPP_PLUGIN, {});
  ASSERT_TRUE(file.elf);
  EXPECT_FALSE(needed_versions(file).cxxabi.empty());
}

TEST(NeededVersions, DamageIsSurvived) {
  const auto opened = plugin_files::OpenFile::open(CCM_TEST_CPP_PLUGIN);
  ASSERT_TRUE(opened.ok());
  const auto file = plugin_files::PluginFile::map(**opened);
  ASSERT_TRUE(file.ok());
  const std::vector<std::byte> whole(file->bytes().begin(), file->bytes().end());
  std::mt19937 random(20240607);
  for (int round = 0; round < 1000; ++round) {
    auto damaged = whole;
    const std::size_t range = round % 4 == 0 ? damaged.size() : 8192;
    for (int hit = 0; hit < 8; ++hit) damaged[random() % range] = static_cast<std::byte>(random());
    if (const auto elf = plugin_files::ElfReader::open(damaged)) (void)needed_versions(*elf);
  }
}

TEST(NeededVersions, CompareByNumber) {
  EXPECT_TRUE(version_less("2.9", "2.34"));
  EXPECT_FALSE(version_less("2.34", "2.9"));
  EXPECT_TRUE(version_less("2.3", "2.3.4"));
  EXPECT_TRUE(version_less("", "2"));
  EXPECT_FALSE(version_less("2.17", "2.17"));
  EXPECT_FALSE(version_less("2.17", ""));
}

}  // namespace
}  // namespace ccm::ctl
