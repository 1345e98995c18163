// Every flag of HOST-8..74: name, default, and that it lands in the right place.
#include "app/flags/options_flags.hpp"

#include "app/flags/options_command_line.hpp"
#include "base/log.hpp"
#include "base/version.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <utility>

namespace ccm::app {
namespace {

using Strings = std::vector<std::string>;

struct Expected {
  const char* name;
  const char* default_text;
};

constexpr Expected kUpstream[] = {
    {"allocate-node-cidrs", "false"},
    {"allow-untagged-cloud", "false"},
    {"cidr-allocator-type", "RangeAllocator"},
    {"cloud-config", ""},
    {"cloud-provider", ""},
    {"cluster-cidr", ""},
    {"cluster-name", "kubernetes"},
    {"configure-cloud-routes", "true"},
    {"controller-start-interval", "0s"},
    {"controllers", "*"},
    {"external-cloud-volume-plugin", ""},
    {"feature-gates", ""},
    {"kube-api-burst", "30"},
    {"kube-api-content-type", "application/vnd.kubernetes.protobuf"},
    {"kube-api-qps", "20"},
    {"leader-elect", "true"},
    {"leader-elect-lease-duration", "15s"},
    {"leader-elect-renew-deadline", "10s"},
    {"leader-elect-retry-period", "2s"},
    {"leader-elect-resource-lock", "leases"},
    {"leader-elect-resource-name", "cloud-controller-manager"},
    {"leader-elect-resource-namespace", "kube-system"},
    {"min-resync-period", "12h0m0s"},
    {"node-monitor-period", "5s"},
    {"node-sync-period", "0s"},
    {"route-reconciliation-period", "10s"},
    {"use-service-account-credentials", "false"},
    {"concurrent-node-syncs", "1"},
    {"concurrent-node-status-updates", "0"},
    {"concurrent-node-lifecycle-syncs", "1"},
    {"concurrent-service-syncs", "1"},
    {"node-status-update-frequency", "5m0s"},
    {"master", ""},
    {"kubeconfig", ""},
    {"profiling", "true"},
    {"contention-profiling", "false"},
    {"enable-leader-migration", "false"},
    {"leader-migration-config", ""},
    {"webhooks", ""},
    {"webhook-bind-address", "0.0.0.0"},
    {"webhook-secure-port", "10260"},
    {"webhook-cert-dir", ""},
    {"webhook-tls-cert-file", ""},
    {"webhook-tls-private-key-file", ""},
    {"webhook-tls-cipher-suites", ""},
    {"webhook-tls-min-version", ""},
    {"webhook-tls-curve-preferences", ""},
    {"webhook-tls-sni-cert-key", ""},
    {"webhook-disable-http2-serving", "false"},
    {"bind-address", "0.0.0.0"},
    {"secure-port", "10258"},
    {"cert-dir", ""},
    {"tls-cert-file", ""},
    {"tls-private-key-file", ""},
    {"tls-cipher-suites", ""},
    {"tls-min-version", ""},
    {"tls-curve-preferences", ""},
    {"tls-sni-cert-key", ""},
    {"http2-max-streams-per-connection", "0"},
    {"disable-http2-serving", "false"},
    {"permit-port-sharing", "false"},
    {"permit-address-sharing", "false"},
    {"authentication-kubeconfig", ""},
    {"authentication-skip-lookup", "false"},
    {"authentication-tolerate-lookup-failure", "false"},
    {"authentication-token-webhook-cache-ttl", "10s"},
    {"client-ca-file", ""},
    {"requestheader-username-headers", "x-remote-user"},
    {"requestheader-group-headers", "x-remote-group"},
    {"requestheader-extra-headers-prefix", "x-remote-extra-"},
    {"requestheader-uid-headers", ""},
    {"requestheader-client-ca-file", ""},
    {"requestheader-allowed-names", ""},
    {"authorization-kubeconfig", ""},
    {"authorization-always-allow-paths", "/healthz,/readyz,/livez"},
    {"authorization-webhook-cache-authorized-ttl", "10s"},
    {"authorization-webhook-cache-unauthorized-ttl", "10s"},
    {"v", "0"},
    {"vmodule", ""},
    {"log-flush-frequency", "5s"},
    {"logging-format", "text"},
    {"log-text-split-stream", "false"},
    {"log-text-info-buffer-size", "0"},
    {"log-json-split-stream", "false"},
    {"log-json-info-buffer-size", "0"},
    {"version", "false"},
    {"help", "false"},
};

TEST(HostFlags, HOST_8_to_74_EveryFlagHasItsDefault) {
  const CommandLine line;
  for (const Expected& flag : kUpstream) {
    EXPECT_EQ(line.flag_text(flag.name), flag.default_text) << flag.name;
    EXPECT_FALSE(line.is_set(flag.name));
  }
  EXPECT_EQ(line.flag_text("no-such-flag"), std::nullopt);
}

// Flags that Go's managers do not have.
constexpr std::string_view kOwn[] = {"additional-pod-cidrs",
                                     "allow-plaintext-cloud-credentials",
                                     "plugin-path",
                                     "plugin-sha256",
                                     "plugin-sha256-file",
                                     "deletion-brake-percent",
                                     "deletion-brake-minimum",
                                     "deletion-brake-window",
                                     "deletion-brake-hold",
                                     "load-balancer-change-burst",
                                     "load-balancer-change-period",
                                     "load-balancer-namespace-burst",
                                     "load-balancer-namespace-period",
                                     "load-balancer-replacement-window",
                                     "dry-run",
                                     "dry-run-output",
                                     "dry-run-timeout",
                                     "record"};

TEST(HostFlags, NoFlagBesidesUpstreamsAndThese) {
  Options options;
  FlagSet flags;
  add_host_flags(flags, options);
  for (const Flag* flag : flags.sorted()) {
    const bool known = std::any_of(std::begin(kUpstream), std::end(kUpstream),
                                   [flag](const Expected& e) { return flag->name == e.name; });
    const bool own = std::find(std::begin(kOwn), std::end(kOwn), flag->name) != std::end(kOwn);
    EXPECT_NE(known, own) << flag->name;
  }
  EXPECT_EQ(flags.sorted().size(), std::size(kUpstream) + std::size(kOwn));
}

// A value that differs from the default, by type.
std::string other_value(const Flag& flag) {
  const std::string_view type = flag.value->type();
  if (flag.name == "feature-gates") return "LoggingAlphaOptions=true";
  if (flag.name == "version") return "raw";
  if (flag.name == "dry-run") return "client";
  if (flag.name == "dry-run-output") return "json";
  if (flag.name.ends_with("sni-cert-key")) return "a.crt,a.key:example.com";
  if (type == "bool") return flag.default_text == "true" ? "false" : "true";
  if (type == "int" || type == "ints" || type == "float") return "7";
  if (type == "duration") return "7m0s";
  if (type == "ip") return "127.0.0.1";
  if (type == "quantity") return "7Ki";
  return "other";
}

TEST(HostFlags, EveryFlagTakesAValueOfItsOwn) {
  Options options;
  FlagSet flags;
  add_host_flags(flags, options);
  for (const Flag* flag : flags.sorted()) {
    const std::string value = other_value(*flag);
    const Strings arguments{"--" + flag->name + "=" + value};
    ASSERT_TRUE(flags.parse(arguments).ok()) << flag->name;
    for (const Flag* each : flags.sorted()) {  // no other flag shares the variable
      const bool done = each->set;
      EXPECT_EQ(each->value->text(), done ? other_value(*each) : each->default_text)
          << each->name << " after " << flag->name;
    }
  }
}

TEST(HostFlags, ValuesLandInTheOptionsTree) {
  CommandLine line;
  const Strings arguments{"--cloud-provider=sandbox",
                          "--leader-elect=false",
                          "--kube_api_qps=50",
                          "-v=4",
                          "--node-status-update-frequency=1m",
                          "--tls-sni-cert-key=a,b:x,y",
                          "--tls-sni-cert-key=c,d",
                          "--controllers=*,-route"};
  ASSERT_TRUE(line.parse(arguments).ok());
  const Options& options = line.options();
  EXPECT_EQ(options.kube_cloud_shared.cloud_provider, "sandbox");
  EXPECT_FALSE(options.leader_election.leader_elect);
  EXPECT_EQ(options.client_connection.qps, 50);
  EXPECT_EQ(options.logging.verbosity, 4);
  EXPECT_EQ(options.node_controller.node_status_update_frequency, std::chrono::minutes(1));
  ASSERT_EQ(options.secure_serving.tls.sni.size(), 2U);
  EXPECT_EQ(options.secure_serving.tls.sni[0].patterns, Strings({"x", "y"}));
  EXPECT_EQ(options.generic.controllers, Strings({"*", "-route"}));
  EXPECT_EQ(line.flag_text("tls-sni-cert-key"), "a,b:x,y;c,d");
}

TEST(HostFlags, PluginsAreFoundBeforeTheirFlagsAreKnown) {
  const Strings arguments{"--node-cidr-mask-size",
                          "24",
                          "--cloud-provider",
                          "sandbox",
                          "--bad=1",
                          "--plugin-path=/a,/b",
                          "--plugin_path=/c",
                          "--v=x"};
  const EarlyOptions early = read_early(arguments);
  EXPECT_EQ(early.cloud_provider, "sandbox");
  EXPECT_EQ(early.plugin_paths, Strings({"/a", "/b", "/c"}));
}

TEST(HostFlags, HOST_74_Version) {
  const std::string version(ccm::version().text);
  EXPECT_EQ(version_text("ccm", "false"), std::nullopt);
  EXPECT_EQ(version_text("ccm", "v1.2.3"), std::nullopt);
  EXPECT_EQ(version_text("ccm", "true"), "ccm " + version + "\n");
  const auto raw = version_text("ccm", "raw");
  ASSERT_TRUE(raw);
  EXPECT_NE(raw->find("GitVersion:\"" + version + "\""), std::string::npos);
  for (const auto& [argument, ok] : {std::pair<std::string, bool>{"--version", true},
                                     {"--version=raw", true},
                                     {"--version=" + version, true},
                                     {"--version=" + version + "-rc.1+abc", true},
                                     {"--version=v999.36.3", false},
                                     {"--version=" + version.substr(1), false},
                                     {"--version=v1.36", false},
                                     {"--version=vx.y.z", false},
                                     {"--version=maybe", false}}) {
    CommandLine line;
    const Strings arguments{argument};
    EXPECT_EQ(line.parse(arguments).ok(), ok) << argument;
  }
}

TEST(HostFlags, HelpHasTheGroups) {
  const CommandLine line;
  const std::string help = line.help("cloud-controller-manager");
  for (const char* section :
       {"Generic flags:", "Node controller flags:", "Node lifecycle controller flags:",
        "Service controller flags:", "Kube API flags:", "Leader election flags:",
        "Secure serving flags:", "Authentication flags:", "Authorization flags:", "Webhook flags:",
        "Logging flags:", "Misc flags:"}) {
    EXPECT_NE(help.find(section), std::string::npos) << section;
  }
  EXPECT_NE(help.find("      --leader-elect-lease-duration duration\n"), std::string::npos);
}

// The table of docs/from-go-managers.md: flag, or its beginning and "*", and why.
std::vector<std::pair<std::string, std::string>> flags_without_effect() {
  std::ifstream page(CCM_OPERATORS_PAGE);
  std::vector<std::pair<std::string, std::string>> rows;
  bool table = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "| flag | why |") {
      table = true;
    } else if (table && line.starts_with("| `--")) {
      const auto end = line.find("` | ");
      rows.emplace_back(line.substr(5, end - 5), line.substr(end + 4, line.size() - end - 6));
    } else if (table && !line.starts_with("|")) {
      break;
    }
  }
  return rows;
}

