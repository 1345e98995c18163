#include "trial.hpp"

#include "aws/api/error.hpp"
#include "aws/nodes/instance_view.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ccm::aws {
namespace {

constexpr std::string_view kEc2Prefix = "ec2:";
constexpr std::string_view kBalancingPrefix = "elasticloadbalancing:";
// Addresses for documentation (RFC 5737), in case that somebody's EC2 knows no DryRun.
constexpr const char* kNowhere = "192.0.2.0/24";

// A parameter that names what a call is about, and which therefore has to be there.
struct TrialSubject {
  std::string_view action;
  std::string_view parameter;
};
constexpr TrialSubject kTrialSubjects[] = {
    {"AuthorizeSecurityGroupIngress", "GroupId"},
    {"CreateRoute", "InstanceId"},
    {"CreateRoute", "RouteTableId"},
    {"CreateTags", "ResourceId.1"},
    {"DeleteRoute", "RouteTableId"},
    {"DeleteSecurityGroup", "GroupId"},
    {"DeleteTags", "ResourceId.1"},
    {"DescribeListenerCertificates", "ListenerArn"},
    {"DescribeListeners", "LoadBalancerArn"},
    {"DescribeLoadBalancerAttributes", "LoadBalancerArn"},
    {"DescribeTags", "ResourceArns.member.1"},
    {"DescribeTargetGroupAttributes", "TargetGroupArn"},
    {"DescribeTargetHealth", "TargetGroupArn"},
    {"ModifyInstanceAttribute", "InstanceId"},
    {"ModifyNetworkInterfaceAttribute", "NetworkInterfaceId"},
    {"ReplaceRoute", "InstanceId"},
    {"ReplaceRoute", "RouteTableId"},
    {"RevokeSecurityGroupIngress", "GroupId"},
};

// What the call says beside its subject.
void add_details(const std::string& action, const std::string& vpc, Params& params) {
  if (action == "CreateSecurityGroup") {
    params.set("GroupName", "ccm-trial").set("GroupDescription", "ccm-trial").set("VpcId", vpc);
  } else if (action.ends_with("SecurityGroupIngress")) {
    Params range;
    Params rule;
    rule.set("IpProtocol", "tcp").set("FromPort", 1).set("ToPort", 1);
    params.add("IpPermissions", rule.add("IpRanges", range.set("CidrIp", kNowhere)));
  } else if (action.ends_with("Tags")) {
    Params tag;
    params.add("Tag", tag.set("Key", "ccm-trial").set("Value", "ccm-trial"));
  } else if (action.ends_with("Route")) {
    params.set("DestinationCidrBlock", kNowhere);
  } else if (action.starts_with("Modify")) {
    params.set("SourceDestCheck.Value", true);
  }
}

}  // namespace

Task<Status> Trial::find_samples(Ctx ctx) {
  auto all = co_await instances_.list(ctx, std::chrono::minutes(1));
  if (!all.ok()) co_return all.status();
  for (size_t i = 0; i < (*all)->size(); ++i) {
    const Ec2Instance instance = (**all)[i];
    if (!is_of_cluster(instance, cluster_) || instance.state != "running") continue;
    samples_.emplace("InstanceId", instance.id);
    samples_.emplace("ResourceId.1", instance.id);
    for (const NetworkCard& card : instance.cards) samples_.emplace("NetworkInterfaceId", card.id);
    for (const std::string& group : instance.security_groups) samples_.emplace("GroupId", group);
  }
  Call tables{Api::ec2, "DescribeRouteTables"};
  tables.params.filter("vpc-id", cluster_.vpc_id);
  auto found = co_await client_.call(ctx, std::move(tables));
  if (!found.ok()) co_return found.status();
  for (const XmlElement table : found->result().list("routeTableSet")) {
    samples_.emplace("RouteTableId", table.text("routeTableId"));
  }
  co_return Status();
}

