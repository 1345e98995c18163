#include "openstack/config/cloud_conf.hpp"

#include "openstack/config/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack {
namespace {

using Lines = std::vector<std::string>;

const std::string kHead = "[Global]\nauth-url = http://keystone\n";

CloudConf read(const std::string& text) {
  auto conf = read_cloud_conf(kHead + text);
  EXPECT_TRUE(conf.ok()) << conf.status().message();
  return conf.ok() ? *std::move(conf) : CloudConf();
}

std::string cloud_conf_fault_of(const std::string& text) {
  const auto conf = read_cloud_conf(kHead + text);
  return conf.ok() ? "" : conf.status().message();
}

TEST(CloudConfTest, DefaultsAreThoseOfTheGoManager) {
  const Settings settings = read("").settings;
  EXPECT_EQ(settings.metadata.search_order, "configDrive,metadataService");
  EXPECT_EQ(settings.metadata.request_timeout, milliseconds(60'000));
  const LoadBalancerSettings& options = settings.load_balancer;
  EXPECT_TRUE(options.enabled && options.cascade_delete);
  EXPECT_FALSE(options.create_monitor || options.internal_lb || options.manage_security_groups);
  EXPECT_EQ(options.lb_provider, "amphora");
  EXPECT_EQ(options.lb_method, "ROUND_ROBIN");
  EXPECT_EQ(options.monitor_delay, milliseconds(5'000));
  EXPECT_EQ(options.monitor_timeout, milliseconds(3'000));
  EXPECT_EQ(options.monitor_max_retries, 1U);
  EXPECT_EQ(options.monitor_max_retries_down, 3U);
  EXPECT_EQ(options.max_shared_lb, 2);
  EXPECT_EQ(options.ingress_hostname_suffix, "nip.io");
  EXPECT_EQ(options.container_store, "barbican");
}

// The table has an option for each member of the settings: each one is set, and none of them twice.
template <typename T>
std::string all_of(std::string_view section, std::span<const Option<T>> options) {
  std::string text = "[" + std::string(section) + "]\n";
  for (const Option<T>& option : options) {
    const size_t kind =
        option.member.index();  // text, secret, boolean, int, unsigned, duration, list
    const std::string own = option.name == "os-endpoint-type" ? "internal"
                            : option.name == "search-order"   ? "metadataService"
                            : option.name == "lb-version"     ? "v2"
                            : option.name == "enabled" || option.name == "cascade-delete" ? "false"
                                                                                          : "";
    const std::string value = !own.empty()             ? own
                              : kind == 2              ? "true"
                              : kind == 3 || kind == 4 ? "7"
                              : kind == 5              ? "17s"
                                                       : "value of " + std::string(option.name);
    text += std::string(option.name) + " = \"" + value + "\"\n";
  }
  return text;
}

template <typename T>
void expect_all_set(std::span<const Option<T>> options, const T& settings) {
  const T defaults;
  for (const Option<T>& option : options) {
    std::visit(
        [&](auto member) { EXPECT_FALSE(settings.*member == defaults.*member) << option.name; },
        option.member);
  }
}

TEST(CloudConfTest, OS_14_EveryOptionIsReadInQuotes) {
  const auto conf = read_cloud_conf(
      all_of(kGlobal, global_options()) + all_of(kNetworking, networking_options()) +
      all_of(kMetadata, metadata_options()) + all_of(kRoute, route_options()) +
      all_of(kLoadBalancer, load_balancer_options()) +
      all_of("LoadBalancerClass \"gold\"", load_balancer_class_options()));
  ASSERT_TRUE(conf.ok()) << conf.status().message();
  expect_all_set(global_options(), conf->settings.global);
  expect_all_set(networking_options(), conf->settings.networking);
  expect_all_set(metadata_options(), conf->settings.metadata);
  expect_all_set(route_options(), conf->settings.route);
  expect_all_set(load_balancer_options(), conf->settings.load_balancer);
  expect_all_set(load_balancer_class_options(), conf->settings.load_balancer_classes.at("gold"));
  EXPECT_EQ(conf->settings.global.password.reveal(), "value of password");
  EXPECT_EQ(conf->settings.load_balancer.monitor_delay, milliseconds(17'000));
}

TEST(CloudConfTest, OS_21_33_34_NamesIgnoreCaseTheLastValueCountsListsGrow) {
  const CloudConf conf = read(
      "REGION = one\n[NETWORKING]\npublic-network-name = a\n[networking]\nPublic-Network-Name = "
      "b\ninternal-network-name = x\n"
      "internal-network-name\ninternal-network-name = y\n[global]\nregion = two\n"
      "[LoadBalancerClass \"Gold\"]\nsubnet-id = s\n[loadbalancerclass \"gold\"]\nnetwork-id = n\n"
      "[LoadBalancerClass \"Gold\"]\nnetwork-id = m\n");
  EXPECT_EQ(conf.warnings, Lines());
  EXPECT_EQ(conf.settings.global.region, "two");
  EXPECT_EQ(conf.settings.networking.public_network_name, (Lines{"a", "b"}));
  EXPECT_EQ(conf.settings.networking.internal_network_name, Lines{"y"});
  ASSERT_EQ(conf.settings.load_balancer_classes.size(), 2U);
  EXPECT_EQ(conf.settings.load_balancer_classes.at("Gold").subnet_id, "s");
  EXPECT_EQ(conf.settings.load_balancer_classes.at("Gold").network_id, "m");
  EXPECT_EQ(conf.settings.load_balancer_classes.at("gold").network_id, "n");
}

TEST(CloudConfTest, OS_27_ABooleanWithoutValueIsTrue) {
  EXPECT_TRUE(read("[LoadBalancer]\ncreate-monitor\n").settings.load_balancer.create_monitor);
}

TEST(CloudConfTest, OS_35_37_39_114_137_WhatIsUnknownIsAWarningWithTheNearestName) {
  const CloudConf conf = read(
      "regoin = x\n[LoadBalancer]\nuse-octavia = true\nsubnetid = y\nzebra = 1\n[LoadBalancr]\na = "
      "b\n"
      "[LoadBalancer \"gold\"]\nsubnet-id = z\n[LoadBalancerClass]\nsubnet-id = "
      "z\n[BlockStorage]\nanything = 1\n");
  EXPECT_EQ(
      conf.warnings,
      (Lines{
          "line 3: unknown option [Global] regoin (did you mean region?)",
          "line 5: [LoadBalancer] use-octavia is no option any more and has no effect",
          "line 6: unknown option [LoadBalancer] subnetid (did you mean subnet-id?)",
          "line 7: unknown option [LoadBalancer] zebra",
          "line 8: unknown section [LoadBalancr] (did you mean LoadBalancer?)",
          "line 10: [LoadBalancer \"gold\"] has no effect: only LoadBalancerClass has names",
          "line 12: [LoadBalancerClass] without a name in quotes cannot be chosen by a Service"}));
  EXPECT_EQ(conf.settings.load_balancer.subnet_id, "");
}

TEST(CloudConfTest, OS_36_AWrongValueNamesLineSectionAndOption) {
  for (const auto& [text, fault] : std::vector<std::pair<std::string, std::string>>{
           {"[LoadBalancer]\ncreate-monitor = maybe",
            "line 4: [LoadBalancer] create-monitor: \"maybe\" is neither true nor false"},
           {"[LoadBalancer]\ncreate-monitor =",
            "line 4: [LoadBalancer] create-monitor: \"\" is neither true nor false"},
           {"[LoadBalancer]\nmonitor-delay = 5",
            "line 4: [LoadBalancer] monitor-delay: \"5\" is no duration: the unit is missing, as "
            "in 5s"},
           {"[LoadBalancer]\nmonitor-delay",
            "line 4: [LoadBalancer] monitor-delay: \"\" is no duration, as in 30s"},
           {"[LoadBalancer]\nmax-shared-lb = two",
            "line 4: [LoadBalancer] max-shared-lb: \"two\" is no whole number"},
           {"[LoadBalancer]\nmonitor-max-retries = -1",
            "line 4: [LoadBalancer] monitor-max-retries: \"-1\" is out of range"},
           {"region", "line 3: [Global] region: has no value; write = after it"},
           {"password", "line 3: [Global] password: has no value; write = after it"},
       }) {
    EXPECT_EQ(cloud_conf_fault_of(text), fault);
  }
}

TEST(CloudConfTest, OS_38_AllFaultsAreNamedInOneLine) {
  EXPECT_EQ(cloud_conf_fault_of("[LoadBalancer]\nenabled = x\n[Metadata]\nrequest-timeout = y"),
            "line 4: [LoadBalancer] enabled: \"x\" is neither true nor false; "
            "line 6: [Metadata] request-timeout: \"y\" is no duration, as in 30s");
}

TEST(CloudConfTest, ALongValueIsCutAndStaysOnOneLine) {
  const std::string fault =
      cloud_conf_fault_of("[LoadBalancer]\nenabled = \"a\\nb" + std::string(1000, 'x') + "\"");
  EXPECT_LT(fault.size(), 200U);
  EXPECT_EQ(fault.find('\n'), std::string::npos);
}

TEST(CloudConfTest, OS_111_112_EmptyMeansTheDefault) {
  const CloudConf conf = read("[Metadata]\nsearch-order =\nrequest-timeout = 0\n");
  EXPECT_EQ(conf.settings.metadata, MetadataSettings());
}

}  // namespace
}  // namespace ccm::openstack
