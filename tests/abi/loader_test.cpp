// Plugins that are well-formed files with one fault in what they say or do.
#include "plugin_files/loader.hpp"

#include "plugin_folder.hpp"

#include <ccm/sized.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ccm::plugin_host {
namespace {

using test::PluginFolder;
using testing::HasSubstr;

// `mapped`: whether the fault shows only in what the plugin's entry returns.
void expect_refusal(const std::string& name, Code code, const std::string& what, bool mapped) {
  const PluginFolder folder;
  const auto path = folder.add(name);
  plugin_files::Loader loader;
  const auto result = loader.load(path);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), code) << result.status().message();
  // One sentence: who, what, what to do.
  EXPECT_THAT(result.status().message(), HasSubstr("plugin " + path.string() + ": "));
  EXPECT_THAT(result.status().message(), HasSubstr(what));
  EXPECT_THAT(result.status().message(), HasSubstr("; "));
  EXPECT_EQ(result.status().message().find('\n'), std::string::npos);
  EXPECT_TRUE(loader.loaded().empty());
  EXPECT_EQ(test::is_mapped(path), mapped);
}

TEST(Loader, LoadsAPluginWithoutFault) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  plugin_files::Loader loader;
  const auto loaded = loader.load(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->path, path);
  EXPECT_EQ(loaded->manifest.id, "test.good");
  EXPECT_EQ(loaded->manifest.components.size(), 2U);
  EXPECT_TRUE(loaded->warnings.empty());
  ASSERT_NE(loaded->plugin, nullptr);

  // It is the real thing: `create` answers.
  int32_t code = -1;
  const auto done = [](void* owner, uint64_t operation, const ccm_status* status, const void*) {
    EXPECT_EQ(operation, 7U);
    *static_cast<int32_t*>(owner) = status->code;
  };
  const auto request = sized<ccm_create_request>();
  loaded->plugin->create(nullptr, ccm_ctx{}, &request, ccm_completion{done, &code, 7});
  EXPECT_EQ(code, CCM_CODE_UNIMPLEMENTED);
}

TEST(Loader, TheImageStaysWhenTheLoaderIsGone) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  const ccm_plugin* plugin = nullptr;
  {
    plugin_files::Loader loader;
    const auto loaded = loader.load(path);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    plugin = loaded->plugin;
  }
  EXPECT_TRUE(test::is_mapped(path));
  EXPECT_EQ(plugin->size, sizeof(ccm_plugin));
}

TEST(Loader, AFileThatIsLoadedIsReturnedAgain) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  plugin_files::Loader loader;
  const auto first = loader.load(path);
  const auto second = loader.load(path.parent_path() / ".." / "providers" / "good.so");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->plugin, second->plugin);
  EXPECT_EQ(loader.loaded().size(), 1U);
}

TEST(Loader, ANewerMinorLoadsWhenItGetsAllItNeeds) {
  const PluginFolder folder;
  plugin_files::Loader loader;
  const auto loaded = loader.load(folder.add("newer_minor"));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  ASSERT_EQ(loaded->warnings.size(), 1U);
  EXPECT_THAT(loaded->warnings[0], HasSubstr("built for plugin ABI 1.9, newer than"));
}

TEST(Loader, ALongerTableLoads) {
  const PluginFolder folder;
  plugin_files::Loader loader;
  const auto loaded = loader.load(folder.add("longer_table"));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_GT(loaded->plugin->size, sizeof(ccm_plugin));
}

TEST(Loader, RefusesAFileWithoutNote) {
  expect_refusal("no_note", Code::not_found, "has no .note.ccm note", false);
}

TEST(Loader, RefusesTwoNotesThatDiffer) {
  expect_refusal("two_notes", Code::invalid_argument, "has .note.ccm notes that differ", false);
}

TEST(Loader, RefusesTheEntryOfAnotherMajor) {
  expect_refusal("wrong_entry", Code::failed_precondition, "does not export ccm_plugin_v1", false);
}

