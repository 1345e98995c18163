#include "elb.hpp"

#include "aws/api/error.hpp"
#include "elbv2.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

constexpr int kClassicPage = 400;
constexpr std::size_t kTriesWithInstances = 4;

Call elb_write(const char* action, const std::string& name) {
  Call call{Api::elb, action};
  call.idempotent = true;
  call.params.set("LoadBalancerName", name);
  return call;
}

void set_instances(Params& params, const std::vector<std::string>& instances) {
  for (const std::string& id : instances) {
    Params instance;
    instance.set("InstanceId", id);
    params.add("Instances", instance);
  }
}

Params listener_params(const ClassicListener& listener) {
  Params out;
  out.set("Protocol", listener.protocol).set("LoadBalancerPort", listener.port);
  out.set("InstanceProtocol", listener.instance_protocol);
  out.set("InstancePort", listener.instance_port);
  if (!listener.certificate.empty()) out.set("SSLCertificateId", listener.certificate);
  return out;
}

ClassicAttributes read_classic_attributes(XmlElement all) {
  ClassicAttributes out;
  const XmlElement log = all.child("AccessLog");
  out.access_log = log.flag("Enabled");
  out.emit_interval = log.number("EmitInterval").value_or(60);
  out.bucket = log.text("S3BucketName");
  out.prefix = log.text("S3BucketPrefix");
  const XmlElement draining = all.child("ConnectionDraining");
  out.draining = draining.flag("Enabled");
  out.draining_timeout = draining.number("Timeout").value_or(300);
  out.idle_timeout = all.child("ConnectionSettings").number("IdleTimeout").value_or(60);
  out.cross_zone = all.child("CrossZoneLoadBalancing").flag("Enabled");
  return out;
}

Params attributes_params(const ClassicAttributes& attributes) {
  Params out;
  out.set("AccessLog.Enabled", attributes.access_log);
  if (attributes.access_log) {
    out.set("AccessLog.EmitInterval", attributes.emit_interval);
    out.set("AccessLog.S3BucketName", attributes.bucket);
    if (!attributes.prefix.empty()) out.set("AccessLog.S3BucketPrefix", attributes.prefix);
  }
  out.set("ConnectionDraining.Enabled", attributes.draining);
  if (attributes.draining) out.set("ConnectionDraining.Timeout", attributes.draining_timeout);
  out.set("ConnectionSettings.IdleTimeout", attributes.idle_timeout);
  out.set("CrossZoneLoadBalancing.Enabled", attributes.cross_zone);
  return out;
}

std::set<std::string> set_of(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

}  // namespace

Elb::Elb(Host& host, Client& client)
    : client_(client), balancers_(host, [this](Ctx ctx, ClassicList& out) {
        return read_balancers(std::move(ctx), out);
      }) {}

