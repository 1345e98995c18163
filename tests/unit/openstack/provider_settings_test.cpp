// Settings of cloud.conf that the provider refuses, has no use for, or takes up while it runs.
#include "provider_fixture.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace ccm::openstack {
namespace {

TEST_F(OpenStackProviderTest, OS_7_78_WhatIsNotSupportedIsRefusedInOneLine) {
  EXPECT_NE(refusal(cloud_conf("auth-url = http://k/v2.0\n")).find("version 2.0"),
            std::string::npos);
  EXPECT_NE(refusal("[Global]\n").find("auth-url is missing"), std::string::npos);
}

TEST_F(OpenStackProviderTest, OS_40_ALogInThatLacksAPasswordFollowsTheLineThatMisspellsIt) {
  const std::string text = "[Global]\nauth-url = http://k/v3\nusername = demo\npasswrd = x\n";
  EXPECT_NE(refusal(text).find("says neither password"), std::string::npos);
  EXPECT_TRUE(host.log.contains("passwrd (did you mean password?)"));
}

// OS-56: the file, and those beside it.
class CloudsYamlTest : public OpenStackProviderTest {
 protected:
  CloudsYamlTest() {
    ::setenv("HOME", "/home/operator", 1);
    ::unsetenv("OS_CLIENT_CONFIG_FILE");
    ::unsetenv("OS_CLOUD");
  }
  ~CloudsYamlTest() override {
    ::unsetenv("OS_CLIENT_CONFIG_FILE");
    ::unsetenv("OS_CLOUD");
  }
  static std::string clouds(const std::string& password = kPassword) {
    return "clouds: {demo: {auth: {auth_url: '" + kCloudUrl +
           "/identity/v3', username: demo, project_name: demo, default_domain: default, "
           "password: " +
           password + "}, region_name: RegionOne}}";
  }
};

TEST_F(CloudsYamlTest, OS_51_55_60_TheLogInMayBeInCloudsYaml) {
  host.files.set("/secrets/clouds.yaml", clouds());
  start("[Global]\nuse-clouds = true\nclouds-file = /secrets/clouds.yaml\n");
  EXPECT_TRUE(provider->list().ok());
}

TEST_F(CloudsYamlTest, OS_56_59_PlacesOfTheFiles) {
  host.files.set("/etc/openstack/clouds.yml", clouds("wrong"));
  host.files.set("/home/operator/.config/openstack/secure.yaml",
                 "clouds: {demo: {auth: {password: secret}}}");
  start("[Global]\nuse-clouds = true\n");
  host.files.set("/etc/openstack/clouds.yaml", "clouds: {}");
  EXPECT_NE(refusal("[Global]\nuse-clouds = true\n").find("has no clouds"), std::string::npos);
  ::setenv("OS_CLIENT_CONFIG_FILE", "/named.yaml", 1);
  host.files.set("/named.yaml", clouds());
  start("[Global]\nuse-clouds = true\n");
}

TEST_F(CloudsYamlTest, OS_56_NoFileSaysWhereOneWasLookedFor) {
  const std::string said = refusal("[Global]\nuse-clouds = true\n");
  EXPECT_NE(said.find("there is no clouds.yaml: "), std::string::npos) << said;
  EXPECT_NE(said.find("/home/operator/.config/openstack/clouds.yaml, /etc/openstack/clouds.yaml, "),
            std::string::npos)
      << said;
  host.files.set("/etc/openstack/clouds.yaml", clouds());
  EXPECT_NE(refusal("[Global]\ncloud = demo\nclouds-file = /absent.yaml\n").find("/absent.yaml"),
            std::string::npos);
}

TEST_F(CloudsYamlTest, OS_54_AChangedCloudsYamlIsUsedAndAWrongOneIsNot) {
  host.files.set("/c.yaml", clouds());
  start("[Global]\ncloud = demo\nclouds-file = /c.yaml\n");
  host.files.set("/c.yaml", "clouds: [");
  host.loop.run();
  EXPECT_TRUE(host.log.contains("the old one stays in force"));
  cloud.identity().set_password(facts["users"]["demo"], "newer");
  cloud.identity().revoke_all();
  EXPECT_FALSE(provider->list().ok());
  host.files.set("/c.yaml", clouds("newer"));
  host.loop.run();
  EXPECT_TRUE(provider->list().ok());
}

TEST_F(OpenStackProviderTest, OS_48_49_AnHttpClientWithTheCloudsCaAndOurCertificate) {
  start(cloud_conf(
      "region = RegionOne\nca-file = /ca\ncafilecontents = pem\ncert-file = /c\nkey-file = /k\n"));
  EXPECT_TRUE(provider->list().ok());
  ASSERT_EQ(host.http.clients().size(), 1U);
  const HttpClientOptions options = host.http.clients()[0];
  EXPECT_EQ(options.ca_file, "/ca");
  EXPECT_EQ(options.ca_pem, "");
  EXPECT_EQ(options.certificate_file, "/c");
  EXPECT_EQ(options.key_file, "/k");
  EXPECT_FALSE(options.insecure);
  for (std::size_t i = 0; i < host.http.requests().size(); ++i) {
    EXPECT_EQ(host.http.client_of(i), 0U);
  }
}

TEST_F(OpenStackProviderTest, OS_48_49_50_OptionsOfTls) {
  struct Case {
    const char* conf;
    std::size_t clients;
    const char* ca_pem;
    bool insecure;
  };
  for (const Case& tried :
       {Case{"", 0, "", false}, Case{"cafilecontents = pem\n", 1, "pem", false},
        Case{"cert-file = /c\n", 0, "", false}, Case{"tls-insecure = True\n", 0, "", false},
        Case{"tls-insecure = true\n", 1, "", true}}) {
    const std::size_t before = host.http.clients().size();
    start(cloud_conf(std::string("region = RegionOne\n") + tried.conf));
    ASSERT_EQ(host.http.clients().size() - before, tried.clients) << tried.conf;
    if (tried.clients == 0) continue;
    EXPECT_EQ(host.http.clients().back().ca_pem, tried.ca_pem);
    EXPECT_EQ(host.http.clients().back().insecure, tried.insecure);
  }
}

TEST_F(OpenStackProviderTest, OS_48_54_ACaThatCannotBeReadIsRefusedAndTheOldClientStays) {
  const Status wrong(Code::not_found, "/ca: no such file");
  host.http.fail_next_client(wrong);
  host.config.set_cloud_config(cloud_conf("ca-file = /ca\n"));
  EXPECT_EQ(make().initialize().message(), "--cloud-config: [Global]: /ca: no such file");

  start(cloud_conf("region = RegionOne\nca-file = /good\n"));
  host.http.fail_next_client(wrong);
  host.config.change_cloud_config(cloud_conf("region = RegionOne\nca-file = /ca\n"));
  host.loop.run();
  EXPECT_TRUE(host.log.contains("the old one stays in force"));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(host.http.clients()[*host.http.client_of(host.http.requests().size() - 1)].ca_file,
            "/good");
  EXPECT_EQ(host.http.open_clients(), 1U);
}

TEST_F(OpenStackProviderTest, OS_35_39_WhatHasNoEffectIsToldOnce) {
  start(cloud_conf("region = RegionOne\nregoin = x\n"));
  EXPECT_TRUE(host.log.contains("did you mean region?"));
}

TEST_F(OpenStackProviderTest, OS_54_AChangedCloudConfIsUsedAndAWrongOneIsNot) {
  start();
  host.config.change_cloud_config(cloud_conf("region = RegionOne\nuser-id = x\nwrong"));
  host.loop.run();
  EXPECT_TRUE(host.log.contains("the old one stays in force"));
  EXPECT_TRUE(provider->list().ok());
  cloud.identity().set_password(facts["users"]["demo"], "newer");
  cloud.identity().revoke_all();
  EXPECT_FALSE(provider->list().ok());
  std::string conf = cloud_conf();
  conf.replace(conf.find("= secret"), 8, "= newer");
  host.config.change_cloud_config(conf);
  host.loop.run();
  EXPECT_TRUE(provider->list().ok());
}

TEST_F(OpenStackProviderTest, OS_54_NewCredentialsAreTriedBeforeTheOldOnesAreDropped) {
  start();
  ASSERT_TRUE(provider->list().ok());
  std::string conf = cloud_conf();
  conf.replace(conf.find("= secret"), 8, "= wrong");
  host.config.change_cloud_config(conf);
  host.loop.run();
  EXPECT_TRUE(host.log.contains("the old one stays in force"));
  cloud.clear_log();
  EXPECT_TRUE(provider->list().ok()) << "with the old token";
  EXPECT_EQ(cloud.writes(), 0) << "without another log-in";
}

TEST_F(OpenStackProviderTest, OS_54_NewCredentialsWaitForAKeystoneThatDoesNotAnswer) {
  start();
  ASSERT_TRUE(provider->list().ok());
  cloud.identity().set_password(facts["users"]["demo"], "newer");
  std::string conf = cloud_conf();
  conf.replace(conf.find("= secret"), 8, "= newer");
  fail("/auth/tokens", 503, -1);
  host.config.change_cloud_config(conf);
  host.loop.run();
  EXPECT_TRUE(host.log.contains("waits for Keystone"));
  cloud.faults.clear();
  host.loop.advance(std::chrono::seconds(31));
  host.loop.run();
  EXPECT_TRUE(host.log.contains("The new --cloud-config is in force"));
  cloud.identity().revoke_all();
  EXPECT_TRUE(provider->list().ok());
}

}  // namespace
}  // namespace ccm::openstack
