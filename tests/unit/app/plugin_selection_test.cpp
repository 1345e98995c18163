// The plugins that a command line means, with small plugin files in a folder of the test's own.
#include "app/plugin_selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccm::app {
namespace {

namespace fs = std::filesystem;

class PluginSelectionTest : public ::testing::Test {
 protected:
  PluginSelectionTest() {
    std::string name = fs::canonical(testing::TempDir()) / "ccm-selection-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    root_ = name;
    for (const char* kind : {"path/controllers", "path/providers", "elsewhere"}) {
      fs::create_directories(root_ / kind);
      fs::permissions(root_ / kind, fs::perms::owner_all);
    }
    fs::permissions(root_ / "path", fs::perms::owner_all);
    add("plain", "path/controllers");
    add("sky", "path/providers");
    add("sea", "path/providers");
  }
  ~PluginSelectionTest() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  fs::path add(const std::string& name, const std::string& folder) const {
    const fs::path target = root_ / folder / (name + ".so");
    fs::copy_file(fs::path(CCM_TEST_PLUGINS) / (name + ".so"), target);
    fs::permissions(target, fs::perms(0755));
    return target;
  }
  PluginSelection select(const std::string& provider) const {
    EarlyOptions early;
    early.plugin_paths = {(root_ / "path").string()};
    early.cloud_provider = provider;
    return PluginSelection(early);
  }
  static std::vector<std::string> star(const PluginSelection& plugins) {
    const std::vector<std::string> items = {"*"};
    return select_controllers(items, plugins.known_controllers()).enabled;
  }
  static std::vector<std::string> loaded(const PluginSelection& plugins) {
    const auto selection = plugins.load(star(plugins), {});
    EXPECT_TRUE(selection.ok()) << selection.status().message();
    std::vector<std::string> names;
    if (!selection.ok()) return names;
    for (const auto& controller : selection->controllers) names.push_back(controller.name);
    return names;
  }
  static bool has_flag(const PluginSelection& plugins, const std::string& name) {
    CommandLine command_line;
    EXPECT_TRUE(plugins.add_flags(command_line).ok());
    return command_line.flag_text(name).has_value();
  }

  fs::path root_;
};

using Names = std::vector<std::string>;

TEST_F(PluginSelectionTest, StarTakesTheControllersOfTheChosenProviderOnly) {
  EXPECT_EQ(star(select("sky")), (Names{"plain-controller", "sky-tags"}));
  EXPECT_EQ(star(select("sea")), (Names{"plain-controller", "sea-tags"}));
  EXPECT_EQ(loaded(select("sea")), (Names{"plain-controller", "sea-tags"}));
}

TEST_F(PluginSelectionTest, FlagsOfOtherProvidersAreNotThere) {
  EXPECT_TRUE(has_flag(select("sky"), "sky-colour"));
  EXPECT_FALSE(has_flag(select("sea"), "sky-colour"));
}

TEST_F(PluginSelectionTest, AnotherProvidersControllerMayBeDisabledButNotEnabled) {
  const PluginSelection plugins = select("sea");
  const Names off = {"*", "-sky-tags"};
  EXPECT_TRUE(select_controllers(off, plugins.known_controllers()).errors.empty());
  const Names asked = {"sky-tags"};
  EXPECT_EQ(select_controllers(asked, plugins.known_controllers()).enabled, asked);
  const auto problems = plugins.problems(asked);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("belongs to the cloud provider in " +
                             (root_ / "path/providers/sky.so").string()),
            std::string::npos)
      << problems[0];
  EXPECT_NE(problems[0].find("--cloud-provider is \"sea\""), std::string::npos) << problems[0];
}

TEST_F(PluginSelectionTest, AProviderGivenByItsPathBringsItsControllers) {
  const fs::path outside = add("pond", "elsewhere");
  EXPECT_EQ(star(select(outside.string())), (Names{"plain-controller", "pond-tags"}));
  EXPECT_EQ(loaded(select(outside.string())), (Names{"plain-controller", "pond-tags"}));
  // By its path within the folders: once.
  const fs::path inside = root_ / "path/providers/sky.so";
  EXPECT_EQ(star(select(inside.string())), (Names{"plain-controller", "sky-tags"}));
}

TEST_F(PluginSelectionTest, WithoutAProviderNoneOfTheirControllersCounts) {
  const PluginSelection plugins = select("");
  EXPECT_EQ(star(plugins), Names{"plain-controller"});
  EXPECT_TRUE(plugins.problems(star(plugins)).empty());
  EXPECT_EQ(select("fog").problems({}).size(), 1U);
}

// Otherwise the user corrects a flag that is right.
TEST_F(PluginSelectionTest, AnUnknownFlagStandsBesideTheProviderThatCannotBeUsed) {
  const auto fault = [](const PluginSelection& plugins) {
    CommandLine command_line;
    EXPECT_TRUE(plugins.add_flags(command_line).ok());
    const Names arguments = {"--sky-colour=blue"};
    return command_line.parse(arguments).message();
  };
  EXPECT_EQ(fault(select("sky")), "");
  const std::string relative = fault(select("../sky.so"));
  EXPECT_NE(relative.find("unknown flag --sky-colour"), std::string::npos) << relative;
  EXPECT_NE(relative.find("\"../sky.so\": is neither a name nor an absolute path"),
            std::string::npos)
      << relative;
  const std::string other = fault(select("sea"));
  EXPECT_NE(other.find("--cloud-provider is \"sea\""), std::string::npos) << other;
}

TEST_F(PluginSelectionTest, HOST_76_UpstreamsNamesAreKnownWhateverIsThere) {
  const Names items = {"*", "-route", "-cloud-node"};
  const auto selection = select_controllers(items, select("sky").known_controllers());
  EXPECT_TRUE(selection.errors.empty());
  EXPECT_EQ(selection.enabled, (Names{"plain-controller", "sky-tags"}));
}

}  // namespace
}  // namespace ccm::app
