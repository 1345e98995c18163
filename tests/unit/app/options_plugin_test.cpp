// Flags that plugins bring.
#include "app/flags/options_command_line.hpp"
#include "base/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ccm::app {
namespace {

using plugin_files::Option;
using plugin_files::OptionType;
using Strings = std::vector<std::string>;

Option option(std::string name, OptionType type, std::string default_value) {
  Option made;
  made.name = std::move(name);
  made.type = type;
  made.default_value = std::move(default_value);
  made.description = "A flag of a plugin.";
  return made;
}

class PluginFlags : public testing::Test {
 protected:
  PluginFlags() {
    Option size = option("node-cidr-mask-size", OptionType::integer, "24");
    size.minimum = 8;
    size.maximum = 32;
    Option period = option("cache-period", OptionType::duration, "90s");
    period.minimum = 1'000'000'000;
    Option mode = option("mode", OptionType::string, "fast");
    mode.allowed = {"fast", "safe"};
    Option token = option("endpoint", OptionType::string, "");
    token.environment = "CLOUD_ENDPOINT";
    options_ = {size,
                period,
                mode,
                token,
                option("dry", OptionType::boolean, "false"),
                option("tags", OptionType::string_array, "a,b")};
  }
  Status parse(const Strings& arguments) {
    line_ = std::make_unique<CommandLine>([this](const char* name) {
      return std::string_view(name) == "CLOUD_ENDPOINT" && !endpoint_.empty() ? endpoint_.c_str()
                                                                              : nullptr;
    });
    Status status = line_->add_plugin("ipam", options_);
    return status.ok() ? line_->parse(arguments) : status;
  }
  std::vector<Option> options_;
  std::string endpoint_;
  std::unique_ptr<CommandLine> line_;
};

TEST_F(PluginFlags, HaveTheManifestsDefaults) {
  ASSERT_TRUE(parse({}).ok());
  const std::map<std::string, std::string> expected{{"node-cidr-mask-size", "24"},
                                                    {"cache-period", "1m30s"},
                                                    {"mode", "fast"},
                                                    {"endpoint", ""},
                                                    {"dry", "false"},
                                                    {"tags", "a,b"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(line_->flag_text(name), value) << name;
}

TEST_F(PluginFlags, AreReadAsTheHosts) {
  ASSERT_TRUE(parse({"--node_cidr_mask_size", "0x10", "--cache-period=2h", "--mode=safe", "--dry",
                     "--tags=c", "--tags=d,e", "--v=2"})
                  .ok());
  EXPECT_EQ(line_->flag_text("node-cidr-mask-size"), "16");
  EXPECT_EQ(line_->flag_text("cache-period"), "2h0m0s");
  EXPECT_EQ(line_->flag_text("mode"), "safe");
  EXPECT_EQ(line_->flag_text("dry"), "true");
  EXPECT_EQ(line_->flag_text("tags"), "c,d,e");
  EXPECT_EQ(line_->flag_text("v"), "2");
}

TEST_F(PluginFlags, LimitsAreKept) {
  EXPECT_NE(parse({"--node-cidr-mask-size=33"}).message().find("must be a value from 8 to 32"),
            std::string::npos);
  EXPECT_NE(parse({"--cache-period=10ms"}).message().find("of at least 1s"), std::string::npos);
  EXPECT_NE(parse({"--mode=saf"}).message().find("must be one of fast,safe (did you mean safe?)"),
            std::string::npos);
  EXPECT_FALSE(parse({"--dry=maybe"}).ok());
  EXPECT_FALSE(parse({"--tags=\"a"}).ok());
  EXPECT_FALSE(parse({"--node-cidr-mask-size=x"}).ok());
  EXPECT_TRUE(parse({"--node-cidr-mask-size=8"}).ok());
}

TEST_F(PluginFlags, TheEnvironmentCountsWhenTheFlagIsNotGiven) {
  endpoint_ = "http://env";
  ASSERT_TRUE(parse({}).ok());
  EXPECT_EQ(line_->flag_text("endpoint"), "http://env");
  EXPECT_TRUE(line_->is_set("endpoint"));
  ASSERT_TRUE(parse({"--endpoint=http://flag"}).ok());
  EXPECT_EQ(line_->flag_text("endpoint"), "http://flag");
}

TEST_F(PluginFlags, FaultsOfTheEnvironmentNameTheVariable) {
  endpoint_ = "x";
  options_[3].allowed = {"y"};
  EXPECT_NE(parse({}).message().find("environment variable CLOUD_ENDPOINT: must be one of y"),
            std::string::npos);
}

class SecretFlags : public PluginFlags {
 protected:
  static constexpr const char* kSecret = "hush-4711";
  SecretFlags() {
    options_[3].secret = true;  // --endpoint, which no name would tell
    log::redirect([this](std::string_view line) { log_.append(line).append("\n"); });
  }
  ~SecretFlags() override {
    log::set_verbosity(0);
    log::redirect({});
  }
  std::string log_;
};

TEST_F(SecretFlags, AreShownNeitherOnPagesNorInTheLog) {
  endpoint_ = kSecret;
  ASSERT_TRUE(parse({}).ok());
  EXPECT_EQ(line_->flag_text("endpoint"), kSecret) << "the plugin has it";
  const auto values = line_->all_values();
  EXPECT_NE(std::find(values.begin(), values.end(),
                      std::pair<std::string, std::string>("endpoint", "(not shown)")),
            values.end());
  log::set_verbosity(1);
  line_->log_flags();
  EXPECT_NE(log_.find("--endpoint"), std::string::npos);
  EXPECT_EQ(log_.find(kSecret), std::string::npos);
  EXPECT_EQ(line_->help("ccm").find(kSecret), std::string::npos);
}

TEST_F(SecretFlags, AWrongValueIsNotRepeated) {
  options_[3].allowed = {"hush-4712"};
  for (const std::string_view from : {"flag", "environment"}) {
    if (from == "environment") endpoint_ = kSecret;
    const Status status = from == "flag" ? parse({"--endpoint", kSecret}) : parse({});
    EXPECT_EQ(status.code(), Code::invalid_argument);
    EXPECT_EQ(status.message().find(kSecret), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("(not shown)"), std::string::npos) << status.message();
  }
}

TEST_F(SecretFlags, OnePluginsSecretIsOneForAllThatShareTheFlag) {
  ASSERT_TRUE(parse({"--endpoint", kSecret}).ok());
  CommandLine line;
  Option open = options_[3];
  open.secret = false;
  ASSERT_TRUE(line.add_plugin("first", std::vector<Option>{open}).ok());
  ASSERT_TRUE(line.add_plugin("second", std::vector<Option>{options_[3]}).ok());
  ASSERT_TRUE(line.parse(Strings{"--endpoint", kSecret}).ok());
  for (const auto& [name, value] : line.all_values()) EXPECT_NE(value, kSecret) << name;
}

TEST_F(PluginFlags, TheHostsFlagIsShared) {
  CommandLine line;
  const std::vector<Option> node{option("concurrent-node-syncs", OptionType::integer, "5"),
                                 option("cluster-name", OptionType::string, "")};
  ASSERT_TRUE(line.add_plugin("node", node).ok());
  const Strings arguments{"--concurrent-node-syncs=9"};
  ASSERT_TRUE(line.parse(arguments).ok());
  EXPECT_EQ(line.options().node_controller.concurrent_node_syncs, 9);
  EXPECT_EQ(line.flag_text("concurrent-node-syncs"), "9");
  EXPECT_EQ(line.flag_text("cluster-name"), "kubernetes");
  EXPECT_EQ(line.help("ccm").find("Flags of plugin node"), std::string::npos);
}

// What the plugin makes of a flag that both have is what --help tells.
TEST_F(PluginFlags, TextAndLimitsOfAPluginCountForASharedFlag) {
  CommandLine line;
  Option syncs = option("concurrent-node-syncs", OptionType::integer, "1");
  syncs.description = "Nodes at once. If unset, 64.";
  syncs.minimum = 1;
  ASSERT_TRUE(line.add_plugin("node", std::vector<Option>{syncs}).ok());
  const std::string help = line.help("ccm");
  EXPECT_NE(
      help.find(
          "      --concurrent-node-syncs int\n                Nodes at once. If unset, 64.\n"),
      std::string::npos)
      << help;
  const Strings wrong{"--cloud-provider=x", "--concurrent-node-syncs=0",
                      "--leader-elect-resource-name="};
  ASSERT_TRUE(line.parse(wrong).ok());
  const Validation validation = line.validate({});
  ASSERT_EQ(validation.errors.size(), 2U) << "all faults are told together";
  EXPECT_EQ(validation.errors[1], "--concurrent-node-syncs must be a value of at least 1, is 0");
}

TEST_F(PluginFlags, AFlagOfAPluginThatIsNotInUseSaysSo) {
  CommandLine line;
  line.add_absent_plugin("sky", options_, "--cloud-provider is \"sea\"");
  const Strings given{"--cache_period=1m"};
  EXPECT_EQ(line.parse(given).message(),
            "unknown flag --cache-period: plugin sky brings it, but --cloud-provider is \"sea\"");
}

TEST_F(PluginFlags, OfAnotherTypeAreNotShared) {
  CommandLine line;
  const std::vector<Option> clash{option("cluster-cidr", OptionType::integer, "0")};
  const Status status = line.add_plugin("odd", clash);
  EXPECT_NE(status.message().find("plugin odd declares --cluster-cidr as int"), std::string::npos);
  ASSERT_TRUE(line.add_plugin("ipam", options_).ok());
  const std::vector<Option> same{option("mode", OptionType::duration, "0s")};
  EXPECT_FALSE(line.add_plugin("other", same).ok());
}

TEST_F(PluginFlags, HelpShowsOneGroupForEachPlugin) {
  ASSERT_TRUE(parse({}).ok());
  const std::string help = line_->help("ccm");
  EXPECT_NE(help.find("\nFlags of plugin ipam:\n"), std::string::npos);
  EXPECT_GT(help.find("Flags of plugin ipam:"), help.find("Misc flags:"));
  EXPECT_NE(help.find("A flag of a plugin. Environment: CLOUD_ENDPOINT."), std::string::npos);
  EXPECT_NE(help.find("(default 1m30s)"), std::string::npos);
}

}  // namespace
}  // namespace ccm::app
