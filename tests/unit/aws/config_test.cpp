#include "aws/config/cloud_config.hpp"
#include "aws/config/endpoints.hpp"
#include "aws/config/profiles.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::aws {
namespace {

Settings settings_of(const std::string& text) {
  auto config = read_cloud_config(text);
  EXPECT_TRUE(config.ok()) << config.status().message();
  return config.ok() ? config->settings : Settings();
}
std::string config_fault(const std::string& text) {
  return read_cloud_config(text).status().message();
}
std::vector<std::string> config_warnings(const std::string& text) {
  auto config = read_cloud_config(text);
  return config.ok() ? config->warnings : std::vector<std::string>{config.status().message()};
}

TEST(AwsCloudConfigTest, AWS_10_NothingIsAConfigurationAndUnknownKeysAreWarnings) {
  const Settings empty = settings_of("");
  EXPECT_EQ(empty.region, "");
  EXPECT_EQ(empty.node_ip_families, std::vector<std::string>{"ipv4"});
  EXPECT_EQ(settings_of("[global]\nREGION = eu-west-1\n").region, "eu-west-1");
  EXPECT_EQ(config_warnings("[Global]\nVpcs = x\n[Other]\n"),
            (std::vector<std::string>{
                "line 2: unknown option [Global] Vpcs (did you mean VPC?)",
                "line 3: unknown section [Other]: there are Global and ServiceOverride \"1\""}));
}

TEST(AwsCloudConfigTest, AWS_11_ZonesNameRegions) {
  EXPECT_EQ(region_of_zone("us-east-1a"), "us-east-1");
  EXPECT_EQ(region_of_zone("us-gov-west-1b"), "us-gov-west-1");
  EXPECT_EQ(region_of_zone("us-east-1-bos-1a"), "us-east-1");
  for (const char* wrong : {"", "us", "1a", "us-east-", "-1a"}) {
    EXPECT_EQ(region_of_zone(wrong), "") << wrong;
  }
  EXPECT_EQ(config_fault("[Global]\nZone = here\n"), "[Global] Zone: invalid AZ: \"here\"");
  EXPECT_EQ(config_fault("[Global]\nZone = here\nVpcs = x\n"),
            "[Global] Zone: invalid AZ: \"here\"; line 3: unknown option [Global] Vpcs (did you "
            "mean VPC?)");
}

TEST(AwsCloudConfigTest, AWS_13_to_23_Keys) {
  const Settings settings = settings_of(
      "[Global]\nVPC=vpc-1\nSubnetID=subnet-1\nRouteTableID=rtb-1\nRoleARN=arn:r\nSourceARN=arn:s\n"
      "KubernetesClusterID=c1\nDisableSecurityGroupIngress\nElbSecurityGroup=sg-1\n"
      "NodeIPFamilies=ipv6\nNodeIPFamilies=ipv4\nNodeIPFamilies=ipx\n"
      "ClusterServiceLoadBalancerHealthProbeMode=Shared\n"
      "ClusterServiceSharedLoadBalancerHealthProbePort=0\n"
      "ClusterServiceSharedLoadBalancerHealthProbePath=\nNLBSecurityGroupMode=Managed\n");
  EXPECT_EQ(settings.vpc, "vpc-1");
  EXPECT_EQ(settings.subnet_id, "subnet-1");
  EXPECT_EQ(settings.route_table_id, "rtb-1");
  EXPECT_EQ(settings.role_arn + settings.source_arn, "arn:rarn:s");
  EXPECT_EQ(settings.cluster_id, "c1");
  EXPECT_FALSE(settings.legacy_tag);
  EXPECT_TRUE(settings.disable_security_group_ingress);
  EXPECT_EQ(settings.elb_security_group, "sg-1");
  EXPECT_EQ(settings.node_ip_families, (std::vector<std::string>{"ipv6", "ipv4"}));
  EXPECT_EQ(settings.health_probe_mode, "Shared");
  EXPECT_EQ(settings.shared_health_probe_port, 10256);
  EXPECT_EQ(settings.shared_health_probe_path, "/healthz");
  EXPECT_EQ(settings.nlb_security_group_mode, "Managed");
}

TEST(AwsCloudConfigTest, AWS_17_TheLegacyTag) {
  EXPECT_TRUE(settings_of("[Global]\nKubernetesClusterTag=c1\n").legacy_tag);
  EXPECT_EQ(config_fault("[Global]\nKubernetesClusterTag=a\nKubernetesClusterID=b\n"),
            "clusterID tags did not match: [Global] KubernetesClusterTag is \"a\", "
            "KubernetesClusterID is \"b\"");
}

TEST(AwsCloudConfigTest, AWS_22_APatternThatIsNoneIsALine) {
  EXPECT_EQ(config_fault("[Global]\nSupportedTopologyInstanceTypePattern = (a\n")
                .find("[Global] SupportedTopologyInstanceTypePattern: "),
            0u);
  const auto pattern = topology_pattern("^(hpc|trn)[0-9]");
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE(pattern->fits("hpc7a.96xlarge"));
  EXPECT_FALSE(pattern->fits("m5.large"));
}

TEST(AwsCloudConfigTest, WrongValuesHaveTheirLines) {
  EXPECT_EQ(config_fault("[Global]\nDisableSecurityGroupIngress = maybe\n"
                         "ClusterServiceSharedLoadBalancerHealthProbePort = 70000\nVPC\n"),
            "line 2: [Global] DisableSecurityGroupIngress: \"maybe\" is neither true nor false; "
            "line 3: [Global] ClusterServiceSharedLoadBalancerHealthProbePort: \"70000\" is no "
            "port; line 4: [Global] VPC: has no value; write = after it");
}

const std::string kOverride =
    "[ServiceOverride \"1\"]\nService=ec2\nRegion=us-east-1\nURL=https://ec2.example/\n"
    "SigningRegion=eu-x-1\n";

Endpoints endpoints(const std::string& region, Environment::Variables variables = {},
                    const std::string& config = {}, const ProfileEndpoints& profile = {}) {
  auto all = endpoints_of(region, Environment(std::move(variables)), profile,
                          settings_of(config).overrides);
  EXPECT_TRUE(all.ok()) << all.status().message();
  return all.ok() ? *all : Endpoints();
}

TEST(AwsEndpointsTest, AWS_24_Overrides) {
  EXPECT_EQ(config_fault("[ServiceOverride \"1\"]\nService=ec2\n"),
            "Region is missing in [ServiceOverride \"1\"]; URL is missing in [ServiceOverride "
            "\"1\"]; SigningRegion is missing in [ServiceOverride \"1\"]");
  std::string twice = kOverride + kOverride;
  twice.replace(twice.rfind("\"1\""), 3, "\"2\"");
  EXPECT_EQ(config_fault(twice),
            "duplicate entry found for service override: Service \"ec2\" and Region \"us-east-1\" "
            "in [ServiceOverride \"2\"]");
  const Endpoints moved = endpoints("us-east-1", {}, kOverride);
  EXPECT_EQ(moved.of(Api::ec2).url, "https://ec2.example");
  EXPECT_EQ(moved.of(Api::ec2).signing_region, "eu-x-1");
  EXPECT_EQ(moved.of(Api::ec2).signing_name, "ec2");
  EXPECT_EQ(moved.of(Api::elb).url, "https://elasticloadbalancing.us-east-1.amazonaws.com");
  const auto overrides = settings_of(kOverride).overrides;
  EXPECT_TRUE(unused_overrides("us-east-1", overrides).empty());
  EXPECT_EQ(unused_overrides("us-west-2", overrides),
            std::vector<std::string>{"ec2 in region us-east-1"});
}

TEST(AwsEndpointsTest, AWS_25_27_OneRuleForAllServices) {
  const Endpoints all = endpoints(
      "us-east-1", {{"AWS_ENDPOINT_URL", "http://all"}, {"AWS_ENDPOINT_URL_STS", "http://sts/"}},
      kOverride);
  EXPECT_EQ(all.of(Api::ec2).url, "http://all");
  EXPECT_EQ(all.of(Api::elbv2).url, "http://all");
  EXPECT_EQ(all.of(Api::sts).url, "http://sts");
  EXPECT_EQ(endpoints("us-east-1", {}, {}, {"http://profile", false, false}).of(Api::elb).url,
            "http://profile");
  EXPECT_FALSE(endpoints_of("x",
                            Environment(Environment::Variables{{"AWS_ENDPOINT_URL", "localhost"}}),
                            {}, {})
                   .ok());
}

TEST(AwsEndpointsTest, PartitionsFipsAndDualStack) {
  EXPECT_EQ(endpoints("cn-north-1").of(Api::ec2).url, "https://ec2.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(partition_of("us-gov-west-1"), "aws-us-gov");
  EXPECT_EQ(partition_of("eu-west-1"), "aws");
  const Environment::Variables fips{{"AWS_USE_FIPS_ENDPOINT", "true"}};
  EXPECT_EQ(endpoints("us-east-1", fips).of(Api::sts).url,
            "https://sts-fips.us-east-1.amazonaws.com");
  EXPECT_EQ(endpoints("us-gov-west-1", fips).of(Api::elb).url,
            "https://elasticloadbalancing.us-gov-west-1.amazonaws.com");
  Environment::Variables both = fips;
  both["AWS_USE_DUALSTACK_ENDPOINT"] = "TRUE";
  EXPECT_EQ(endpoints("us-gov-west-1", both).of(Api::ec2).url,
            "https://ec2-fips.us-gov-west-1.api.aws");
}

TEST(AwsProfilesTest, BothFilesTogether) {
  const auto profiles = Profiles::parse(
      "[default]\nregion = x ; comment\ns3 =\n  a = b\n[profile  p]\nROLE_ARN=arn\n"
      "aws_access_key_id = old\n[sso-session s]\nsso_region = y\n# comment\n",
      "[p]\naws_access_key_id = A#1 \n\n[default]\naws_access_key_id=B\n");
  ASSERT_TRUE(profiles.ok()) << profiles.status().message();
  const Profile* p = profiles->find("p");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(setting(*p, "role_arn"), "arn");
  EXPECT_EQ(setting(*p, "aws_access_key_id"), "A#1") << "the second file counts before the first";
  const Profile* standard = profiles->find("default");
  ASSERT_NE(standard, nullptr);
  EXPECT_EQ(setting(*standard, "region"), "x");
  EXPECT_EQ(setting(*standard, "a"), "") << "a setting within a setting";
  EXPECT_EQ(profiles->find("s"), nullptr);
  EXPECT_EQ(profiles->find("sso-session s"), nullptr);
}

TEST(AwsProfilesTest, FaultsShowNoValue) {
  EXPECT_EQ(Profiles::parse("", "[a]\nsecret\n").status().message(),
            "AWS_SHARED_CREDENTIALS_FILE, line 2: expected KEY = VALUE");
  EXPECT_EQ(Profiles::parse("[a\n", "").status().message(),
            "AWS_CONFIG_FILE, line 1: expected ] after [");
  EXPECT_EQ(Profiles::parse(std::string(10'001, '\n'), "").status().message(),
            "AWS_CONFIG_FILE, line 10001: the file is too long");
}

}  // namespace
}  // namespace ccm::aws
