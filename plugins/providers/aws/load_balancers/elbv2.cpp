#include "elbv2.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

constexpr int kElbPage = 400;
constexpr std::size_t kTargetsACall = 100;
constexpr std::size_t kTaggedACall = 20;
constexpr std::string_view kSourceNat = "EnablePrefixForIpv6SourceNat";
constexpr std::size_t kTriesToRegister = 4;  // AWS may name one bad target at a time

Call elbv2_call(const char* action) { return Call{Api::elbv2, action}; }

Call elbv2_write(const char* action, bool idempotent = false) {
  Call call{Api::elbv2, action};
  call.idempotent = idempotent;
  return call;
}

void set_health(Params& params, const HealthCheck& health) {
  params.set("HealthCheckPort", health.port);
  if (!health.path.empty()) params.set("HealthCheckPath", health.path);
  params.set("HealthCheckIntervalSeconds", health.interval);
  if (health.timeout != 0) params.set("HealthCheckTimeoutSeconds", health.timeout);
  params.set("HealthyThresholdCount", health.healthy);
  params.set("UnhealthyThresholdCount", health.unhealthy);
}

// The parameters of CreateListener and ModifyListener.
void set_listener(Params& params, const WantedListener& wish, const std::string& group_arn) {
  params.set("Protocol", wish.protocol).set("Port", wish.port);
  Params action;
  action.set("Type", "forward").set("TargetGroupArn", group_arn);
  params.add("DefaultActions", action);
  if (wish.protocol != "TLS") return;
  Params certificate;
  certificate.set("CertificateArn", wish.certificates.front());
  params.add("Certificates", certificate);
  if (!wish.ssl_policy.empty()) params.set("SslPolicy", wish.ssl_policy);
  if (!wish.alpn_policy.empty()) params.add("AlpnPolicy", wish.alpn_policy);
}

void set_mappings(Params& params, const std::vector<Subnet>& subnets,
                  const std::vector<std::string>& allocations,
                  const std::vector<std::string>& private_addresses) {
  for (std::size_t i = 0; i < subnets.size(); ++i) {
    Params mapping;
    mapping.set("SubnetId", subnets[i].id);
    if (i < allocations.size()) mapping.set("AllocationId", allocations[i]);
    if (i < private_addresses.size()) mapping.set("PrivateIPv4Address", private_addresses[i]);
    params.add("SubnetMappings", mapping);
  }
}

void set_targets(Params& params, const std::vector<std::string>& instances) {
  for (const std::string& id : instances) {
    Params target;
    target.set("Id", id);
    params.add("Targets", target);
  }
}