// A Network Load Balancer, one of its listeners, and a target group that need not be its own.
Task<Status> Trial::find_balancers(Ctx ctx) {
  Call all_balancers{Api::elbv2, "DescribeLoadBalancers"};
  auto balancers = co_await client_.call(ctx, std::move(all_balancers));
  if (!balancers.ok()) co_return balancers.status();
  for (const XmlElement balancer : balancers->result().list("LoadBalancers")) {
    samples_.emplace("LoadBalancerArn", balancer.text("LoadBalancerArn"));
    samples_.emplace("ResourceArns.member.1", balancer.text("LoadBalancerArn"));
  }
  Call all_groups{Api::elbv2, "DescribeTargetGroups"};
  auto groups = co_await client_.call(ctx, std::move(all_groups));
  if (!groups.ok()) co_return groups.status();
  for (const XmlElement group : groups->result().list("TargetGroups")) {
    samples_.emplace("TargetGroupArn", group.text("TargetGroupArn"));
  }
  Call of_one{Api::elbv2, "DescribeListeners"};
  if (!name_subjects(of_one)) co_return Status();
  auto listeners = co_await client_.call(ctx, std::move(of_one));
  if (!listeners.ok()) co_return listeners.status();
  for (const XmlElement listener : listeners->result().list("Listeners")) {
    samples_.emplace("ListenerArn", listener.text("ListenerArn"));
  }
  co_return Status();
}

bool Trial::name_subjects(Call& call) const {
  for (const TrialSubject& subject : kTrialSubjects) {
    if (subject.action != call.action) continue;
    const auto sample = samples_.find(subject.parameter);
    if (sample == samples_.end()) return false;
    call.params.set(subject.parameter, sample->second);
  }
  return true;
}

// A stand-in for EC2 that does not mind DryRun would carry the writes out: a read tells.
Task<void> Trial::check_dry_run(Ctx ctx) {
  Call call{Api::ec2, "DescribeAvailabilityZones"};
  call.params.set("DryRun", true);
  const Status status = co_await client_.run(ctx, std::move(call));
  dry_runs_ = has_code(status, "DryRunOperation");
}

// permission_denied: it is missing. ok: it is there. Other failures do not tell.
Task<Status> Trial::try_one(Ctx ctx, std::string permission) {
  const bool ec2 = permission.starts_with(kEc2Prefix);
  // AWS itself asks for the permission of iam, with an account's first load balancer.
  if (!ec2 && !permission.starts_with(kBalancingPrefix)) co_return Status();
  Call call{ec2 ? Api::ec2 : Api::elbv2, permission.substr(permission.find(':') + 1)};
  const bool read = is_read(call.action);
  if (!ec2 && !read) co_return Status();
  if (!read && !dry_runs_) {
    co_return Status(Code::unavailable, "this EC2 does not answer a dry run as EC2 does");
  }
  if (!name_subjects(call)) {
    co_return Status(Code::unavailable, "there is nothing to try it with");
  }
  call.idempotent = true;
  if (ec2) {
    add_details(call.action, cluster_.vpc_id, call.params);
    call.params.set("DryRun", true);
  }
  Status status = co_await client_.run(ctx, std::move(call));
  if (ec2 && !read && status.ok()) {
    dry_runs_ = false;
    co_return Status(Code::internal, "EC2 took no notice of DryRun and carried it out");
  }
  if (has_code(status, "DryRunOperation")) status = Status();
  co_return status;
}

Task<Status> Trial::run(Ctx ctx, std::vector<std::string> permissions) {
  // What keeps them from being found is one of those that are tried.
  Status found = co_await find_samples(ctx);
  const bool balances = std::any_of(
      permissions.begin(), permissions.end(),
      [](const std::string& permission) { return permission.starts_with(kBalancingPrefix); });
  if (balances) found = co_await find_balancers(ctx);
  co_await check_dry_run(ctx);
  std::string missing;
  for (const std::string& permission : permissions) {
    Status status = co_await try_one(ctx, permission);
    if (status.code() == Code::permission_denied) {
      missing += (missing.empty() ? "" : ", ") + permission;
    } else if (!status.ok()) {
      host_.log.warning("A permission could not be tried",
                        {{"permission", permission}, {"err", status}});
    }
  }
  if (missing.empty()) co_return Status();
  co_return Status(Code::invalid_argument, ErrorClass::auth, "the credential lacks " + missing);
}

}  // namespace ccm::aws