Task<Status> Elb::read_balancers(Ctx ctx, ClassicList& out) {
  Call call{Api::elb, "DescribeLoadBalancers"};
  call.params.set("PageSize", kClassicPage);
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement member : page.list("LoadBalancerDescriptions")) {
      auto balancer = read_classic_balancer(member);
      if (!balancer.ok()) return balancer.status();
      out[balancer->name] = *std::move(balancer);
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Result<Snapshot<ClassicList>::Ptr>> Elb::list(Ctx ctx, std::chrono::milliseconds max_age) {
  return balancers_.get(std::move(ctx), max_age);
}

void Elb::note(const ClassicBalancer& balancer) {
  balancers_.edit([balancer](ClassicList& list) { list[balancer.name] = balancer; });
}

Task<Result<TagsByOwner>> Elb::tags(Ctx ctx, std::vector<std::string> names) {
  return describe_tags(client_, std::move(ctx), Api::elb, std::move(names));
}

Task<Result<ClassicAttributes>> Elb::attributes(Ctx ctx, std::string name) {
  Call call{Api::elb, "DescribeLoadBalancerAttributes"};
  call.params.set("LoadBalancerName", name);
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  co_return read_classic_attributes(answer->result().child("LoadBalancerAttributes"));
}

Task<Status> Elb::write(Ctx ctx, Call call, ClassicBalancer& balancer, ClassicBalancer done) {
  Status sent = co_await client_.run(ctx, std::move(call));
  if (!sent.ok()) co_return sent;
  balancer = std::move(done);
  note(balancer);
  co_return Status();
}

Task<Result<ClassicBalancer>> Elb::create(Ctx ctx, ClassicCreation wish) {
  Call call = elb_write("CreateLoadBalancer", wish.name);
  for (const auto& [port, listener] : wish.listeners) {
    call.params.add("Listeners", listener_params(listener));
  }
  call.params.add_all("Subnets", wish.subnets).add_all("SecurityGroups", wish.groups);
  if (wish.internal) call.params.set("Scheme", "internal");
  add_pairs(call.params, "Tags", wish.tags);
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  ClassicBalancer made;
  made.name = wish.name;
  made.dns_name = answer->result().text("DNSName");
  if (made.dns_name.empty()) co_return bad_answer("has no DNSName");
  made.internal = wish.internal;
  made.listeners = std::move(wish.listeners);
  made.subnets = std::move(wish.subnets);
  made.groups = std::move(wish.groups);
  note(made);
  co_return made;
}

Task<Status> Elb::set_health(Ctx ctx, ClassicBalancer& balancer, ClassicHealth health) {
  Call call = elb_write("ConfigureHealthCheck", balancer.name);
  Params check;
  check.set("Target", health.target).set("Interval", health.interval);
  check.set("Timeout", health.timeout).set("HealthyThreshold", health.healthy);
  check.set("UnhealthyThreshold", health.unhealthy);
  call.params.set("HealthCheck", check);
  ClassicBalancer done = balancer;
  done.health = std::move(health);
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::set_attributes(Ctx ctx, std::string name, ClassicAttributes attributes) {
  Call call = elb_write("ModifyLoadBalancerAttributes", name);
  call.params.set("LoadBalancerAttributes", attributes_params(attributes));
  return client_.run(std::move(ctx), std::move(call));
}

Task<Status> Elb::delete_listeners(Ctx ctx, ClassicBalancer& balancer, std::vector<int64_t> ports) {
  Call call = elb_write("DeleteLoadBalancerListeners", balancer.name);
  ClassicBalancer done = balancer;
  for (const int64_t port : ports) {
    call.replaces += (call.replaces.empty() ? "listener " : ", ") + std::to_string(port);
    call.params.add("LoadBalancerPorts", std::to_string(port));
    done.listeners.erase(port);
  }
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::create_listeners(Ctx ctx, ClassicBalancer& balancer,
                                   std::vector<ClassicListener> listeners) {
  Call call = elb_write("CreateLoadBalancerListeners", balancer.name);
  ClassicBalancer done = balancer;
  for (const ClassicListener& listener : listeners) {
    call.params.add("Listeners", listener_params(listener));
    done.listeners[listener.port] = listener;
  }
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::register_instances(Ctx ctx, ClassicBalancer& balancer,
                                     std::vector<std::string> instances,
                                     std::vector<std::string>& refused) {
  Status sent;
  for (std::size_t i = 0; i < kTriesWithInstances && !instances.empty(); ++i) {
    Call call = elb_write("RegisterInstancesWithLoadBalancer", balancer.name);
    set_instances(call.params, instances);
    ClassicBalancer done = balancer;
    done.instances.insert(instances.begin(), instances.end());
    sent = co_await write(ctx, std::move(call), balancer, std::move(done));
    if (!has_code(sent, "InvalidInstance")) break;
    const auto bad = set_of(named_instances(sent.message()));
    const auto dropped = std::erase_if(instances, [&](const auto& id) { return bad.contains(id); });
    if (dropped == 0) break;
    refused.insert(refused.end(), bad.begin(), bad.end());
    if (instances.empty()) sent = Status();
  }
  co_return sent;
}

Task<Status> Elb::deregister_instances(Ctx ctx, ClassicBalancer& balancer,
                                       std::vector<std::string> instances) {
  Call call = elb_write("DeregisterInstancesFromLoadBalancer", balancer.name);
  set_instances(call.params, instances);
  ClassicBalancer done = balancer;
  for (const std::string& id : instances) done.instances.erase(id);
  Status sent = co_await write(ctx, std::move(call), balancer, std::move(done));
  if (has_code(sent, "InvalidInstance")) sent = Status();  // gone already
  co_return sent;
}

Task<Status> Elb::attach_subnets(Ctx ctx, ClassicBalancer& balancer,
                                 std::vector<std::string> subnets) {
  Call call = elb_write("AttachLoadBalancerToSubnets", balancer.name);
  call.params.add_all("Subnets", subnets);
  ClassicBalancer done = balancer;
  done.subnets.insert(done.subnets.end(), subnets.begin(), subnets.end());
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::detach_subnets(Ctx ctx, ClassicBalancer& balancer,
                                 std::vector<std::string> subnets) {
  Call call = elb_write("DetachLoadBalancerFromSubnets", balancer.name);
  call.params.add_all("Subnets", subnets);
  ClassicBalancer done = balancer;
  const auto gone = set_of(subnets);
  std::erase_if(done.subnets, [&](const std::string& id) { return gone.contains(id); });
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::set_groups(Ctx ctx, ClassicBalancer& balancer, std::vector<std::string> groups) {
  Call call = elb_write("ApplySecurityGroupsToLoadBalancer", balancer.name);
  call.params.add_all("SecurityGroups", groups);
  ClassicBalancer done = balancer;
  done.groups = std::move(groups);
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::create_policy(Ctx ctx, ClassicBalancer& balancer, std::string policy,
                                std::string type, Tags attributes) {
  Call call = elb_write("CreateLoadBalancerPolicy", balancer.name);
  call.params.set("PolicyName", policy).set("PolicyTypeName", type);
  for (const auto& [name, value] : attributes) {
    Params attribute;
    attribute.set("AttributeName", name).set("AttributeValue", value);
    call.params.add("PolicyAttributes", attribute);
  }
  ClassicBalancer done = balancer;
  done.policies.insert(policy);
  Status sent = co_await write(ctx, std::move(call), balancer, std::move(done));
  if (has_code(sent, "DuplicatePolicyName")) sent = Status();
  co_return sent;
}

Task<Status> Elb::set_listener_policies(Ctx ctx, ClassicBalancer& balancer, int64_t port,
                                        std::vector<std::string> policies) {
  Call call = elb_write("SetLoadBalancerPoliciesOfListener", balancer.name);
  call.params.set("LoadBalancerPort", port).add_all("PolicyNames", policies);
  ClassicBalancer done = balancer;
  done.listeners[port].policies = set_of(policies);
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::set_port_policies(Ctx ctx, ClassicBalancer& balancer, int64_t instance_port,
                                    std::vector<std::string> policies) {
  Call call = elb_write("SetLoadBalancerPoliciesForBackendServer", balancer.name);
  call.params.set("InstancePort", instance_port);
  // An empty list has to be said.
  if (policies.empty()) call.params.set("PolicyNames", "");
  call.params.add_all("PolicyNames", policies);
  ClassicBalancer done = balancer;
  done.port_policies[instance_port] = set_of(policies);
  return write(std::move(ctx), std::move(call), balancer, std::move(done));
}

Task<Status> Elb::add_tags(Ctx ctx, std::string name, Tags tags) {
  Call call{Api::elb, "AddTags"};
  call.idempotent = true;
  call.params.add("LoadBalancerNames", name);
  add_pairs(call.params, "Tags", tags);
  return client_.run(std::move(ctx), std::move(call));
}

Task<Status> Elb::delete_balancer(Ctx ctx, std::string name) {
  Call call = elb_write("DeleteLoadBalancer", name);
  call.replaces = "load balancer " + name;
  Status sent = co_await client_.run(ctx, std::move(call));
  if (is_not_found(sent)) sent = Status();
  if (sent.ok()) balancers_.edit([name](ClassicList& list) { list.erase(name); });
  co_return sent;
}

}  // namespace ccm::aws
