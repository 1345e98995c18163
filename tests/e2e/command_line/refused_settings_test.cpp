// Each setting that is refused is one line, which names the setting and what would be right, and
// ends the process with the exit code of docs/reference/exit-codes.md.
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/suite_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace ccm::e2e {
namespace {

constexpr int kBadOptions = 1;  // refused before anything is contacted
constexpr int kRefused = 255;   // by the provider or a controller

struct Refusal {
  const char* name;
  std::string provider;
  std::vector<std::string> flags;
  std::map<std::string, std::string> environment;
  std::string config;  // content of --cloud-config; empty: the sandbox's, which is good
  int code = kBadOptions;
  std::vector<std::string> parts;  // of the line
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

std::vector<Refusal> refusals() {
  const std::string sandbox = "sandbox";
  const std::string digitalocean = "digitalocean";
  return {
      {"UnknownFlag",
       sandbox,
       {"--no-such-flag=1"},
       {},
       "",
       kBadOptions,
       {"unknown flag --no-such-flag"}},
      {"MisspeltFlag",
       sandbox,
       {"--cluster-nme=a"},
       {},
       "",
       kBadOptions,
       {"--cluster-nme", "did you mean --cluster-name?"}},
      {"Duration",
       sandbox,
       {"--node-monitor-period=5"},
       {},
       "",
       kBadOptions,
       {"invalid value \"5\" for --node-monitor-period", "a duration such as"}},
      {"LeaderMigrationFile",
       sandbox,
       {"--leader-elect=true", "--enable-leader-migration",
        "--leader-migration-config=/nowhere/migration.yaml"},
       {},
       "",
       kBadOptions,
       {"--leader-migration-config", "/nowhere/migration.yaml"}},
      {"Port",
       sandbox,
       {"--secure-port=70000"},
       {},
       "",
       kBadOptions,
       {"--secure-port", "from 0 to 65535", "70000"}},
      {"Controller",
       sandbox,
       {"--controllers=*,clod-node"},
       {},
       "",
       kBadOptions,
       {"--controllers", "clod-node", "did you mean cloud-node?"}},
      {"Provider", "sandbx", {}, {}, "", kBadOptions, {"sandbx"}},
      {"PluginFlag",
       sandbox,
       {"--refresh-node-labels=some"},
       {},
       "",
       kBadOptions,
       {"invalid value \"some\" for --refresh-node-labels", "one of true,false,all"}},
      {"LimitOfAPlugin",
       sandbox,
       {"--concurrent-service-syncs=0"},
       {},
       "",
       kBadOptions,
       {"--concurrent-service-syncs", "at least 1", "is 0"}},
      {"FlagOfAnotherProvider",
       sandbox,
       {"--digitalocean-region=nyc3"},
       {},
       "",
       kBadOptions,
       {"unknown flag --digitalocean-region", "ccm.provider-digitalocean",
        "--cloud-provider is \"sandbox\""}},
      {"Variable",
       digitalocean,
       {},
       {{"DEFAULT_LB_TYPE", "REGIONALL"}},
       "",
       kBadOptions,
       {"\"REGIONALL\"", "environment variable DEFAULT_LB_TYPE", "did you mean REGIONAL?"}},
      {"MissingCloudConfig",
       sandbox,
       {"--cloud-config=/nowhere/cloud.json"},
       {},
       "",
       kRefused,
       {"--cloud-config", "/nowhere/cloud.json"}},
      {"CloudConfigIsNoJson",
       sandbox,
       {},
       {},
       "{",
       kRefused,
       {"provider sandbox: ", "CloudConfigIsNoJson-cloud.json: "}},
      {"CloudConfigField",
       sandbox,
       {},
       {},
       R"({"endpoint":"http://127.0.0.1:1","zones":[]})",
       kRefused,
       {"provider sandbox", "zones"}},
      {"TableOfClasses",
       sandbox,
       {"--load-balancer-classes=/nowhere/classes.json"},
       {},
       "",
       kRefused,
       {"--load-balancer-classes", "/nowhere/classes.json"}},
      {"Adoption",
       sandbox,
       {"--load-balancer-adoption=web"},
       {},
       "",
       kRefused,
       {"--load-balancer-adoption", "web"}},
      {"NoRange",
       sandbox,
       {"--configure-cloud-routes=true"},
       {},
       "",
       kRefused,
       {"controller node-route-controller: --cluster-cidr is empty",
        "--configure-cloud-routes=false"}},
      {"Token",
       digitalocean,
       {},
       {{"DO_ACCESS_TOKEN", ""}},
       "",
       kRefused,
       {"provider digitalocean: environment variable", "DO_ACCESS_TOKEN"}},
      {"Firewall",
       digitalocean,
       {},
       {{"PUBLIC_ACCESS_FIREWALL_NAME", "public"}},
       "",
       kRefused,
       {"provider digitalocean: ", "PUBLIC_ACCESS_FIREWALL_TAGS"}},
      {"Rate",
       digitalocean,
       {},
       {{"DO_API_RATE_LIMIT_QPS", "fast"}},
       "",
       kRefused,
       {"provider digitalocean: ", "DO_API_RATE_LIMIT_QPS", "\"fast\""}},
      {"Url",
       digitalocean,
       {},
       {{"DO_OVERRIDE_URL", "api.example"}},
       "",
       kRefused,
       {"provider digitalocean: ", "DO_OVERRIDE_URL", "api.example"}},
      {"TargetTag",
       digitalocean,
       {"--digitalocean-target-tag=no tag"},
       {},
       "",
       kRefused,
       {"provider digitalocean: ", "--digitalocean-target-tag", "no tag"}},
  };
}

using RefusedSetting = support::SuiteWorld<Refusal>;

// A refusal before the log is there, or a line of level warning or above.
bool complains(const std::string& line) {
  return line.starts_with("Error: ") || line.starts_with('W') || line.starts_with('E');
}

TEST_P(RefusedSetting, IsOneLineThatNamesIt) {
  const Refusal& wanted = GetParam();
  std::string config = cloud().config();
  if (!wanted.config.empty()) {
    config = folder() / (std::string(wanted.name) + "-cloud.json");
    support::write_file(config, wanted.config);
  }
  std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                      "--kubeconfig=" + server().manager_kubeconfig().string(),
                                      "--cloud-provider=" + wanted.provider,
                                      "--secure-port=0",
                                      "--leader-elect=false",
                                      "--configure-cloud-routes=false"};
  if (wanted.provider == "sandbox") command.push_back("--cloud-config=" + config);
  command.insert(command.end(), wanted.flags.begin(), wanted.flags.end());
  std::map<std::string, std::string> environment = {
      {"KUBECONFIG", ""}, {"HOME", ""}, {"DO_ACCESS_TOKEN", "dop_v1_test"}};
  for (const auto& [name, value] : wanted.environment) environment[name] = value;
  support::Process manager(
      command, {folder() / (std::string(wanted.name) + ".log"), std::move(environment)});
  const auto ended = manager.wait(support::patience());
  ASSERT_TRUE(ended) << "it goes on:\n" << manager.log();
  EXPECT_EQ(ended->code, wanted.code) << manager.log();

  std::vector<std::string> complaints;
  std::istringstream lines(manager.log());
  for (std::string line; std::getline(lines, line);) {
    if (complains(line)) complaints.push_back(line);
  }
  ASSERT_EQ(complaints.size(), 1U) << manager.log();
  // Inside of a log line quotes are escaped.
  std::string line = complaints[0];
  line.erase(std::remove(line.begin(), line.end(), '\\'), line.end());
  for (const std::string& part : wanted.parts) {
    EXPECT_NE(line.find(part), std::string::npos) << part << "\n" << line;
  }
  const auto named = [&line](const std::string& text) {
    const std::size_t first = line.find(text);
    return first != std::string::npos && line.find(text, first + 1) != std::string::npos;
  };
  EXPECT_FALSE(named("provider " + wanted.provider + ":")) << "told twice: " << line;
}

INSTANTIATE_TEST_SUITE_P(Settings, RefusedSetting, testing::ValuesIn(refusals()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ccm::e2e
