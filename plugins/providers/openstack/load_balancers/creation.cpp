// The load balancer that a Service asks for, and its creation in one request (OS-230..OS-253).
#include "operations.hpp"

#include <set>
#include <string>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr milliseconds kUnansweredFor{60'000};
constexpr milliseconds kUnansweredPause{5'000};

// Why a Service of both families has an address of one.
std::string one_family_alone(const Features& features, const std::string& family) {
  const std::string said =
      "spec.ipFamilies: the load balancer has an address of " + family + " alone";
  if (!features.additional_vips) {
    return said + ": two need Octavia 2.26 and a provider other than ovn";
  }
  return said +
         ": it gets two only when it is created, without port-id, on a network on which Nodes have "
         "addresses of both families";
}

std::string members_that_stay(const ExistingLoadBalancer& balancer) {
  std::set<std::string> addresses;
  for (const ExistingListener& listener : balancer.listeners) {
    const ExistingPool* pool = listener.ours ? balancer.pool(listener.pool_id) : nullptr;
    if (pool == nullptr) continue;
    for (const Member& member : pool->members) addresses.insert(member.address);
  }
  if (addresses.empty()) return {};
  return addresses.size() == 1
             ? "; the one member that it has stays"
             : "; the " + std::to_string(addresses.size()) + " members that it has stay";
}

Status no_member_subnet(const std::string& id) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "member-subnet-id: Neutron shows no subnet " + id)
      .with_reason("SubnetNotFound");
}

Status perhaps_made() {
  return Status(Code::unavailable, ErrorClass::waiting,
                "Octavia did not answer the creation in time and may still carry it out")
      .with_reason("CloudBusy")
      .with_retry_after(kUnansweredPause);
}

}  // namespace

Task<Result<WantedLoadBalancer>> LoadBalancers::want(Ctx ctx, Subject& subject,
                                                     const ExistingLoadBalancer* balancer) {
  const ServiceOptions& options = subject.options;
  std::string family = family_of(subject.service);
  if (balancer != nullptr) family = balancer->v6() ? "IPv6" : "IPv4";
  if (family.empty()) family = "IPv4";
  std::string vip_subnet;
  const bool nothing_said = options.subnet_id.empty() && options.network_id.empty();
  if (nothing_said && (balancer == nullptr || !options.port_id.empty())) {  // OS-236
    auto found = co_await addresses_.subnet_of_nodes(ctx, subject.backends, family);
    if (!found.ok()) co_return found.status();
    vip_subnet = *std::move(found);
    if (vip_subnet.empty() && balancer == nullptr && options.port_id.empty()) {
      co_return no_subnet(subject.backends);
    }
  }
  const bool network_alone = options.subnet_id.empty() && !options.network_id.empty();
  // Octavia would choose a subnet of IPv4 where there is one, whatever the Service's first family.
  if (network_alone && balancer == nullptr && options.port_id.empty() && family == "IPv6") {
    auto found = co_await addresses_.subnet_on(ctx, options.network_id, family);
    if (!found.ok()) co_return found.status();
    vip_subnet = *std::move(found);
  }
  Status chosen = co_await choose_members(ctx, subject, balancer, family, vip_subnet);
  if (!chosen.ok()) co_return chosen;
  const Features features = features_of(
      subject.octavia_minor, balancer != nullptr ? balancer->provider : settings_.lb_provider);
  const bool two_families = subject.service.ip_families.size() == 2;
  bool dual_stack = balancer != nullptr && balancer->dual_stack();
  std::string second_subnet;
  if (two_families && balancer == nullptr && features.additional_vips && options.port_id.empty()) {
    const std::string& first = options.subnet_id.empty() ? vip_subnet : options.subnet_id;
    auto found = co_await addresses_.second_subnet(ctx, subject.backends, other_family(family),
                                                   first, options.network_id);
    if (!found.ok()) co_return found.status();
    second_subnet = *std::move(found);
    dual_stack = !second_subnet.empty();
  }
  const BuildOptions build{options,    settings_,          features,
                           family,     subject.members,    subject.member_subnet,
                           dual_stack, subject.cluster_uid};
  auto wanted = wanted_load_balancer(subject.service, subject.backends, build);
  if (!wanted.ok()) co_return wanted;
  if (wanted->subnet_id.empty()) wanted->subnet_id = vip_subnet;
  wanted->second_subnet_id = second_subnet;
  if (balancer != nullptr) {
    wanted->provider = balancer->provider;
    wanted->drains = settings_.member_drain_timeout > milliseconds(0) && !wanted->serial &&
                     balancer->provider != "ovn";  // OS-451
  }
  if (two_families && !dual_stack) {
    subject.problems.push_back({"LoadBalancerIPFamilyIgnored", one_family_alone(features, family)});
  }
  for (const Problem& problem : wanted->problems) subject.problems.push_back(problem);
  subject.no_members = wanted->no_members;
  if (balancer != nullptr && !subject.no_members.empty()) {
    subject.no_members += members_that_stay(*balancer);
  }
  co_return wanted;
}

