#include "openstack/config/clouds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::openstack {
namespace {

using Lines = std::vector<std::string>;

const char* const kOne = R"(
clouds:
  demo:
    auth:
      auth_url: https://keystone/v3
      username: demo
      password: secret
      project_name: shop
      user_domain_name: Default
      project_domain_id: default
    region_name: RegionOne
    interface: internal
    cacert: /ca.pem
    cert: /cert.pem
    key: /key.pem
)";

class CloudsTest : public ::testing::Test {
 protected:
  GlobalSettings merged(const std::string& os_cloud = "") {
    auto result = with_cloud(global, texts, os_cloud, warnings);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : GlobalSettings();
  }
  std::string refusal(const std::string& os_cloud = "") {
    const auto result = with_cloud(global, texts, os_cloud, warnings);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), Code::invalid_argument);
    return result.status().message();
  }

  CloudTexts texts{kOne, "", ""};
  GlobalSettings global;
  Lines warnings;
};

TEST_F(CloudsTest, OS_55_62_WhenTheFileIsWanted) {
  EXPECT_FALSE(wants_clouds({}));
  global.cloud = "demo";
  EXPECT_TRUE(wants_clouds(global));
  global = {};
  global.use_clouds = true;
  EXPECT_TRUE(wants_clouds(global));
}

TEST_F(CloudsTest, OS_60_WhatCloudConfLeavesEmptyIsTaken) {
  const GlobalSettings got = merged();
  EXPECT_EQ(got.auth_url, "https://keystone/v3");
  EXPECT_EQ(got.username, "demo");
  EXPECT_EQ(got.password.reveal(), "secret");
  EXPECT_EQ(got.tenant_name, "shop");
  EXPECT_EQ(got.user_domain_name, "Default");
  EXPECT_EQ(got.tenant_domain_id, "default");
  EXPECT_EQ(got.region, "RegionOne");
  EXPECT_EQ(got.os_endpoint_type, "internal");
  EXPECT_EQ(got.ca_file, "/ca.pem");
  EXPECT_EQ(got.cert_file, "/cert.pem");
  EXPECT_EQ(got.key_file, "/key.pem");
  EXPECT_EQ(got.tls_insecure, "");
}

TEST_F(CloudsTest, OS_60_AValueOfCloudConfWins) {
  global.username = "mine";
  global.password = Secret("own");
  global.region = "RegionTwo";
  const GlobalSettings got = merged();
  EXPECT_EQ(got.username, "mine");
  EXPECT_EQ(got.password.reveal(), "own");
  EXPECT_EQ(got.region, "RegionTwo");
  EXPECT_EQ(got.tenant_name, "shop");
  EXPECT_EQ(warnings, Lines());
}

TEST_F(CloudsTest, OS_62_WithTheOptionCloudTheLogInIsThatOfTheEntry) {
  global.cloud = "demo";
  global.username = "mine";
  global.password = Secret("own");
  global.region = "RegionTwo";
  const GlobalSettings got = merged();
  EXPECT_EQ(got.username, "demo");
  EXPECT_EQ(got.password.reveal(), "secret");
  EXPECT_EQ(got.region, "RegionTwo");
  EXPECT_EQ(warnings, Lines({"[Global] cloud makes clouds.yaml decide on the log-in: without "
                             "effect are username, password"}));
}

TEST_F(CloudsTest, OS_57_WhichCloud) {
  texts.clouds = "clouds: {a: {auth: {auth_url: http://a}}, b: {auth: {auth_url: http://b}}}";
  EXPECT_EQ(merged("b").auth_url, "http://b");
  EXPECT_EQ(refusal(), "clouds.yaml: has several clouds: choose one by [Global] cloud: a, b");
  global.cloud = "a";
  EXPECT_EQ(merged("b").auth_url, "http://a");
}

TEST_F(CloudsTest, OS_57_63_ACloudThatIsMissingIsNamed) {
  global.cloud = "prod";
  EXPECT_EQ(refusal(),
            "clouds.yaml: there is no cloud prod as [Global] cloud names it, only: demo");
  global.cloud.clear();
  EXPECT_EQ(refusal("prod"),
            "clouds.yaml: there is no cloud prod as $OS_CLOUD names it, only: demo");
  texts.clouds = "";
  EXPECT_EQ(refusal(), "clouds.yaml: has no clouds");
}

