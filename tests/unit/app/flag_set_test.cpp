#include "app/flags/flag_set.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

using Strings = std::vector<std::string>;

class FlagSetTest : public testing::Test {
 protected:
  FlagSetTest() {
    FlagGroup group = flags_.group("Some flags");
    group.add("cloud-config", &config_, "A file.");
    group.add("leader-elect", &elect_, "Whether.");
    group.add("profiling", &profiling_, "Whether.");
    group.add("v", &verbosity_, "How much.").shorthand = 'v';
    group.add("help", &help_, "This.").shorthand = 'h';
    group.add("controllers", &controllers_, "Which.");
    group.add("qps", &qps_, "How fast.");
    group.add("period", &period_, "How often.");
    group.add("groups", &groups_, "Which.");
    group.add("address", ip_value(&address_), "Where.");
  }
  void expect_ok(const Strings& arguments) {
    const Status status = flags_.parse(arguments);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  std::string fault(const Strings& arguments) {
    const Status status = flags_.parse(arguments);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
    return status.message();
  }

  std::string config_;
  std::string address_ = "0.0.0.0";
  bool elect_ = true;
  bool profiling_ = false;
  bool help_ = false;
  int32_t verbosity_ = 0;
  float qps_ = 20;
  std::chrono::nanoseconds period_{0};
  Strings controllers_{"*"};
  std::vector<int32_t> groups_;
  FlagSet flags_;
};

TEST_F(FlagSetTest, HOST_1_EqualsSignOrNextArgument) {
  expect_ok({"--cloud-config=/a=b", "--v", "3"});
  EXPECT_EQ(config_, "/a=b");
  EXPECT_EQ(verbosity_, 3);
  expect_ok({"--cloud-config", "", "--cloud-config="});
  EXPECT_EQ(config_, "");
}

TEST_F(FlagSetTest, HOST_1_BooleansOmitTheirValue) {
  expect_ok({"--leader-elect=false", "--profiling"});
  EXPECT_FALSE(elect_);
  EXPECT_TRUE(profiling_);
  EXPECT_NE(fault({"--leader-elect", "false"}).find("--leader-elect=false"), std::string::npos);
}

TEST_F(FlagSetTest, HOST_1_UnderscoresCountAsDashes) {
  expect_ok({"--cloud_config=/a_b", "--leader_elect=0"});
  EXPECT_EQ(config_, "/a_b");
  EXPECT_FALSE(elect_);
}

TEST_F(FlagSetTest, HOST_72_ShortVerbosityInAllForms) {
  for (const Strings& arguments :
       {Strings{"-v2"}, Strings{"-v=2"}, Strings{"-v", "2"}, Strings{"--v=2"}, Strings{"-hv2"}}) {
    verbosity_ = 0;
    expect_ok(arguments);
    EXPECT_EQ(verbosity_, 2) << arguments[0];
  }
  EXPECT_TRUE(help_);
  expect_ok({"-h=false"});
  EXPECT_FALSE(help_);
}

TEST_F(FlagSetTest, ValuesMayLookLikeFlags) {
  expect_ok({"--qps", "-1", "--controllers", "-route"});
  EXPECT_EQ(qps_, -1);
  EXPECT_EQ(controllers_, Strings({"-route"}));
}

TEST_F(FlagSetTest, HOST_3_FirstUseReplacesFurtherOnesAppend) {
  expect_ok({"--controllers=a,b", "--controllers=c", "--groups=23,24", "--groups=29"});
  EXPECT_EQ(controllers_, Strings({"a", "b", "c"}));
  EXPECT_EQ(groups_, std::vector<int32_t>({23, 24, 29}));
  EXPECT_EQ(flags_.find("controllers")->value->text(), "a,b,c");
  EXPECT_EQ(flags_.find("groups")->value->text(), "23,24,29");
}

TEST_F(FlagSetTest, HOST_1_PositionalArgumentsAreFaults) {
  EXPECT_NE(fault({"run"}).find("unexpected argument \"run\""), std::string::npos);
  EXPECT_NE(fault({"--v=1", "--", "--v=2"}).find("\"--v=2\""), std::string::npos);
  EXPECT_NE(fault({"-"}).find("unexpected argument \"-\""), std::string::npos);
  expect_ok({"--v=1", "--"});
}

// Commands that are copied from a page, whose "--" became one dash.
TEST_F(FlagSetTest, ADashThatIsNoHyphenIsToldSo) {
  for (const char* argument : {"\u2013v=1", "\u2014v=1", "\u2212\u2212v=1", "\u2013-v=1"}) {
    const std::string message = fault({argument});
    EXPECT_TRUE(message.starts_with("unexpected argument \"" + std::string(argument))) << message;
    EXPECT_TRUE(message.ends_with("write --v=1")) << message;
  }
}

TEST_F(FlagSetTest, UnknownFlagsSuggestTheNearest) {
  EXPECT_EQ(fault({"--cloud-confg=x"}),
            "unknown flag --cloud-confg (did you mean --cloud-config?)");
  EXPECT_EQ(fault({"--zzz"}), "unknown flag --zzz");
  EXPECT_EQ(fault({"-controllers=x"}),
            "unknown flag -c in -controllers=x (did you mean --controllers?)");
  EXPECT_EQ(fault({"-x"}), "unknown flag -x");
  EXPECT_FALSE(fault({"--=x"}).empty());
  EXPECT_FALSE(fault({"---v=1"}).empty());
}

TEST_F(FlagSetTest, BadValuesNameFlagValueAndForm) {
  EXPECT_EQ(fault({"--leader-elect=maybe"}),
            "invalid value \"maybe\" for --leader-elect: must be true or false");
  EXPECT_EQ(fault({"--v=x"}),
            "invalid value \"x\" for --v: must be an integer from -2147483648 to 2147483647");
  EXPECT_NE(fault({"-v=99999999999"}).find("for -v: must be an integer"), std::string::npos);
  EXPECT_NE(fault({"--period=5"}).find("must be a duration such as"), std::string::npos);
  EXPECT_NE(fault({"--address=localhost"}).find("must be an IPv4 or IPv6 address"),
            std::string::npos);
  EXPECT_NE(fault({"--groups=x"}).find("list of integers"), std::string::npos);
  EXPECT_NE(fault({"--cloud-config"}).find("--cloud-config needs a value"), std::string::npos);
}

TEST_F(FlagSetTest, AFirstLookPassesOverWhatItDoesNotKnow) {
  const Strings arguments{
      "--node-cidr-mask-size", "24", "--v=x", "--cloud-config", "/a", "run", "-z", "--other=1",
      "--controllers=node"};
  flags_.parse_known(arguments);
  EXPECT_EQ(config_, "/a");
  EXPECT_EQ(controllers_, Strings({"node"}));
  EXPECT_EQ(verbosity_, 0);
}

TEST_F(FlagSetTest, SetTellsWhatTheUserGave) {
  expect_ok({"--v=0"});
  EXPECT_TRUE(flags_.find("v")->set);
  EXPECT_FALSE(flags_.find("qps")->set);
  EXPECT_EQ(flags_.find("qps")->value->text(), "20");
}

TEST_F(FlagSetTest, HelpShowsSectionsDefaultsAndWraps) {
  FlagGroup group = flags_.group("Other flags");
  std::string text = "x";
  group.add("long", &text,
            "A text that is longer than a narrow terminal and so goes on to a second line.");
  group.add("name", &text, "Short.");
  group.add("old", &text, "Hidden.").deprecated = "use --long";
  const std::string help = flags_.help(60);
  EXPECT_NE(help.find("\nSome flags:\n"), std::string::npos);
  EXPECT_LT(help.find("Some flags:"), help.find("Other flags:"));
  EXPECT_NE(help.find("  -v, --v int\n                How much.\n"), std::string::npos);
  EXPECT_NE(help.find("      --leader-elect[=true|false]\n                Whether. (default true)"),
            std::string::npos);
  EXPECT_NE(help.find("Short. (default \"x\")"), std::string::npos);
  EXPECT_EQ(help.find("--old"), std::string::npos);
  std::size_t begin = 0;
  while (begin < help.size()) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 60U) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace ccm::app
