// Whatever a Service may say is followed or told, and what the manager asks of AWS is in its
// policy.
#include "fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace ccm::aws {
namespace {

class AwsAnnotationsTest : public AwsLoadBalancersTest {
 protected:
  // All that AWS has, as text.
  std::string world() const {
    std::ostringstream out;
    const auto write_tags = [&](const aws_api::Tags& tags) {
      for (const auto& [key, value] : tags) out << key << '=' << value << ' ';
    };
    for (const auto& [arn, one] : cloud.networks) {
      out << one.address_type << one.scheme << one.subnets.size() << one.groups.size();
      write_tags(one.tags);
      write_tags(one.attributes);
    }
    for (const auto& [arn, one] : cloud.targets) {
      write_tags(one.fields);
      write_tags(one.attributes);
      for (const std::string& target : one.targets) out << target;
    }
    for (const auto& [arn, one] : cloud.listeners) {
      out << one.protocol << one.policy << one.alpn << one.certificates.size();
    }
    for (const auto& [name, one] : cloud.classics) {
      write_tags(one.attributes);
      write_tags(one.health);
      write_tags(one.tags);
      for (const auto& [port, listener] : one.listeners) {
        write_tags(listener.fields);
        for (const std::string& policy : listener.policies) out << policy;
      }
      for (const std::string& subnet : one.subnets) out << subnet;
      for (const std::string& group : one.groups) out << group;
      for (const std::string& target : one.instances) out << target;
      for (const auto& [port, policies] : one.port_policies) {
        for (const std::string& policy : policies) out << port << policy;
      }
    }
    return out.str();
  }
  // Events that say that something is not followed.
  std::size_t told() {
    std::size_t count = 0;
    for (const auto& event : host.events.all()) {
      count += event.reason.find("NotFollowed") != std::string::npos ||
                       event.reason.find("NotAdded") != std::string::npos
                   ? 1
                   : 0;
    }
    return count;
  }
  // What a Service that has all of `before` gets by one annotation more, and by its absence.
  void expect_followed_or_told(const Annotated& before, const std::string& name,
                               const std::string& value) {
    cloud.networks.clear();
    cloud.classics.clear();
    cloud.targets.clear();
    cloud.listeners.clear();
    start();
    ensured(with(web(), before));
    const std::string plain = world();
    const std::size_t told_before = told();
    Annotated given = before;
    given[name] = value;
    const auto made = ensure(with(web(), given));
    const bool followed = world() != plain;
    EXPECT_TRUE(!made.ok() || followed || told() > told_before)
        << name << "=" << value << " has no effect, and nobody is told";
    if (!made.ok() || stays_.contains(name)) return;
    Annotated after = before;  // the host writes the manager's own
    for (const auto& own : made->annotations) after[own.key] = own.value;
    ensured(with(web(), after));
    EXPECT_EQ(world(), plain) << name << " was taken away";
  }

