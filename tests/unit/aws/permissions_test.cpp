// Permissions that the log-in tries (AWS-132).
#include "provider_fixture.hpp"

#include <algorithm>
#include <string>

namespace ccm::aws {
namespace {

class AwsPermissionsTest : public AwsProviderTest {
 protected:
  AwsPermissionsTest() {
    cloud.add_machine(1).groups = {"sg-1"};
    cloud.tables.push_back({"rtb-1", "vpc-1", {}, {}});
  }
  Status start_with(const std::string& permissions) {
    host.config.set_flag("aws-try-permissions", permissions);
    cloud.clear_journal();
    return make().initialize();
  }
  // The calls that were tried.
  std::vector<std::string> tried() {
    std::vector<std::string> actions;
    for (const aws_api::Parameters& call : cloud.journal()) {
      if (call.contains("DryRun")) actions.push_back(call.at("Action"));
    }
    return actions;
  }
};

TEST_F(AwsPermissionsTest, AWS_132_ThoseThatAreMissingEndTheStart) {
  cloud.denied = {"CreateTags", "DescribeLoadBalancers"};
  const Status status = start_with(
      "ec2:CreateTags,ec2:DeleteTags,ec2:DescribeInstances,elasticloadbalancing:AddTags,"
      "elasticloadbalancing:DescribeLoadBalancers,iam:CreateServiceLinkedRole");
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message(),
            "the credential lacks ec2:CreateTags, elasticloadbalancing:DescribeLoadBalancers");
  EXPECT_EQ(tried(), (std::vector<std::string>{"DescribeAvailabilityZones", "CreateTags",
                                               "DeleteTags", "DescribeInstances"}));
  EXPECT_EQ(cloud.calls("AddTags"), 0U) << "there is no way to try it";
  EXPECT_FALSE(host.log.contains("could not be tried")) << "iam is left out, as the manifest says";
}

TEST_F(AwsPermissionsTest, AWS_132_NothingIsCarriedOutOnAStandbyEither) {
  host.leader.leading = false;
  EXPECT_TRUE(start_with("ec2:CreateRoute,ec2:DeleteSecurityGroup,ec2:ModifyInstanceAttribute,"
                         "ec2:AuthorizeSecurityGroupIngress,ec2:CreateSecurityGroup")
                  .ok());
  EXPECT_EQ(tried().size(), 6U);
  for (const HttpRequest& call : host.http.requests())
    EXPECT_TRUE(call.read_only) << call.operation;
  EXPECT_TRUE(cloud.tables.front().routes.empty());
  const auto rule = std::find_if(cloud.journal().begin(), cloud.journal().end(),
                                 [](const aws_api::Parameters& call) {
                                   return call.at("Action") == "AuthorizeSecurityGroupIngress";
                                 });
  ASSERT_NE(rule, cloud.journal().end());
  EXPECT_EQ(rule->at("GroupId"), "sg-1");
  EXPECT_EQ(rule->at("IpPermissions.1.IpRanges.1.CidrIp"), "192.0.2.0/24");
  EXPECT_FALSE(host.log.contains("could not be tried"));
}

TEST_F(AwsPermissionsTest, AWS_132_WithoutAnInstanceItIsNotKnown) {
  cloud.machines.clear();
  EXPECT_TRUE(start_with("ec2:CreateTags").ok());
  EXPECT_EQ(tried(), std::vector<std::string>{"DescribeAvailabilityZones"});
  EXPECT_TRUE(host.log.contains("A permission could not be tried"));
}

// It would carry the trials out.
TEST_F(AwsPermissionsTest, AWS_132_AnEc2ThatMindsNoDryRunIsOnlyRead) {
  cloud.minds_dry_run = false;
  EXPECT_TRUE(start_with("ec2:CreateTags,ec2:CreateRoute,ec2:ModifyInstanceAttribute").ok());
  EXPECT_EQ(tried(), std::vector<std::string>{"DescribeAvailabilityZones"});
  EXPECT_FALSE(cloud.machines.front().tags.contains("ccm-trial"));
  EXPECT_TRUE(host.log.contains("A permission could not be tried"));
}

TEST_F(AwsPermissionsTest, WithoutTheFlagNothingIsTried) {
  cloud.denied = {"CreateTags"};
  EXPECT_TRUE(start_with("").ok());
  EXPECT_TRUE(tried().empty());
}

}  // namespace
}  // namespace ccm::aws