TEST(HostFlags, ThoseWithoutEffectStandInTheDocs) {
  const auto rows = flags_without_effect();
  ASSERT_FALSE(rows.empty());
  Options options;
  FlagSet flags;
  add_host_flags(flags, options);
  std::set<std::string> used;
  for (const Flag* flag : flags.sorted()) {
    std::string why;
    for (const auto& [name, reason] : rows) {
      const bool prefix = name.ends_with('*');
      if (prefix ? flag->name.starts_with(name.substr(0, name.size() - 1)) : flag->name == name) {
        why = reason;
        used.insert(name);
      }
    }
    EXPECT_EQ(why_without_effect(flag->name), why) << flag->name;
  }
  EXPECT_EQ(used.size(), rows.size());
}

TEST(HostFlags, HOST_4_LogsFlagsAndWhatHasNoEffectYet) {
  Strings lines;
  log::redirect([&lines](std::string_view text) { lines.emplace_back(text); });
  const auto count = [&lines](std::string_view text) {
    return std::count_if(lines.begin(), lines.end(), [text](const std::string& candidate) {
      return candidate.find(text) != std::string::npos;
    });
  };
  CommandLine line;
  const Strings arguments{"--contention-profiling",
                          "--webhook-secure-port=0",
                          "--allow-untagged-cloud",
                          "--feature-gates=WatchList=true",
                          "--v=0",
                          "--master=https://user:hidden@host"};
  ASSERT_TRUE(line.parse(arguments).ok());
  line.log_flags();
  EXPECT_EQ(lines.size(), 4U);
  EXPECT_EQ(count("flag=\"--contention-profiling\""), 1);
  EXPECT_EQ(count("flag=\"--webhook-secure-port\""), 1);
  EXPECT_EQ(count("\"Flag is deprecated\" flag=\"--allow-untagged-cloud\""), 1);
  EXPECT_EQ(count("gate=\"WatchList\""), 1);
  log::set_verbosity(1);
  line.log_flags();
  EXPECT_EQ(count("name=\"--leader-elect-lease-duration\" value=\"15s\""), 1);
  EXPECT_EQ(count("name=\"--master\" value=\"https://[redacted]@host\""), 1);
  EXPECT_EQ(count("hidden"), 0);
  log::set_verbosity(0);
  log::redirect({});
}

}  // namespace
}  // namespace ccm::app