  // By docs/aws-annotations.md: what stays when it is taken away; of the logs that AWS keeps where
  // they were written, and of the groups the own one is another one then.
  const std::set<std::string> stays_{"additional-resource-tags",
                                     "alpn-policy",
                                     "attributes",
                                     "ssl-negotiation-policy",
                                     "subnets",
                                     "type",
                                     "ip-address-type",
                                     "healthcheck-timeout",
                                     "access-log-enabled",
                                     "access-log-s3-bucket-prefix",
                                     "security-groups"};
  const Annotated values_{
      {"type", "nlb"},
      {"internal", "true"},
      {"scheme", "internal"},
      {"name", "shop"},
      {"subnets", "subnet-aa-second,subnet-pub-b"},
      {"ip-address-type", "dualstack"},
      {"eip-allocations", "eipalloc-0123456789abcdef0,eipalloc-0123456789abcdef1"},
      {"private-ipv4-addresses", "10.0.0.7,10.0.1.7"},
      {"security-groups", kOther},
      {"extra-security-groups", kOther},
      {"ssl-cert", "arn:aws:acm:us-east-1:1:certificate/2"},
      {"ssl-ports", "443"},
      {"ssl-negotiation-policy", "ELBSecurityPolicy-TLS13-1-2-2021-06"},
      {"alpn-policy", "HTTP2Only"},
      {"backend-protocol", "ssl"},
      {"proxy-protocol", "*"},
      {"cross-zone-load-balancing-enabled", "true"},
      {"access-log-enabled", "true"},
      {"access-log-emit-interval", "5"},
      {"access-log-s3-bucket-name", "other"},
      {"access-log-s3-bucket-prefix", "in/it"},
      {"connection-draining-enabled", "true"},
      {"connection-draining-timeout", "7"},
      {"connection-idle-timeout", "7"},
      {"attributes", "zonal_shift.config.enabled=true"},
      {"target-group-attributes", "preserve_client_ip.enabled=false"},
      {"target-node-labels", "n=1"},
      {"nlb-target-type", "ip"},
      {"additional-resource-tags", "team=shop"},
      {"healthcheck-protocol", "HTTP"},
      {"healthcheck-port", "9000"},
      {"healthcheck-path", "/ready"},
      {"healthcheck-interval", "17"},
      {"healthcheck-timeout", "7"},
      {"healthcheck-healthy-threshold", "7"},
      {"healthcheck-unhealthy-threshold", "7"},
  };
};

// With what makes each of them count.
TEST_F(AwsAnnotationsTest, AWS_96_155_EachAnnotationIsFollowedOrTold) {
  const std::string tls = "arn:aws:acm:us-east-1:1:certificate/1";
  for (const char* type : {"", "nlb"}) {
    const Annotated with_all{{"type", type},
                             {"ssl-cert", tls},
                             {"access-log-enabled", "true"},
                             {"access-log-s3-bucket-name", "logs"},
                             {"connection-draining-enabled", *type == '\0' ? "true" : ""},
                             {"healthcheck-protocol", "HTTP"}};
    for (const std::string_view whole : annotation::kAll) {
      const std::string name(whole.substr(kAnnotationPrefix.size()));
      ASSERT_TRUE(values_.contains(name)) << "no value for " << name;
      Annotated before = with_all;
      if (name.starts_with("connection-draining-e") || name == "access-log-enabled" ||
          name == "healthcheck-protocol" || name == "ssl-cert") {
        before.erase(name);
        if (name == "access-log-enabled") before["access-log-s3-bucket-name"] = "logs";
      }
      if (name == "type" && *type != '\0') continue;
      expect_followed_or_told(before, name, values_.find(name)->second);
    }
  }
}

TEST_F(AwsAnnotationsTest, AWS_155_OneUnhealthyThresholdAloneCounts) {
  ensured(nlb());
  ensured(nlb({80}, {{"healthcheck-unhealthy-threshold", "5"}}));
  EXPECT_EQ(cloud.targets.begin()->second.fields["UnhealthyThresholdCount"], "5");
  ensured(nlb());
  EXPECT_EQ(cloud.targets.begin()->second.fields["UnhealthyThresholdCount"], "3");
}

std::set<std::string> permissions_of_the_manifest() {
  std::ifstream file(CCM_AWS_MANIFEST);
  const nlohmann::json manifest = nlohmann::json::parse(file);
  std::set<std::string> names;
  for (const auto& entry : manifest.at("cloudPermissions").at("needed")) {
    for (const auto& name : entry.at("names")) names.insert(name.get<std::string>());
  }
  return names;
}

// That it has what this one calls, each call of the fixture's looks at.
TEST(AwsPermissionsTest, AWS_131_ThePolicyHasWhatTheGoManagerCalls) {
  const auto names = permissions_of_the_manifest();
  for (const char* action :
       {"DescribeInstances", "DescribeInstanceTopology", "DescribeAvailabilityZones",
        "DescribeSubnets", "DescribeRouteTables", "DescribeSecurityGroups", "CreateSecurityGroup",
        "DeleteSecurityGroup", "AuthorizeSecurityGroupIngress", "RevokeSecurityGroupIngress",
        "CreateRoute", "DeleteRoute", "ModifyInstanceAttribute", "CreateTags", "DeleteTags",
        "DescribeNetworkInterfaces"}) {
    EXPECT_TRUE(names.contains(std::string("ec2:") + action)) << action;
  }
  for (const char* action : {"DescribeLoadBalancers",
                             "CreateLoadBalancer",
                             "DeleteLoadBalancer",
                             "CreateLoadBalancerListeners",
                             "DeleteLoadBalancerListeners",
                             "RegisterInstancesWithLoadBalancer",
                             "DeregisterInstancesFromLoadBalancer",
                             "ConfigureHealthCheck",
                             "DescribeLoadBalancerAttributes",
                             "ModifyLoadBalancerAttributes",
                             "CreateLoadBalancerPolicy",
                             "SetLoadBalancerPoliciesForBackendServer",
                             "SetLoadBalancerPoliciesOfListener",
                             "AttachLoadBalancerToSubnets",
                             "DetachLoadBalancerFromSubnets",
                             "ApplySecurityGroupsToLoadBalancer",
                             "AddTags",
                             "SetSecurityGroups",
                             "CreateTargetGroup",
                             "DescribeTargetGroups",
                             "ModifyTargetGroup",
                             "DeleteTargetGroup",
                             "DescribeTargetHealth",
                             "DescribeTargetGroupAttributes",
                             "ModifyTargetGroupAttributes",
                             "RegisterTargets",
                             "DeregisterTargets",
                             "CreateListener",
                             "DescribeListeners",
                             "ModifyListener",
                             "DeleteListener"}) {
    EXPECT_TRUE(names.contains(std::string("elasticloadbalancing:") + action)) << action;
  }
}

// Neither more nor less than the sources name.
TEST(AwsPermissionsTest, AWS_131_ThePolicyHasNoActionThatNothingCalls) {
  std::string sources;
  for (const auto& file : std::filesystem::recursive_directory_iterator(CCM_AWS_SOURCES)) {
    if (file.path().extension() != ".cpp") continue;
    if (file.path().parent_path().filename() == "permissions") continue;
    std::ifstream in(file.path());
    sources += std::string(std::istreambuf_iterator<char>(in), {});
  }
  for (const std::string& name : permissions_of_the_manifest()) {
    if (name.starts_with("iam:")) continue;  // AWS asks for it itself
    const std::string action = name.substr(name.find(':') + 1);
    EXPECT_NE(sources.find("\"" + action + "\""), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace ccm::aws