bool is_instance_character(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::vector<std::string> named_instances(const std::string& message) {
  std::vector<std::string> ids;
  for (std::size_t at = message.find("i-"); at != std::string::npos;
       at = message.find("i-", at + 1)) {
    std::size_t end = at + 2;
    while (end < message.size() && is_instance_character(message[end])) ++end;
    const std::size_t digits = end - at - 2;
    if (digits == 8 || digits == 17) ids.push_back(message.substr(at, end - at));
  }
  return ids;
}

const NetworkBalancer* NetworkList::find(const std::string& name_or_arn) const {
  const auto name = names.find(name_or_arn);
  const auto found = by_name.find(name != names.end() ? name->second : name_or_arn);
  return found != by_name.end() ? &found->second : nullptr;
}

Elbv2::Elbv2(Host& host, Client& client)
    : client_(client),
      balancers_(host,
                 [this](Ctx ctx, NetworkList& out) { return read_balancers(std::move(ctx), out); }),
      groups_(host, [this](Ctx ctx, Groups& out) { return read_groups(std::move(ctx), out); }) {}

Task<Status> Elbv2::read_balancers(Ctx ctx, NetworkList& out) {
  Call call = elbv2_call("DescribeLoadBalancers");
  call.params.set("PageSize", kElbPage);
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement member : page.list("LoadBalancers")) {
      auto balancer = read_network_balancer(member);
      if (!balancer.ok()) return balancer.status();
      out.names[balancer->arn] = balancer->name;
      out.by_name[balancer->name] = *std::move(balancer);
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Status> Elbv2::read_groups(Ctx ctx, Groups& out) {
  Call call = elbv2_call("DescribeTargetGroups");
  call.params.set("PageSize", kElbPage);
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement member : page.list("TargetGroups")) {
      auto group = read_target_group(member);
      if (!group.ok()) return group.status();
      out[group->arn] = *std::move(group);
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Result<Snapshot<NetworkList>::Ptr>> Elbv2::list(Ctx ctx, std::chrono::milliseconds max_age) {
  return balancers_.get(std::move(ctx), max_age);
}

Task<Result<Snapshot<Elbv2::Groups>::Ptr>> Elbv2::groups(Ctx ctx,
                                                         std::chrono::milliseconds max_age) {
  return groups_.get(std::move(ctx), max_age);
}

void Elbv2::forget() {
  balancers_.forget();
  groups_.forget();
}

void Elbv2::note(const NetworkBalancer& balancer) {
  balancers_.edit([balancer](NetworkList& list) {
    list.names[balancer.arn] = balancer.name;
    list.by_name[balancer.name] = balancer;
  });
}

void Elbv2::note(const TargetGroup& group) {
  groups_.edit([group](Groups& groups) { groups[group.arn] = group; });
}

void Elbv2::note_use(const std::string& group_arn, const std::string& balancer_arn) {
  groups_.edit([group_arn, balancer_arn](Groups& groups) {
    const auto group = groups.find(group_arn);
    if (group == groups.end()) return;
    auto& users = group->second.balancers;
    if (std::find(users.begin(), users.end(), balancer_arn) == users.end()) {
      users.push_back(balancer_arn);
    }
  });
}

Task<Result<TagsByOwner>> Elbv2::tags(Ctx ctx, std::vector<std::string> arns) {
  return describe_tags(client_, std::move(ctx), Api::elbv2, std::move(arns));
}

Task<Status> Elbv2::listeners(Ctx ctx, std::string balancer_arn, std::vector<Listener>& out) {
  Call call = elbv2_call("DescribeListeners");
  call.params.set("LoadBalancerArn", balancer_arn).set("PageSize", kElbPage);
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement member : page.list("Listeners")) {
      auto listener = read_listener(member);
      if (!listener.ok()) return listener.status();
      out.push_back(*std::move(listener));
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Result<Tags>> Elbv2::read_attributes(Ctx ctx, Call call) {
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  Tags out;
  for (const XmlElement attribute : answer->result().list("Attributes")) {
    out[attribute.text("Key")] = attribute.text("Value");
  }
  co_return out;
}

Task<Result<Tags>> Elbv2::attributes(Ctx ctx, std::string balancer_arn) {
  Call call = elbv2_call("DescribeLoadBalancerAttributes");
  call.params.set("LoadBalancerArn", balancer_arn);
  return read_attributes(std::move(ctx), std::move(call));
}

Task<Result<Tags>> Elbv2::group_attributes(Ctx ctx, std::string group_arn) {
  Call call = elbv2_call("DescribeTargetGroupAttributes");
  call.params.set("TargetGroupArn", group_arn);
  return read_attributes(std::move(ctx), std::move(call));
}

Task<Result<std::set<std::string>>> Elbv2::targets(Ctx ctx, std::string group_arn) {
  Call call = elbv2_call("DescribeTargetHealth");
  call.params.set("TargetGroupArn", group_arn);
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  std::set<std::string> out;
  for (const XmlElement target : answer->result().list("TargetHealthDescriptions")) {
    if (target.child("TargetHealth").text("State") == "draining") continue;
    out.insert(target.child("Target").text("Id"));
  }
  co_return out;
}

Task<Status> Elbv2::extra_certificates(Ctx ctx, std::string listener_arn,
                                       std::set<std::string>& out) {
  Call call = elbv2_call("DescribeListenerCertificates");
  call.params.set("ListenerArn", listener_arn);
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement certificate : page.list("Certificates")) {
      if (!certificate.flag("IsDefault")) out.insert(certificate.text("CertificateArn"));
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Result<NetworkBalancer>> Elbv2::create(Ctx ctx, NetworkCreation wish) {
  Call call = elbv2_write("CreateLoadBalancer");
  call.params.set("Name", wish.name).set("Type", "network");
  if (wish.internal) call.params.set("Scheme", "internal");
  if (wish.dual_stack) call.params.set("IpAddressType", "dualstack");
  // Without it AWS refuses listeners of UDP later.
  if (wish.dual_stack && wish.udp) call.params.set(kSourceNat, "on");
  set_mappings(call.params, wish.subnets, wish.allocations, wish.private_addresses);
  call.params.add_all("SecurityGroups", wish.groups);
  add_pairs(call.params, "Tags", wish.tags);
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  for (const XmlElement member : answer->result().list("LoadBalancers")) {
    auto made = read_network_balancer(member);
    if (made.ok()) note(*made);
    co_return made;
  }
  co_return bad_answer("has no load balancer").with_context("CreateLoadBalancer");
}

Task<Result<TargetGroup>> Elbv2::create_group(Ctx ctx, TargetGroup wish, std::string vpc_id,
                                              Tags tags) {
  Call call = elbv2_write("CreateTargetGroup");
  call.params.set("Name", wish.name).set("Protocol", wish.protocol).set("Port", wish.port);
  call.params.set("VpcId", vpc_id).set("TargetType", "instance");
  call.params.set("HealthCheckProtocol", wish.health.protocol);
  set_health(call.params, wish.health);
  add_pairs(call.params, "Tags", tags);
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  for (const XmlElement member : answer->result().list("TargetGroups")) {
    auto made = read_target_group(member);
    if (made.ok()) note(*made);
    co_return made;
  }
  co_return bad_answer("has no target group").with_context("CreateTargetGroup");
}

Task<Result<Listener>> Elbv2::create_listener(Ctx ctx, std::string balancer_arn,
                                              WantedListener wish, std::string group_arn,
                                              Tags tags) {
  Call call = elbv2_write("CreateListener");
  call.params.set("LoadBalancerArn", balancer_arn);
  set_listener(call.params, wish, group_arn);
  add_pairs(call.params, "Tags", tags);
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  note_use(group_arn, balancer_arn);
  for (const XmlElement member : answer->result().list("Listeners"))
    co_return read_listener(member);
  co_return bad_answer("has no listener").with_context("CreateListener");
}

Task<Status> Elbv2::modify_listener(Ctx ctx, std::string balancer_arn, std::string listener_arn,
                                    WantedListener wish, std::string group_arn) {
  Call call = elbv2_write("ModifyListener", true);
  call.params.set("ListenerArn", listener_arn);
  set_listener(call.params, wish, group_arn);
  Status sent = co_await client_.run(ctx, std::move(call));
  if (sent.ok()) note_use(group_arn, balancer_arn);
  co_return sent;
}

Task<Status> Elbv2::change_certificates(Ctx ctx, std::string listener_arn, std::string arn,
                                        bool add) {
  Call call = elbv2_write(add ? "AddListenerCertificates" : "RemoveListenerCertificates", true);
  if (!add) call.replaces = "certificate " + arn;
  Params certificate;
  certificate.set("CertificateArn", arn);
  call.params.set("ListenerArn", listener_arn).add("Certificates", certificate);
  return client_.run(std::move(ctx), std::move(call));
}

Task<Status> Elbv2::modify_health(Ctx ctx, TargetGroup group, HealthCheck wish) {
  Call call = elbv2_write("ModifyTargetGroup", true);
  call.params.set("TargetGroupArn", group.arn);
  set_health(call.params, wish);
  Status sent = co_await client_.run(ctx, std::move(call));
  if (!sent.ok()) co_return sent;
  const int64_t timeout = wish.timeout != 0 ? wish.timeout : group.health.timeout;
  group.health = wish;
  group.health.timeout = timeout;
  note(group);
  co_return Status();
}

Task<Status> Elbv2::modify_attributes(Ctx ctx, std::string balancer_arn, Tags changed) {
  Call call = elbv2_write("ModifyLoadBalancerAttributes", true);
  call.params.set("LoadBalancerArn", balancer_arn);
  add_pairs(call.params, "Attributes", changed);
  return client_.run(std::move(ctx), std::move(call));
}

Task<Status> Elbv2::modify_group_attributes(Ctx ctx, std::string group_arn, Tags changed) {
  Call call = elbv2_write("ModifyTargetGroupAttributes", true);
  call.params.set("TargetGroupArn", group_arn);
  add_pairs(call.params, "Attributes", changed);
  return client_.run(std::move(ctx), std::move(call));
}

Task<Status> Elbv2::target_call(Ctx ctx, std::string action, std::string group_arn,
                                const std::vector<std::string>& instances) {
  Call call{Api::elbv2, std::move(action)};
  call.idempotent = true;
  call.params.set("TargetGroupArn", group_arn);
  set_targets(call.params, instances);
  return client_.run(std::move(ctx), std::move(call));
}

Task<Status> Elbv2::register_targets(Ctx ctx, std::string group_arn,
                                     std::vector<std::string> instances,
                                     std::vector<std::string>& refused) {
  for (std::vector<std::string>& some : chunks(instances, kTargetsACall)) {
    Status sent;
    for (std::size_t i = 0; i < kTriesToRegister && !some.empty(); ++i) {
      sent = co_await target_call(ctx, "RegisterTargets", group_arn, some);
      if (!has_code(sent, "InvalidTarget")) break;
      const auto named = named_instances(sent.message());
      const std::set<std::string> bad(named.begin(), named.end());
      const auto dropped = std::erase_if(some, [&](const auto& id) { return bad.contains(id); });
      if (dropped == 0) break;
      refused.insert(refused.end(), bad.begin(), bad.end());
      if (some.empty()) sent = Status();
    }
    if (!sent.ok()) co_return sent;
  }
  co_return Status();
}

Task<Status> Elbv2::deregister_targets(Ctx ctx, std::string group_arn,
                                       std::vector<std::string> instances) {
  for (const std::vector<std::string>& some : chunks(instances, kTargetsACall)) {
    Status sent = co_await target_call(ctx, "DeregisterTargets", group_arn, some);
    if (!sent.ok() && !has_code(sent, "InvalidTarget")) co_return sent;
  }
  co_return Status();
}

Task<Status> Elbv2::change(Ctx ctx, Call call, NetworkBalancer done) {
  Status sent = co_await client_.run(ctx, std::move(call));
  if (sent.ok()) note(done);
  co_return sent;
}

// What is gone is done.
Task<Status> Elbv2::remove(Ctx ctx, Call call) {
  Status sent = co_await client_.run(ctx, std::move(call));
  if (is_not_found(sent)) co_return Status();
  co_return sent;
}

Task<Status> Elbv2::set_subnets(Ctx ctx, NetworkBalancer balancer, std::vector<Subnet> subnets) {
  Call call = elbv2_write("SetSubnets", true);
  call.params.set("LoadBalancerArn", balancer.arn);
  if (balancer.source_nat) call.params.set(kSourceNat, "on");  // else AWS takes it for off
  balancer.subnets.clear();
  for (const Subnet& subnet : subnets) {  // zones that are there keep their addresses
    balancer.subnets.push_back(subnet.id);
    Params mapping;
    mapping.set("SubnetId", subnet.id);
    const auto allocation = balancer.allocations.find(subnet.id);
    if (allocation != balancer.allocations.end()) mapping.set("AllocationId", allocation->second);
    const auto address = balancer.addresses.find(subnet.id);
    if (address != balancer.addresses.end()) mapping.set("PrivateIPv4Address", address->second);
    call.params.add("SubnetMappings", mapping);
  }
  return change(std::move(ctx), std::move(call), std::move(balancer));
}

Task<Status> Elbv2::set_address_type(Ctx ctx, NetworkBalancer balancer, bool dual_stack) {
  Call call = elbv2_write("SetIpAddressType", true);
  call.params.set("LoadBalancerArn", balancer.arn);
  call.params.set("IpAddressType", dual_stack ? "dualstack" : "ipv4");
  balancer.dual_stack = dual_stack;
  return change(std::move(ctx), std::move(call), std::move(balancer));
}

Task<Status> Elbv2::set_groups(Ctx ctx, NetworkBalancer balancer, std::vector<std::string> groups) {
  Call call = elbv2_write("SetSecurityGroups", true);
  call.params.set("LoadBalancerArn", balancer.arn).add_all("SecurityGroups", groups);
  balancer.groups = std::move(groups);
  return change(std::move(ctx), std::move(call), std::move(balancer));
}

Task<Status> Elbv2::add_tags(Ctx ctx, std::vector<std::string> arns, Tags tags) {
  for (const std::vector<std::string>& some : chunks(arns, kTaggedACall)) {
    Call call = elbv2_write("AddTags", true);
    call.params.add_all("ResourceArns", some);
    add_pairs(call.params, "Tags", tags);
    Status sent = co_await client_.run(ctx, std::move(call));
    if (!sent.ok()) co_return sent;
  }
  co_return Status();
}

Task<Status> Elbv2::remove_tag(Ctx ctx, std::string arn, std::string key) {
  Call call = elbv2_write("RemoveTags", true);
  call.replaces = "tag " + key;
  call.params.add("ResourceArns", arn).add("TagKeys", key);
  return client_.run(std::move(ctx), std::move(call));
}

Task<Status> Elbv2::delete_listener(Ctx ctx, std::string arn) {
  Call call = elbv2_write("DeleteListener", true);
  call.replaces = "listener " + arn;
  call.params.set("ListenerArn", arn);
  return remove(std::move(ctx), std::move(call));
}

Task<Status> Elbv2::delete_group(Ctx ctx, std::string arn) {
  Call call = elbv2_write("DeleteTargetGroup", true);
  call.replaces = "target group " + arn;
  call.params.set("TargetGroupArn", arn);
  Status sent = co_await remove(ctx, std::move(call));
  if (sent.ok()) groups_.edit([arn](Groups& groups) { groups.erase(arn); });
  co_return sent;
}

Task<Status> Elbv2::delete_balancer(Ctx ctx, NetworkBalancer balancer) {
  Call call = elbv2_write("DeleteLoadBalancer", true);
  call.replaces = "load balancer " + balancer.name;
  call.params.set("LoadBalancerArn", balancer.arn);
  Status sent = co_await remove(ctx, std::move(call));
  if (!sent.ok()) co_return sent;
  balancers_.edit([balancer](NetworkList& list) {
    list.names.erase(balancer.arn);
    list.by_name.erase(balancer.name);
  });
  groups_.edit([arn = balancer.arn](Groups& groups) {
    for (auto& [key, group] : groups) std::erase(group.balancers, arn);
  });
  co_return Status();
}

}  // namespace ccm::aws