TEST_F(CloudsTest, OS_58_AProfileLiesBelow) {
  for (const char* key : {"profile", "cloud"}) {
    texts.clouds =
        std::string("clouds: {demo: {") + key + ": vendor, auth: {username: u}, region_name: ''}}";
    texts.clouds_public =
        "public-clouds: {vendor: {auth: {auth_url: http://v, username: x}, region_name: V}}";
    const GlobalSettings got = merged();
    EXPECT_EQ(got.auth_url, "http://v");
    EXPECT_EQ(got.username, "u");
    EXPECT_EQ(got.region, "V");
    texts.clouds_public = "";
    EXPECT_EQ(refusal(), "clouds-public.yaml: there is no profile vendor");
  }
}

TEST_F(CloudsTest, OS_59_SecureYamlLiesAbove) {
  texts.secure = "clouds: {demo: {auth: {password: better, username: ''}}, other: {}}";
  const GlobalSettings got = merged();
  EXPECT_EQ(got.password.reveal(), "better");
  EXPECT_EQ(got.username, "demo");
}

TEST_F(CloudsTest, OS_62_DefaultDomain) {
  texts.clouds = "clouds: {d: {auth: {auth_url: u, default_domain: dom}}}";
  EXPECT_EQ(merged().domain_id, "dom");
  texts.clouds = "clouds: {d: {auth: {auth_url: u, default_domain: dom, domain_name: n}}}";
  EXPECT_EQ(merged().domain_id, "");
}

TEST_F(CloudsTest, OS_64_VerifyAndInterfaceCount) {
  texts.clouds =
      "clouds: {d: {auth: {auth_url: u}, verify: false, interface: admin, endpoint_type: "
      "publicURL}}";
  EXPECT_EQ(merged().tls_insecure, "true");
  EXPECT_EQ(merged().os_endpoint_type, "public");
  global.tls_insecure = "false";
  EXPECT_EQ(merged().tls_insecure, "false");
  texts.clouds = "clouds: {d: {auth: {auth_url: u}, interface: outer}}";
  EXPECT_EQ(refusal(), "clouds.yaml: interface: outer is none of public, internal, admin");
}

// The usual way to write a common part of several clouds.
TEST_F(CloudsTest, MergeKeysOfYaml) {
  texts.clouds = R"(
x-auth: &auth {auth_url: https://keystone/v3, username: demo, password: secret}
clouds:
  one: &one
    auth: {<<: *auth, username: mine}
    region_name: RegionOne
  two:
    <<: *one
    region_name: RegionTwo
)";
  const GlobalSettings got = merged("two");
  EXPECT_EQ(got.auth_url, "https://keystone/v3");
  EXPECT_EQ(got.username, "mine");
  EXPECT_EQ(got.password.reveal(), "secret");
  EXPECT_EQ(got.region, "RegionTwo");
  EXPECT_EQ(warnings, Lines());
}

TEST_F(CloudsTest, OS_61_WhatHasNoEffectIsNamed) {
  texts.clouds =
      "clouds: {d: {auth: {auth_url: u, trust_id: t, passcode: '', user_domain: x}, "
      "system_scope: all, auth_type: v3oidcpassword, identity_api_version: 3, verify: true, "
      "regions: [{name: R}]}}";
  merged();
  EXPECT_EQ(warnings, Lines({"clouds.yaml: without effect are auth_type, regions, system_scope, "
                             "auth.trust_id (cloud.conf has trust-id), auth.user_domain"}));
  warnings.clear();
  texts.clouds = "clouds: {d: {auth: {auth_url: u}, auth_type: v3applicationcredential}}";
  merged();
  EXPECT_EQ(warnings, Lines());
}

TEST_F(CloudsTest, OS_63_AFileThatIsWrongSaysWhereAndShowsNoSecret) {
  const std::pair<const char*, const char*> wrong[] = {
      {"clouds: [", "clouds.yaml: line "},
      {"- a", "clouds.yaml: is no map"},
      {"clouds: [a]", "clouds.yaml: clouds is no map"},
      {"clouds: {a: secret}", "clouds.yaml: clouds.a is no map"},
      {"clouds: {a: {auth: secret}}", "clouds.yaml: auth is no map"},
      {"clouds: {a: {auth: {password: [secret]}}}", "clouds.yaml: auth.password is no text"},
      {"clouds: {a: {auth: {username: secret}}}", "clouds.yaml: auth.auth_url is missing"}};
  for (const auto& [text, message] : wrong) {
    texts.clouds = text;
    const std::string said = refusal();
    EXPECT_TRUE(said.starts_with(message)) << said;
    EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  }
  texts = {kOne, "clouds: [secret", ""};
  EXPECT_TRUE(refusal().starts_with("secure.yaml: line "));
}

}  // namespace
}  // namespace ccm::openstack
