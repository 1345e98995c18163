#include "digitalocean/settings.hpp"

#include <ccm/host.hpp>
#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

namespace ccm::digitalocean {
namespace {

class SettingsTest : public ::testing::Test {
 protected:
  Result<Settings> read() {
    const Host host(fake.abi());
    return read_settings(host.config);
  }
  Result<std::string> token() {
    const Host host(fake.abi());
    return read_token(host.config);
  }
  void expect_refused(const std::string& flag, const std::string& value, const std::string& part) {
    fake.config.set_flag(flag, value);
    const auto settings = read();
    ASSERT_FALSE(settings.ok()) << flag << "=" << value;
    EXPECT_EQ(settings.status().code(), Code::invalid_argument);
    EXPECT_NE(settings.status().message().find(part), std::string::npos)
        << settings.status().message();
  }

  testing::FakeHost fake;
};

TEST_F(SettingsTest, DO_8_TheApiIsDigitalOceansOwn) {
  EXPECT_EQ(read()->api_url, "https://api.digitalocean.com");
  EXPECT_EQ(read()->metadata_url, "http://169.254.169.254");
}

TEST_F(SettingsTest, DO_9_APathInTheUrlIsKeptForAllCalls) {
  fake.config.set_flag("digitalocean-api-url", "http://127.0.0.1:1/prefix/");
  EXPECT_EQ(read()->api_url, "http://127.0.0.1:1/prefix");
}

TEST_F(SettingsTest, DO_8_AWrongUrlNamesItsVariable) {
  expect_refused("digitalocean-api-url", "api.digitalocean.com", "DO_OVERRIDE_URL");
  expect_refused("digitalocean-api-url", "http:///x", "DO_OVERRIDE_URL");
  expect_refused("digitalocean-api-url", "https://a b", "DO_OVERRIDE_URL");
}

TEST_F(SettingsTest, TheMetadataServiceHasAnAddressOfItsOwn) {
  fake.config.set_flag("digitalocean-metadata-url", "http://127.0.0.1:2/");
  EXPECT_EQ(read()->metadata_url, "http://127.0.0.1:2");
  expect_refused("digitalocean-metadata-url", "169.254.169.254", "--digitalocean-metadata-url");
}

TEST_F(SettingsTest, DO_14_OnlyRegionalIsAnotherDefaultType) {
  for (const char* value : {"", "REGIONAL_NETWORK"}) {
    fake.config.set_flag("digitalocean-default-lb-type", value);
    EXPECT_EQ(read()->default_lb_type, "REGIONAL_NETWORK") << value;
  }
  fake.config.set_flag("digitalocean-default-lb-type", "REGIONAL");
  EXPECT_EQ(read()->default_lb_type, "REGIONAL");
}

TEST_F(SettingsTest, DO_12_TheClusterTagHoldsTheId) {
  EXPECT_EQ(read()->cluster_tag(), "");
  fake.config.set_flag("digitalocean-cluster-id", "abc");
  EXPECT_EQ(read()->cluster_tag(), "k8s:abc");
}

TEST_F(SettingsTest, DO_13_TheVpcIsAUuid) {
  expect_refused("digitalocean-cluster-vpc-id", "my-vpc", "DO_CLUSTER_VPC_ID");
  fake.config.set_flag("digitalocean-cluster-vpc-id", "c33931f2-a26a-4e61-b85c-4e95a2ec431b");
  EXPECT_EQ(read()->vpc_id, "c33931f2-a26a-4e61-b85c-4e95a2ec431b");
}

TEST_F(SettingsTest, DO_15_TheFirewallNeedsANameAndTags) {
  expect_refused("digitalocean-firewall-name", "fw",
                 "\"PUBLIC_ACCESS_FIREWALL_TAGS\" is required when managing firewalls");
  fake.config.set_flag("digitalocean-firewall-name", "");
  expect_refused("digitalocean-firewall-tags", "workers",
                 "\"PUBLIC_ACCESS_FIREWALL_NAME\" is required when managing firewalls");
}

TEST_F(SettingsTest, DO_16_TagsAreSeparatedByCommas) {
  fake.config.set_flag("digitalocean-firewall-name", "fw");
  fake.config.set_flag("digitalocean-firewall-tags", "a, b,,c");
  EXPECT_EQ(read()->firewall_tags, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(SettingsTest, DO_17_ARateMustBeAboveZero) {
  for (const char* value : {"fast", "0", "-1", "nan", "1x"}) {
    expect_refused("digitalocean-api-qps", value, "DO_API_RATE_LIMIT_QPS");
  }
  fake.config.set_flag("digitalocean-api-qps", "0.5");
  EXPECT_EQ(read()->calls_per_second, 0.5);
  fake.config.set_flag("digitalocean-api-qps", "inf");
  EXPECT_EQ(read()->calls_per_second, 0);
}

TEST_F(SettingsTest, DO_6_TheTokenIsRequired) {
  EXPECT_EQ(token().status().code(), Code::invalid_argument);
  EXPECT_EQ(token().status().message().find("environment variable \"DO_ACCESS_TOKEN\" is required"),
            0U);
}

TEST_F(SettingsTest, DO_7_ANewlineBehindTheTokenIsNoPartOfIt) {
  fake.config.set_secret("DO_ACCESS_TOKEN", "dop_v1_abc\n");
  EXPECT_EQ(*token(), "dop_v1_abc");
}

TEST_F(SettingsTest, ATokenThatFitsIntoNoHeaderIsRefusedWithoutShowingIt) {
  fake.config.set_secret("DO_ACCESS_TOKEN", "dop_v1_abc\r\nx: y");
  EXPECT_EQ(token().status().code(), Code::invalid_argument);
  EXPECT_EQ(token().status().message().find("abc"), std::string::npos);
}

}  // namespace
}  // namespace ccm::digitalocean