TEST(Loader, RefusesAnotherMajor) {
  expect_refusal("wrong_major", Code::failed_precondition,
                 "is built for plugin ABI 2.0, this host has 1.1; update the host", false);
}

TEST(Loader, RefusesATableOfSizeZero) {
  expect_refusal("size_zero", Code::failed_precondition, "its ccm_plugin has size 0", true);
}

TEST(Loader, RefusesATableWithoutRoomForCreate) {
  expect_refusal("short_table", Code::failed_precondition, "has size 32, at least 40", true);
}

TEST(Loader, RefusesATableWithoutCreate) {
  expect_refusal("null_create", Code::failed_precondition, "ccm_plugin.create is NULL", true);
}

TEST(Loader, RefusesANullTable) {
  expect_refusal("null_table", Code::failed_precondition, "ccm_plugin_v1 returned NULL", true);
}

TEST(Loader, RefusesAnEntryThatThrows) {
  expect_refusal("throws", Code::failed_precondition, "threw an exception", true);
}

TEST(Loader, RefusesAManifestThatDiffersFromTheNote) {
  expect_refusal("manifest_mismatch", Code::failed_precondition,
                 "differs from the manifest in its .note.ccm note", true);
}

TEST(Loader, RefusesAManifestThatIsNoJson) {
  expect_refusal("not_json", Code::invalid_argument, "the manifest is not valid JSON", false);
}

TEST(Loader, RefusesAFaultyManifest) {
  expect_refusal("faulty_manifest", Code::invalid_argument,
                 "components[0].kind: \"gadget\" is not one of controller, provider", false);
}

TEST(Loader, RefusesNeedsThatTheHostDoesNotHave) {
  expect_refusal("unknown_need", Code::failed_precondition,
                 "needs ccm.host.telepathy/7, which this host (plugin ABI 1.1) does not have",
                 false);
}

TEST(Loader, RefusesFurtherExports) {
  expect_refusal("extra_export", Code::failed_precondition,
                 "exports helper_of_many_libraries besides ccm_plugin_v1", false);
}

TEST(Loader, RefusesTheExportsOfAGoRuntimeAndSaysHowToLinkWithout) {
  expect_refusal("go_exports", Code::failed_precondition,
                 "exports x_cgo_init of the Go runtime besides ccm_plugin_v1; link it with the "
                 "SDK's version script",
                 false);
}

TEST(Loader, RefusesWhatDoesNotLink) {
  expect_refusal("missing_library", Code::failed_precondition,
                 "cannot be loaded: undefined symbol: function_of_a_missing_library", false);
}

// Loads `first`, then expects that `second` is refused and both files are named.
void expect_conflict(const std::string& first, const std::string& second, const std::string& what) {
  const PluginFolder folder;
  const auto one = folder.add(first);
  const auto other = folder.add(second);
  plugin_files::Loader loader;
  const auto loaded = loader.load(one);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const auto result = loader.load(other);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::already_exists);
  EXPECT_THAT(result.status().message(), HasSubstr("plugin " + other.string() + ": "));
  EXPECT_THAT(result.status().message(), HasSubstr(one.string()));
  EXPECT_THAT(result.status().message(), HasSubstr(what));
  EXPECT_FALSE(test::is_mapped(other));
  EXPECT_EQ(loader.loaded().size(), 1U);
}

TEST(Loader, RefusesASecondPluginWithOneId) {
  expect_conflict("good", "same_id", "has the id test.good, as has");
}

TEST(Loader, HOST_75_RefusesASecondControllerOfOneName) {
  expect_conflict("good", "same_controller", "has a controller named sync, as has");
}

TEST(Loader, RefusesASecondGoPlugin) {
  expect_conflict("go_one", "go_two", "brings a Go runtime, as does");
}

}  // namespace
}  // namespace ccm::plugin_host
