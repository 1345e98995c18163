// Two plugins that hold different versions of one library, in a process that has a third: none sees
// another's state. The same plugins without the version script do, so the test would notice.
#include "../plugin_folder.hpp"
#include "plugin_files/loader.hpp"
#include "shelf.hpp"

#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

namespace ccm::plugin_host {
namespace {

// The report of a plugin's create.
std::string seen_by(const ccm_plugin* plugin) {
  std::string message;
  const auto done = [](void* owner, uint64_t, const ccm_status* status, const void*) {
    *static_cast<std::string*>(owner) = view(status->message);
  };
  const auto request = sized<ccm_create_request>();
  plugin->create(nullptr, ccm_ctx{}, &request, ccm_completion{done, &message, 1});
  return message;
}

std::string all(int version, int uses) {
  const std::string text = std::to_string(uses);
  return "version " + std::to_string(version) + " count " + text + " inline " + text +
         " template " + text + " local " + text + " thread " + text;
}

TEST(Isolation, TwoVersionsOfALibraryDoNotMeet) {
  EXPECT_EQ(shelf_version(), 9);
  const test::PluginFolder folder;
  plugin_files::Loader loader;
  const auto one = loader.load(folder.add("isolated_one"));
  const auto two = loader.load(folder.add("isolated_two"));
  ASSERT_TRUE(one.ok()) << one.status().message();
  ASSERT_TRUE(two.ok()) << two.status().message();
  EXPECT_TRUE(one->warnings.empty());
  for (int uses = 1; uses <= 3; ++uses) {
    EXPECT_EQ(seen_by(one->plugin), all(1, uses));
    EXPECT_EQ(seen_by(two->plugin), all(2, uses));
  }
  EXPECT_EQ(shelf_count(), 1);
  EXPECT_EQ(shelf::inline_state.uses, 0);
}

// A plugin built without ccm_add_plugin() and without a version script.
TEST(Isolation, WithoutAVersionScriptTheyWouldMeet) {
  const test::PluginFolder folder;
  const auto open = [&](const char* name) -> const ccm_plugin* {
    void* library = ::dlopen(folder.add(name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    return reinterpret_cast<ccm_plugin_entry_fn>(::dlsym(library, CCM_PLUGIN_ENTRY))();
  };
  const ccm_plugin* one = open("shared_one");
  const ccm_plugin* again = open("shared_again");
  ASSERT_NE(one, nullptr) << ::dlerror();
  ASSERT_NE(again, nullptr) << ::dlerror();
  EXPECT_NE(seen_by(one), all(1, 1));  // the process's own copy of the library was called
  EXPECT_EQ(seen_by(again).find("version 1"), std::string::npos);
  EXPECT_NE(seen_by(again).find("inline 3"), std::string::npos) << seen_by(again);
}

TEST(Isolation, WhatWouldMeetIsRefused) {
  const test::PluginFolder folder;
  plugin_files::Loader loader;
  const auto one = loader.load(folder.add("shared_one"));
  ASSERT_FALSE(one.ok());
  EXPECT_NE(one.status().message().find("which may clash with other plugins"), std::string::npos)
      << one.status().message();
}

}  // namespace
}  // namespace ccm::plugin_host
