#include "aws/api/params.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::aws {
namespace {

TEST(AwsParamsTest, AWS_2_FormsOfLists) {
  Params tag;
  tag.set("Key", "a b").set("Value", "x&y=z");
  Params params;
  params.set("Name", "n").add("Tags", tag).add("Tags", Params().set("Key", "k"));
  params.add_all("Subnets", {"s-1", "s-2"}).set("Port", 30'080).set("Enabled", true);
  EXPECT_EQ(form_body("CreateTargetGroup", "2015-12-01", params, ListForm::member),
            "Action=CreateTargetGroup&Version=2015-12-01&Name=n&Tags.member.1.Key=a%20b"
            "&Tags.member.1.Value=x%26y%3Dz&Tags.member.2.Key=k&Subnets.member.1=s-1"
            "&Subnets.member.2=s-2&Port=30080&Enabled=true");
  Params filters;
  filters.filter("vpc-id", "vpc-1").filter("tag:Name", std::vector<std::string>{"a", "b"});
  EXPECT_EQ(form_body("DescribeInstances", "2016-11-15", filters, ListForm::flat),
            "Action=DescribeInstances&Version=2016-11-15&Filter.1.Name=vpc-id"
            "&Filter.1.Value.1=vpc-1&Filter.2.Name=tag%3AName&Filter.2.Value.1=a"
            "&Filter.2.Value.2=b");
}

TEST(AwsParamsTest, StructuresWithinStructures) {
  Params range;
  range.set("CidrIp", "0.0.0.0/0");
  Params permission;
  permission.set("IpProtocol", "tcp").add("IpRanges", range);
  Params params;
  params.add("IpPermissions", permission).set("Placement", Params().set("Tenancy", "default"));
  EXPECT_EQ(form_body("A", "1", params, ListForm::flat),
            "Action=A&Version=1&IpPermissions.1.IpProtocol=tcp"
            "&IpPermissions.1.IpRanges.1.CidrIp=0.0.0.0%2F0&Placement.Tenancy=default");
}

}  // namespace
}  // namespace ccm::aws
