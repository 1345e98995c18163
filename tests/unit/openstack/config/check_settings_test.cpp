#include "openstack/config/check_settings.hpp"

#include "openstack/config/cloud_conf.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack {
namespace {

using Lines = std::vector<std::string>;

const std::string kSettingsHead = "[Global]\nauth-url = http://keystone\n";

Lines warnings_of(const std::string& text) {
  const auto conf = read_cloud_conf(kSettingsHead + text);
  return conf.ok() ? conf->warnings : Lines{"FAULT " + conf.status().message()};
}

std::string settings_fault_of(const std::string& text) {
  const auto conf = read_cloud_conf(text);
  return conf.ok() ? "" : conf.status().message();
}

TEST(CheckSettingsTest, OS_40_KeystonesUrlIsNeeded) {
  EXPECT_EQ(settings_fault_of(""), "[Global] auth-url is missing: the URL of Keystone");
  EXPECT_EQ(settings_fault_of("[Global]\nuse-clouds = true"), "");
  EXPECT_EQ(settings_fault_of("[Global]\ncloud = mine"), "");
}

TEST(CheckSettingsTest, OS_40_WhatIsMissingIsOftenThereUnderAMisspeltName) {
  EXPECT_EQ(settings_fault_of("[Global]\nauth-ulr = http://keystone\n"),
            "[Global] auth-url is missing: the URL of Keystone; line 2: unknown option [Global] "
            "auth-ulr (did you mean auth-url?)");
}

TEST(CheckSettingsTest, OS_9_41_111_116_WhatEndsTheGoManagerIsAFault) {
  EXPECT_EQ(
      settings_fault_of(kSettingsHead + "os-endpoint-type = internalURL"),
      "line 3: [Global] os-endpoint-type: \"internalURL\" is none of public, internal or admin "
      "(did you mean internal?)");
  EXPECT_EQ(settings_fault_of(kSettingsHead + "os-endpoint-type = Internal"),
            "line 3: [Global] os-endpoint-type: \"Internal\" is none of public, internal or admin "
            "(did you mean internal?)");
  EXPECT_EQ(settings_fault_of(kSettingsHead + "[LoadBalancer]\nlb-version = v1"),
            "line 4: [LoadBalancer] lb-version: \"v1\" does not exist: only v2 does");
  EXPECT_EQ(settings_fault_of(kSettingsHead + "[LoadBalancer]\nenabled = no\nlb-version = v1"), "");
  EXPECT_EQ(settings_fault_of(kSettingsHead + "[Metadata]\nsearch-order = metadataservice"),
            "line 4: [Metadata] search-order: \"metadataservice\" is none of configDrive or "
            "metadataService "
            "(did you mean metadataService?)");
  EXPECT_EQ(
      settings_fault_of(kSettingsHead +
                        "[Metadata]\nsearch-order = configDrive, metadataService ,configDrive"),
      "line 4: [Metadata] search-order: more than 2 sources");
  EXPECT_EQ(
      settings_fault_of(kSettingsHead + "[Metadata]\nsearch-order = metadataService, configDrive"),
      "");
}

TEST(CheckSettingsTest, OS_49_50_WhatHasNoEffectIsAWarning) {
  EXPECT_EQ(
      warnings_of("tls-insecure = True\ncert-file = /c"),
      (Lines{
          "line 3: [Global] tls-insecure: \"True\" leaves verification on: only true turns it off",
          "line 4: [Global] cert-file: has no effect without key-file"}));
  EXPECT_EQ(warnings_of("key-file = /k"),
            Lines{"line 3: [Global] key-file: has no effect without cert-file"});
  EXPECT_EQ(warnings_of("tls-insecure = true\ncert-file = /c\nkey-file = /k"), Lines());
}

TEST(CheckSettingsTest, OS_110_RangesThatAreNoneAreLeftOut) {
  EXPECT_EQ(warnings_of(
                "[Networking]\naddress-sort-order = \"10.0.0.0/8, 10.1, fd00::/8 192.168.0.0/33\""),
            (Lines{"line 4: [Networking] address-sort-order: \"10.1\" is no CIDR and is left out",
                   "line 4: [Networking] address-sort-order: \"192.168.0.0/33\" is no CIDR and is "
                   "left out"}));
}

TEST(CheckSettingsTest, OS_117_118_131_UnknownWordsAreWarnings) {
  EXPECT_EQ(
      warnings_of(
          "[LoadBalancer]\nlb-provider = amfora\nlb-method = ROUNDROBIN\ncontainer-store = vault"),
      (Lines{"line 4: [LoadBalancer] lb-provider: \"amfora\" is none of amphora, octavia, ovn, f5 "
             "or amphorav2 "
             "(did you mean amphora?)",
             "line 5: [LoadBalancer] lb-method: \"ROUNDROBIN\" is none of ROUND_ROBIN, "
             "LEAST_CONNECTIONS, "
             "SOURCE_IP or SOURCE_IP_PORT (did you mean ROUND_ROBIN?)",
             "line 6: [LoadBalancer] container-store: \"vault\" is none of barbican or external; "
             "external is used"}));
  EXPECT_EQ(warnings_of("[LoadBalancer]\nlb-provider = ovn\nlb-method = ROUND_ROBIN"),
            Lines{"line 5: [LoadBalancer] lb-method: ROUND_ROBIN has no effect: the provider ovn "
                  "knows SOURCE_IP_PORT alone"});
}

TEST(CheckSettingsTest, OS_118_333_ADefaultThatNobodyWroteIsNoWarning) {
  EXPECT_EQ(warnings_of("[LoadBalancer]\nlb-provider = ovn"), Lines());
  EXPECT_EQ(warnings_of("[LoadBalancer]\nlb-provider = ovn\nlb-method = SOURCE_IP_PORT"), Lines());
}

TEST(CheckSettingsTest, OS_129_ASuffixThatIsNoNameIsAWarning) {
  EXPECT_EQ(warnings_of("[LoadBalancer]\nenable-ingress-hostname = true\n"
                        "ingress-hostname-suffix = Nip.io"),
            Lines{"line 5: [LoadBalancer] ingress-hostname-suffix: \"Nip.io\" is no DNS name in "
                  "lower case: Services get no names"});
}

TEST(CheckSettingsTest, OS_123_MonitorsCountSeconds) {
  EXPECT_EQ(warnings_of("[LoadBalancer]\nmonitor-delay = 500ms\nmonitor-timeout = "
                        "1500ms\nmonitor-max-retries = 0\n"
                        "monitor-max-retries-down = 11"),
            (Lines{"line 4: [LoadBalancer] monitor-delay: is below 1s, which Octavia refuses",
                   "line 5: [LoadBalancer] monitor-timeout: is cut down to whole seconds",
                   "line 6: [LoadBalancer] monitor-max-retries: is not between 1 and 10, which "
                   "Octavia refuses",
                   "line 7: [LoadBalancer] monitor-max-retries-down: is not between 1 and 10, "
                   "which Octavia refuses"}));
}

}  // namespace
}  // namespace ccm::openstack