// The Service's families decide, whatever that of the VIP is: in an IPv4 cluster nothing listens at
// a Node's other addresses (OS-281, OS-398).
Task<Status> LoadBalancers::choose_members(Ctx ctx, Subject& subject,
                                           const ExistingLoadBalancer* balancer, std::string family,
                                           std::string vip_subnet) {
  const ServiceOptions& options = subject.options;
  subject.members.families = subject.service.ip_families;
  if (subject.members.families.empty()) subject.members.families = {family};
  subject.member_subnet = options.member_subnet_id;
  if (options.member_subnet_said) {
    const auto subnet = co_await addresses_.subnet(ctx, options.member_subnet_id);
    if (subnet.status().error_class() == ErrorClass::not_found)
      co_return no_member_subnet(options.member_subnet_id);
    if (!subnet.ok()) co_return subnet.status().with_context("member-subnet-id");
    subject.members.subnet = parse_cidr(subnet->cidr);
  }
  const std::string& first = subject.members.families.front();
  if (subject.member_subnet.empty() && first != family) {
    auto found = co_await addresses_.subnet_of_nodes(ctx, subject.backends, first);
    if (!found.ok()) co_return found.status();
    subject.member_subnet = *std::move(found);
  }
  if (subject.member_subnet.empty()) subject.member_subnet = vip_subnet;
  if (subject.member_subnet.empty() && balancer != nullptr) {
    subject.member_subnet = balancer->vip_subnet_id;
  }
  co_return Status();
}

// Octavia 2025.1 forgets the port of a load balancer that it refuses for one of its listeners,
// pools or members. It is asked for the whole once: alone it is made, and its parts as far as they
// may be.
Task<Result<ExistingLoadBalancer>> LoadBalancers::create(Ctx ctx, Subject& subject) {
  const std::string& uid = subject.service.uid;
  if (unanswered(uid)) co_return perhaps_made();
  const auto wanted = co_await want(ctx, subject, nullptr);
  if (!wanted.ok()) co_return wanted.status();
  notices_.tell(subject.service, subject.problems);
  auto made = co_await octavia_.create(ctx, creation(*wanted), subject.service.namespace_name);
  if (made.status().refused() && !wanted->serial) {
    auto alone = *wanted;
    alone.serial = true;
    made = co_await octavia_.create(ctx, creation(alone), subject.service.namespace_name);
  }
  if (made.ok()) subject.done = "created";
  if (made.status().code() == Code::deadline_exceeded) {
    unanswered_[uid] = host_.timer.now() + kUnansweredFor;
  }
  co_return made;
}

// Octavia goes on with a creation whose client gave up, and shows its load balancer only then.
bool LoadBalancers::unanswered(const std::string& uid) {
  const milliseconds now = host_.timer.now();
  std::erase_if(unanswered_, [now](const auto& each) { return each.second <= now; });
  return unanswered_.contains(uid);
}

}  // namespace ccm::openstack
