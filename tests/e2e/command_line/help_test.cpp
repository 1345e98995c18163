// --help of the real program with the flags of all plugins.
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace ccm::e2e {
namespace {

struct HelpOfFlag {
  std::string name;
  bool takes_value = false;  // not a switch
  std::string text;          // on one line
};

std::string help_of(const std::string& provider) {
  const support::TemporaryFolder folder("ccm-help");
  support::Process program({support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                            "--cloud-provider=" + provider, "--help"},
                           {folder.path() / "help", {}});
  const auto ended = program.wait(std::chrono::seconds(30));
  EXPECT_TRUE(ended && ended->code == 0) << program.log();
  return program.log();
}

std::vector<HelpOfFlag> flags_in(const std::string& help) {
  std::vector<HelpOfFlag> flags;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dashes = line.find("--");
    if (dashes == 6) {
      const std::string head = line.substr(dashes + 2);
      const std::size_t end = std::min(head.find_first_of(" ["), head.size());
      flags.push_back({head.substr(0, end), head.find(' ') != std::string::npos, ""});
    } else if (line.starts_with("                ") && !flags.empty()) {
      flags.back().text += (flags.back().text.empty() ? "" : " ") + line.substr(16);
    }
  }
  return flags;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Help, TellsOfEachFlagWhatItMeansWhenItIsUnset) {
  for (const char* provider : {"sandbox", "digitalocean"}) {
    const auto flags = flags_in(help_of(provider));
    EXPECT_GT(flags.size(), 90U);
    for (const HelpOfFlag& flag : flags) {
      EXPECT_FALSE(flag.text.empty()) << flag.name << " has no text";
      EXPECT_FALSE(has(flag.text, "mpty:")) << flag.name << " says it in another way";
      if (!flag.takes_value) continue;
      EXPECT_TRUE(has(flag.text, "If unset, ") || has(flag.text, "(default ") ||
                  has(flag.text, "No effect: ") || has(flag.text, "Required."))
          << flag.name << ": " << flag.text;
    }
  }
}

TEST(Help, TellsWhatThePluginMakesOfAFlagThatTheHostHasToo) {
  for (const HelpOfFlag& flag : flags_in(help_of("sandbox"))) {
    if (flag.name != "concurrent-node-syncs" && flag.name != "concurrent-service-syncs") continue;
    EXPECT_TRUE(has(flag.text, "If unset, 64")) << flag.text;
    EXPECT_FALSE(has(flag.text, "(default")) << flag.text;
  }
}

TEST(Help, HOST_139_NamesTheGatesThatDoSomethingWithTheirDefaults) {
  std::string text;
  for (const HelpOfFlag& flag : flags_in(help_of("sandbox"))) {
    if (flag.name == "feature-gates") text = flag.text;
  }
  for (const char* gate :
       {"AllAlpha", "AllBeta",
        "CloudControllerManagerWatchBasedRoutesReconciliation (alpha, default=false)",
        "CoordinatedLeaderElection (beta, default=false)",
        "LoggingAlphaOptions (alpha, default=false)", "LoggingBetaOptions (beta, default=true)"}) {
    EXPECT_TRUE(has(text, gate)) << gate << ": " << text;
  }
  EXPECT_FALSE(has(text, "ContextualLogging")) << "it does nothing here: " << text;
}

}  // namespace
}  // namespace ccm::e2e
