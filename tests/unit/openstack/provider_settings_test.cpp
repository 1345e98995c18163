// Settings of cloud.conf that the provider refuses, has no use for, or takes up while it runs.
#include "provider_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::openstack {
namespace {

TEST_F(OpenStackProviderTest, OS_7_51_78_WhatIsNotSupportedIsRefusedInOneLine) {
  EXPECT_NE(refusal(cloud_conf("use-clouds = true\n"))
                .find("use-clouds, clouds-file and cloud are not supported yet"),
            std::string::npos);
  EXPECT_NE(refusal(cloud_conf("auth-url = http://k/v2.0\n")).find("version 2.0"),
            std::string::npos);
  EXPECT_NE(refusal("[Global]\n").find("auth-url is missing"), std::string::npos);
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
  start(cloud_conf("region = RegionOne\nregoin = x\n[LoadBalancer]\nsubnet-id = s\n"));
  EXPECT_TRUE(host.log.contains("did you mean region?"));
  EXPECT_TRUE(host.log.contains("load balancers are not supported yet"));
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

}  // namespace
}  // namespace ccm::openstack
