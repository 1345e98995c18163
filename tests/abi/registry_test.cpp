#include "plugin_files/registry.hpp"

#include "base/plugin_folder.hpp"
#include "plugin_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ccm::plugin_host {
namespace {

namespace fs = std::filesystem;
using test::PluginFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Registry, HOST_75_ListsWhatTheManifestsSayAndRunsNothing) {
  const PluginFolder folder;
  const auto good = folder.add("good");
  const auto dies = folder.add("crashes");
  const plugin_files::Registry registry = plugin_files::Registry::scan({folder.path()});
  EXPECT_THAT(registry.problems(), IsEmpty());
  ASSERT_EQ(registry.controllers().size(), 1U);
  const plugin_files::InstalledController& controller = registry.controllers()[0];
  EXPECT_EQ(controller.name, "good-sync");
  EXPECT_EQ(controller.client_name, "good-sync");
  EXPECT_THAT(controller.aliases, ElementsAre("sync"));
  EXPECT_FALSE(controller.enabled_by_default);
  EXPECT_EQ(controller.path, good);
  ASSERT_EQ(registry.providers().size(), 2U);
  EXPECT_EQ(registry.providers()[0].name, "crashes");
  EXPECT_EQ(registry.providers()[1].plugin_id, "test.good");
  EXPECT_TRUE(registry.conflicts().ok());
  EXPECT_FALSE(test::is_mapped(good));
  EXPECT_FALSE(test::is_mapped(dies));
}

TEST(Registry, HOST_12_FindsAProviderByFileNameByManifestAndByPath) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  const auto renamed = folder.add("newer_minor", "controllers/both.so");
  const plugin_files::Registry registry = plugin_files::Registry::scan({folder.path()});

  const auto by_file = registry.find_provider("good");
  ASSERT_TRUE(by_file.ok()) << by_file.status().message();
  EXPECT_EQ(by_file->path, path);
  const auto by_manifest = registry.find_provider("newer-minor");
  ASSERT_TRUE(by_manifest.ok()) << by_manifest.status().message();
  EXPECT_EQ(by_manifest->path, renamed);
  const auto by_path = plugin_files::Registry::scan({}).find_provider(path.string());
  ASSERT_TRUE(by_path.ok()) << by_path.status().message();
  EXPECT_EQ(by_path->name, "good");
}

TEST(Registry, HOST_12_AnUnknownProviderSaysWhatWasLookedForAndWhatThereIs) {
  const PluginFolder folder;
  folder.add("good");
  folder.add("newer_minor");
  const auto result = plugin_files::Registry::scan({folder.path(), "/nonexistent/ccm"})
                          .find_provider("digitalocen");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::not_found);
  EXPECT_EQ(
      result.status().message(),
      "cloud provider \"digitalocen\": there is neither providers/digitalocen.so nor a plugin "
      "with a provider of that name in " +
          folder.path().string() +
          ", /nonexistent/ccm (no such folder); known providers: good, newer-minor; correct "
          "--cloud-provider or add the plugin's folder with --plugin-path");
}

TEST(Registry, AProviderNameIsANameOrAnAbsolutePath) {
  const plugin_files::Registry registry = plugin_files::Registry::scan({});
  for (const char* name : {"", "a/b", "./good.so"}) {
    EXPECT_EQ(registry.find_provider(name).status().code(), Code::invalid_argument) << name;
  }
}

TEST(Registry, AFaultyFileIsAProblemUntilItIsWanted) {
  const PluginFolder folder;
  folder.add("good");
  const auto faulty = folder.add("no_note");
  const plugin_files::Registry registry = plugin_files::Registry::scan({folder.path()});
  ASSERT_EQ(registry.problems().size(), 1U);
  EXPECT_THAT(registry.problems()[0], HasSubstr(faulty.string() + ": has no .note.ccm note"));
  EXPECT_TRUE(registry.find_provider("good").ok());
  EXPECT_THAT(registry.find_provider("no_note").status().message(), HasSubstr(".note.ccm"));
}

TEST(Registry, AControllersFileIsNoProvider) {
  const PluginFolder folder;
  const auto path = folder.add("same_controller", "controllers/sync.so");
  const auto result = plugin_files::Registry::scan({}).find_provider(path.string());
  EXPECT_THAT(result.status().message(), HasSubstr("has no cloud provider"));
}

TEST(Registry, TwoFilesWithOneIdConflict) {
  const PluginFolder folder;
  const auto good = folder.add("good");
  const auto same = folder.add("same_id");
  const Status status = plugin_files::Registry::scan({folder.path()}).conflicts();
  EXPECT_EQ(status.code(), Code::already_exists);
  EXPECT_THAT(status.message(), HasSubstr(good.string()));
  EXPECT_THAT(status.message(), HasSubstr(same.string()));
  EXPECT_THAT(status.message(), HasSubstr("both have the id test.good"));
}

TEST(Registry, TwoFilesWithOneControllerConflict) {
  const PluginFolder folder;
  folder.add("good");
  folder.add("same_controller", "controllers/sync.so");
  EXPECT_THAT(plugin_files::Registry::scan({folder.path()}).conflicts().message(),
              HasSubstr("both have a controller named sync"));
}

TEST(Registry, ControllersOfAProviderThatIsNotChosenConflictWithNothing) {
  const PluginFolder folder;
  const auto good = folder.add("good");
  const auto rival = folder.add("rival");
  const plugin_files::Registry two = plugin_files::Registry::scan({folder.path()});
  EXPECT_TRUE(two.conflicts().ok()) << two.conflicts().message();
  EXPECT_TRUE(two.conflicts(good).ok()) << two.conflicts(good).message();
  EXPECT_TRUE(two.conflicts(rival).ok()) << two.conflicts(rival).message();
  folder.add("same_controller", "controllers/sync.so");
  const plugin_files::Registry three = plugin_files::Registry::scan({folder.path()});
  EXPECT_TRUE(three.conflicts(rival).ok()) << three.conflicts(rival).message();
  EXPECT_THAT(three.conflicts(good).message(), HasSubstr("both have a controller named sync"));
}

TEST(Registry, AFolderGivenTwiceCountsOnce) {
  const PluginFolder folder;
  folder.add("good");
  const plugin_files::Registry registry = plugin_files::Registry::scan(
      {folder.path(), folder.path() / "providers" / "..", folder.path()});
  EXPECT_EQ(registry.files().size(), 1U);
  EXPECT_TRUE(registry.conflicts().ok());
}

TEST(Registry, OtherFilesAreNotLookedAt) {
  const PluginFolder folder;
  std::ofstream(folder.path() / "providers/README.md") << "notes\n";
  std::ofstream(folder.path() / "stray.so") << "stray\n";
  const plugin_files::Registry registry = plugin_files::Registry::scan({folder.path()});
  EXPECT_THAT(registry.files(), IsEmpty());
  EXPECT_THAT(registry.problems(), IsEmpty());
}

TEST(Registry, TheDefaultFolderLiesBesideTheBinarysOwn) {
  const fs::path binary = fs::read_symlink("/proc/self/exe");
  EXPECT_EQ(plugin_files::default_plugin_folder(),
            binary.parent_path().parent_path() / ccm::plugin_folder());
}

}  // namespace
}  // namespace ccm::plugin_host
