// Where ld.so looks for what a plugin links to: nobody else may be able to put a library there.
#include "plugin_files/file_checks.hpp"
#include "plugin_files/loader.hpp"
#include "plugin_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ccm::plugin_host {
namespace {

namespace fs = std::filesystem;
using test::PluginFolder;
using testing::HasSubstr;

class RunPathTest : public testing::Test {
 protected:
  RunPathTest() {
    fs::create_directory(safe_);
    fs::permissions(safe_, fs::perms(0755));
    fs::create_directory(open_);
    fs::permissions(open_, fs::perms(0777));
  }
  // Changes a text in a file to one that is not longer.
  static void edit(const fs::path& path, const std::string& from, std::string to) {
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::size_t place = bytes.find(from);
    if (place == std::string::npos) throw std::runtime_error("there is no " + from);
    to.resize(from.size(), '\0');
    std::ofstream(path, std::ios::binary) << bytes.replace(place, from.size(), to);
  }
  // The plugin with that run path, which takes the place of the one that it was linked with.
  fs::path plugin(const std::string& run_path) {
    const fs::path path = folder_.path() / "providers/run-path.so";
    fs::copy_file(CCM_TEST_RUN_PATH_PLUGIN, path, fs::copy_options::overwrite_existing);
    edit(path, std::string(200, 'X'), run_path);
    fs::permissions(path, fs::perms(0755));
    return path;
  }
  fs::path bundle(const fs::path& to, fs::perms mode = fs::perms(0755)) {
    const fs::path library = to / fs::path(CCM_TEST_BUNDLED).filename();
    fs::copy_file(CCM_TEST_BUNDLED, library, fs::copy_options::overwrite_existing);
    fs::permissions(library, mode);
    return library;
  }
  void expect_refusal(const std::string& run_path, const std::string& what) {
    const auto loaded = plugin_files::Loader().load(plugin(run_path));
    EXPECT_EQ(loaded.status().code(), Code::permission_denied) << run_path;
    EXPECT_THAT(loaded.status().message(), HasSubstr(what)) << run_path;
    EXPECT_THAT(loaded.status().message(), HasSubstr("; ")) << run_path;
  }
  void expect_load(const std::string& run_path) {
    const auto loaded = plugin_files::Loader().load(plugin(run_path));
    EXPECT_TRUE(loaded.ok()) << run_path << ": " << loaded.status().message();
  }

  PluginFolder folder_;
  const fs::path safe_ = folder_.path() / "safe";
  const fs::path open_ = folder_.path() / "open";
};

TEST_F(RunPathTest, AFolderThatOnlyThisUserCanWriteToIsFine) {
  bundle(safe_);
  expect_load(safe_.string());
}

TEST_F(RunPathTest, AFolderThatOthersCanWriteToIsRefused) {
  bundle(open_);
  expect_refusal(open_.string(), "has the run path \"" + open_.string() +
                                     "\", to which others can write (mode 0777); link it without");
  bundle(safe_);
  expect_refusal(safe_.string() + ":" + open_.string(), "to which others can write");
}

// A user who can make the folder decides what is in it.
TEST_F(RunPathTest, AFolderThatIsNotThereYetIsJudgedByItsPlace) {
  expect_refusal((open_ / "later").string(), "by way of " + open_.string());
  expect_refusal("/tmp/ccm-nobody-has-made-this", "by way of /tmp");
  bundle(safe_);
  expect_load((safe_ / "later").string() + ":" + safe_.string());
}

TEST_F(RunPathTest, WhatDependsOnTheHostIsRefused) {
  for (const char* entry :
       {"lib", "", ".", "/usr/$LIB", "$PLATFORM", "/opt/$ORIGIN", "$ORIGINAL"}) {
    expect_refusal(std::string(entry) + ":" + safe_.string(), "depends on where and how");
  }
}

TEST_F(RunPathTest, ALinkIsFollowedAndSoIsItsWay) {
  fs::create_symlink(open_, safe_ / "link");
  expect_refusal((safe_ / "link").string(), "to which others can write");
  fs::create_symlink(safe_, open_ / "link");
  expect_refusal((open_ / "link").string(), "by way of " + open_.string());
  bundle(safe_);
  fs::create_symlink("safe", folder_.path() / "link");
  expect_load((folder_.path() / "link").string());
  fs::create_symlink("loop", safe_ / "loop");
  EXPECT_TRUE(plugin_files::unsafe_way(safe_ / "loop", ::geteuid()));
}

TEST_F(RunPathTest, OriginIsTheFolderOfThePlugin) {
  fs::create_directory(folder_.path() / "providers/lib");
  fs::permissions(folder_.path() / "providers/lib", fs::perms(0755));
  bundle(folder_.path() / "providers/lib");
  expect_load("$ORIGIN/lib");
}

TEST_F(RunPathTest, OriginIsJudgedByTheFolderThatItLeadsTo) {
  bundle(open_);
  expect_refusal("$ORIGIN/../open", "to which others can write");
  expect_refusal("${ORIGIN}/../open", "to which others can write");
  bundle(safe_);
  expect_load("${ORIGIN}/../safe");
}

TEST_F(RunPathTest, ALibraryThatOthersCanWriteToIsRefused) {
  const fs::path library = bundle(safe_, fs::perms(0777));
  expect_refusal(safe_.string(),
                 "links to " + library.string() + ", which can be written by others");
  if (::geteuid() != 0) return;
  fs::permissions(library, fs::perms(0755));
  ASSERT_EQ(::chown(library.c_str(), 1234, 0), 0);
  expect_refusal(safe_.string(), "which belongs to user 1234");
}

TEST_F(RunPathTest, AMissingLibraryIsNamed) {
  const fs::path path = plugin("$ORIGIN");
  // Not the one that stays in the process once another test has loaded it.
  edit(path, "libccm_test_bundled.so", "libccm_test_missing.so");
  const auto loaded = plugin_files::Loader().load(path);
  EXPECT_THAT(loaded.status().message(), HasSubstr("libccm_test_missing.so"));
}

}  // namespace
}  // namespace ccm::plugin_host
