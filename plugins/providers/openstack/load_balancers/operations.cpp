#include "operations.hpp"

#include "annotations.hpp"
#include "certificates.hpp"

#include <ccm/namespace_rules.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr int kRounds = 6;  // until parts of parts are there
constexpr milliseconds kNow{1};
constexpr int kTagsVersion = 5;                     // of Octavia's API
constexpr milliseconds kOperationTimeout{120'000};  // a creation may wait for its turn before

bool ever_served(const LoadBalancerService& service) {
  return service.object.at("/status/loadBalancer/ingress/0").exists();
}

bool any_listener_works(const ExistingLoadBalancer& balancer) {
  return std::any_of(balancer.listeners.begin(), balancer.listeners.end(),
                     [](const ExistingListener& each) { return each.status == "ACTIVE"; });
}

std::string named(const LoadBalancerWrites& writes) {
  std::string text;
  for (const LoadBalancerWrite& write : writes) text += (text.empty() ? "" : ", ") + write.what;
  return text;
}

// In that state, without an address.
LoadBalancer described(const ExistingLoadBalancer& balancer, LoadBalancerState state) {
  LoadBalancer out;
  out.state = state;
  out.id = balancer.id;
  out.name = balancer.name;
  return out;
}

Status not_owned(const std::string& id) {
  return Status(Code::failed_precondition,
                "load balancer " + id + " has no tag that says that it is this Service's")
      .with_reason("NotOwned");
}

LoadBalancer foreign_one() {
  LoadBalancer out;
  out.state = LoadBalancerState::foreign;
  return out;
}

// OS-198.
std::vector<Label> address_annotation(const std::string& address) {
  return {{std::string(annotation::kLoadBalancerAddress), address}};
}

void append(LoadBalancerWrites& to, LoadBalancerWrites from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

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

Status being_deleted(const std::string& id, milliseconds pause) {
  return Status(Code::unavailable, ErrorClass::waiting, "load balancer " + id + " is being deleted")
      .with_reason("CloudBusy")
      .with_retry_after(pause);
}

Status being_changed(const std::string& id, milliseconds pause) {
  return Status(Code::unavailable, ErrorClass::waiting, "load balancer " + id + " is being changed")
      .with_reason("CloudBusy")
      .with_retry_after(pause);
}

Status takes_no_change(const std::string& id) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                "load balancer " + id +
                    " is shared and in the state ERROR: an administrator has to repair it with "
                    "\"openstack loadbalancer failover " +
                    id + "\" before a Service can leave it")
      .with_reason("LoadBalancerError");
}

}  // namespace

LoadBalancerLimits LoadBalancers::limits() {
  LoadBalancerLimits limits;
  limits.timeout = kOperationTimeout;
  limits.id_annotation = std::string(annotation::kLoadBalancerId);
  return limits;
}

Task<Result<LoadBalancers::Subject>> LoadBalancers::subject(Ctx ctx,
                                                            const LoadBalancerService& service,
                                                            const Backends& backends) {
  auto options = read_service_options(service, settings_, classes_);
  if (!options.ok()) co_return options.status();
  const auto minor = co_await octavia_.version(ctx);
  if (!minor.ok()) co_return minor.status();
  if (*minor < kTagsVersion) {
    co_return Status(Code::unimplemented, ErrorClass::unsupported,
                     "load balancers need Octavia's API 2.5, which has tags; this one is 2." +
                         std::to_string(*minor));
  }
  const auto cluster = co_await cluster_.get(ctx);
  if (!cluster.ok()) co_return cluster.status();
  Subject made{service, backends, *std::move(options), *minor, *cluster, {}, {}, {}, {}, {}};
  made.problems = made.options.problems;
  if (made.options.keep_floating_ip && !keeps_floating_ip(host_.config, service)) {
    made.options.keep_floating_ip = false;
    made.problems.push_back({"InvalidAnnotation", std::string(annotation::kKeepFloatingip) +
                                                      ": it does not count in the namespace " +
                                                      service.namespace_name + " (--" +
                                                      kRetentionFlag + ")"});
  }
  if (!made.options.tls_container_ref.empty() && settings_.container_store == "barbican") {
    Status known = co_await check_certificate(api_, ctx, made.options.tls_container_ref);
    if (!known.ok()) co_return known;
  }
  co_return made;
}

Task<Result<LoadBalancer>> LoadBalancers::ensure(Ctx ctx, LoadBalancerService service,
                                                 Backends backends) {
  auto about = co_await subject(ctx, service, backends);
  if (!about.ok()) co_return about.status();
  auto found = co_await finder_.find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) {
    auto made = co_await create(ctx, *about);
    if (!made.ok()) co_return made.status();
    *found = *std::move(made);
  }
  ExistingLoadBalancer& balancer = **found;
  auto settled = co_await settle(ctx, *about, balancer);
  notices_.tell(service, about->problems);
  if (settled.ok()) co_return settled;
  LoadBalancer so_far = described(balancer, LoadBalancerState::pending);
  so_far.difference = about->done;
  co_return Result<LoadBalancer>(settled.status(), std::move(so_far));
}

Task<Result<LoadBalancer>> LoadBalancers::settle(Ctx ctx, Subject& subject,
                                                 ExistingLoadBalancer& balancer) {
  const auto whose = co_await finder_.claim(ctx, subject.service, balancer);
  if (!whose.ok()) co_return whose.status();
  if (*whose == Claim::none) co_return foreign_one();
  bool more = true;
  for (int round = 0; round < kRounds && more && balancer.status == "ACTIVE"; ++round) {
    const auto changed = co_await change(ctx, subject, balancer, *whose);
    if (is_dry_run(changed.status())) {
      (void)co_await apply_security_group(ctx, subject, balancer, true);
      co_return changed.status();
    }
    if (!changed.ok()) co_return changed.status();
    more = *changed;
  }
  if (balancer.status == "ERROR") {
    Status failed = co_await broken(ctx, subject, balancer);
    co_return failed;
  }
  const milliseconds pause = pending_pause_.of(balancer);
  if (balancer.pending()) {
    LoadBalancer pending = described(balancer, LoadBalancerState::pending);
    pending.retry_after = pause;
    pending.difference = subject.done;
    co_return pending;
  }
  auto served = co_await serve(ctx, subject, balancer, true);
  if (!served.ok()) co_return served;
  const auto differed = co_await apply_security_group(ctx, subject, balancer, true);
  if (!differed.ok()) co_return differed.status();
  served->difference = subject.done;
  co_return served;
}

Task<Result<bool>> LoadBalancers::apply_security_group(Ctx ctx, Subject& subject,
                                                       const ExistingLoadBalancer& balancer,
                                                       bool write) {
  if (!settings_.manage_security_groups) co_return false;
  if (!subject.no_members.empty()) co_return false;  // those of the members that stay
  const bool keeps_clients = balancer.provider == "ovn";
  auto differed =
      co_await access_.apply(ctx, subject.service, subject.backends, subject.options,
                             subject.members, subject.member_subnet, keeps_clients, write);
  if (differed.ok() && *differed) {
    subject.done += (subject.done.empty() ? "" : ", ") + std::string("security group");
  }
  co_return differed;
}

std::string LoadBalancers::plan_repair(const ExistingLoadBalancer& balancer,
                                       WantedLoadBalancer& wanted) {
  std::string failed = failed_parts(balancer, true);
  if (failed.empty()) {
    repairs_.forget(balancer.id);
  } else {
    wanted.repair = repairs_.begin(balancer.id);
  }
  return failed;
}

// The tags come first, so that a load balancer that is shared is not deleted meanwhile; when it is
// taken over they come last, because from then on the former owner's listeners are not its own.
Task<Result<bool>> LoadBalancers::change(Ctx ctx, Subject& subject, ExistingLoadBalancer& balancer,
                                         Claim first) {
  const LoadBalancerService& service = subject.service;
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  const bool marked = balancer.tagged(service_mark(service));
  const Claim owner = marked ? Claim::owner : first;
  claim_listeners(service, owner, balancer);
  auto wanted = co_await want(ctx, subject, &balancer);
  if (!wanted.ok()) co_return wanted.status();
  wanted->takeover = owner == Claim::takeover;
  if (owner == Claim::guest) {
    Status may = co_await finder_.may_join(ctx, service, subject.cluster_uid, balancer);
    if (may.ok()) may = may_share(balancer, subject.options.internal, settings_.max_shared_lb);
    if (!may.ok()) co_return may;
  }
  Status free = check_collisions(*wanted, balancer);
  if (!free.ok()) co_return free;
  const std::string failed = plan_repair(balancer, *wanted);
  LoadBalancerWrites content = differences(*wanted, balancer);
  LoadBalancerWrites tags;
  // The state that the Go manager left stays as it is while nothing else changes.
  if (owner != Claim::owner || !content.empty()) {
    tags = tagging(service, owner, balancer, subject.cluster_uid);
  }
  // The tags of a takeover come last.
  if (owner == Claim::takeover) std::swap(tags, content);
  LoadBalancerWrites writes = std::move(tags);
  append(writes, std::move(content));
  if (writes.empty() && !failed.empty()) co_return not_applied(balancer, failed);
  if (writes.empty()) co_return false;
  Status sent = co_await octavia_.send_all(ctx, balancer, std::move(writes), subject.done);
  if (!sent.ok()) co_return sent;
  co_return true;
}

Task<Result<LoadBalancer>> LoadBalancers::serve(Ctx ctx, Subject& subject,
                                                const ExistingLoadBalancer& balancer, bool make) {
  const auto address = co_await addresses_.address_for(ctx, subject.service, subject.options,
                                                       balancer, make, subject.problems);
  if (!address.ok()) co_return address.status();
  if (!address->done.empty()) {
    subject.done += (subject.done.empty() ? "" : ", ") + address->done;
  }
  LoadBalancer out =
      described(balancer, address->text.empty()                        ? LoadBalancerState::pending
                          : other_users(subject.service, balancer) > 0 ? LoadBalancerState::shared
                                                                       : LoadBalancerState::active);
  out.difference = subject.done;
  out.no_members = subject.no_members;
  out.node_labels = watched_labels(subject.options.node_selector);
  if (address->text.empty()) co_return out;
  out.ingress = ingress_of(subject.options, *address);
  out.annotations = address_annotation(address->text);
  co_return out;
}

// OS-257: one that this Service made and that never served is deleted, and the next call makes
// another. One that serves may go on doing so, and is left to its administrator.
Task<Status> LoadBalancers::broken(Ctx ctx, Subject& subject, ExistingLoadBalancer& balancer) {
  const LoadBalancerService& service = subject.service;
  Status read = co_await octavia_.read_children(ctx, balancer);
  const std::string what = "load balancer " + balancer.id + " is in the state ERROR" +
                           in_brackets(failed_parts(balancer, false));
  bool disposable = read.ok() && service.adopt_id.empty() && !ever_served(service) &&
                    balancer.name == load_balancer_name(service) && !any_listener_works(balancer) &&
                    balancer.tagged(service_mark(service)) && other_users(service, balancer) == 0;
  if (disposable) {  // it gets a floating IP once it works
    const auto floating = co_await addresses_.floating_address(ctx, balancer);
    if (!floating.ok()) co_return floating.status();
    disposable = floating->empty();
  }
  if (disposable) {
    Status gone = co_await destroy(ctx, service, balancer);
    if (!gone.ok() && gone.error_class() != ErrorClass::waiting) co_return gone;
    co_return Status(Code::unavailable, ErrorClass::unavailable,
                     what + " and never served: it is deleted, and another one is made")
        .with_reason("LoadBalancerError");
  }
  co_return Status(Code::unavailable, ErrorClass::unavailable,
                   what +
                       ". Octavia takes no change of it. An administrator repairs it with "
                       "\"openstack loadbalancer failover " +
                       balancer.id + "\"")
      .with_reason("LoadBalancerError");
}

Task<Result<LoadBalancer>> LoadBalancers::observe(Ctx ctx, LoadBalancerService service,
                                                  Backends backends) {
  auto found = co_await finder_.find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return LoadBalancer();
  ExistingLoadBalancer& balancer = **found;
  const auto whose = co_await finder_.claim(ctx, service, balancer);
  if (!whose.ok()) co_return whose.status();
  if (*whose == Claim::none) co_return foreign_one();
  if (*whose != Claim::owner || balancer.status != "ACTIVE") {
    co_return described(balancer, LoadBalancerState::pending);
  }
  auto about = co_await subject(ctx, service, backends);
  if (!about.ok()) co_return about.status();
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  claim_listeners(service, *whose, balancer);
  auto wanted = co_await want(ctx, *about, &balancer);
  if (!wanted.ok()) co_return wanted.status();
  wanted->repair = !failed_parts(balancer, true).empty();
  auto out = co_await serve(ctx, *about, balancer, false);
  if (!out.ok()) co_return out;
  out->difference = named(differences(*wanted, balancer));
  if (out->ingress.empty()) {
    out->difference += (out->difference.empty() ? "" : ", ") + std::string("floating IP");
  }
  const auto differed = co_await apply_security_group(ctx, *about, balancer, false);
  if (!differed.ok()) co_return differed.status();
  if (*differed) {
    out->difference += (out->difference.empty() ? "" : ", ") + std::string("security group");
  }
  co_return out;
}

Task<Result<LoadBalancer>> LoadBalancers::update(Ctx ctx, LoadBalancerService service,
                                                 Backends backends) {
  auto found = co_await finder_.find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) {
    co_return Status(Code::not_found, ErrorClass::not_found, "the load balancer does not exist");
  }
  ExistingLoadBalancer& balancer = **found;
  const auto whose = co_await finder_.claim(ctx, service, balancer);
  if (!whose.ok()) co_return whose.status();
  if (*whose != Claim::owner) co_return not_owned(balancer.id);
  auto about = co_await subject(ctx, service, backends);
  if (!about.ok()) co_return about.status();
  if (balancer.status == "ERROR") {
    Status failed = co_await broken(ctx, *about, balancer);
    co_return failed;
  }
  if (balancer.pending()) {
    LoadBalancer pending = described(balancer, LoadBalancerState::pending);
    pending.retry_after = pending_pause_.of(balancer);
    co_return pending;
  }
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  claim_listeners(service, *whose, balancer);
  auto wanted = co_await want(ctx, *about, &balancer);
  if (!wanted.ok()) co_return wanted.status();
  const std::string failed = plan_repair(balancer, *wanted);
  const auto draining = drains_.keep(*wanted, balancer, settings_.member_drain_timeout);
  LoadBalancerWrites writes = member_differences(*wanted, balancer);
  if (writes.empty() && !failed.empty()) co_return not_applied(balancer, failed);
  Status sent = co_await octavia_.send_all(ctx, balancer, std::move(writes), about->done);
  if (!sent.ok()) co_return sent;
  if (balancer.status == "ACTIVE" && !draining) {  // until then their Nodes let it in
    const auto differed = co_await apply_security_group(ctx, *about, balancer, true);
    if (!differed.ok()) co_return differed.status();
    auto out = co_await serve(ctx, *about, balancer, false);
    if (out.ok() && out->ingress.empty()) {  // a whole ensure makes it right
      co_return Status(Code::not_found, ErrorClass::not_found,
                       "the load balancer does not have the address of its Service");
    }
    co_return out;
  }
  LoadBalancer out = described(balancer, LoadBalancerState::pending);
  out.retry_after = balancer.pending() ? pending_pause_.of(balancer) : draining.value_or(kNow);
  out.difference = about->done;
  co_return out;
}

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

// The host takes class not_found for "nothing is left", and forgets the load balancer. Something
// that a step needs and that is missing is no such answer.
Task<Status> LoadBalancers::remove(Ctx ctx, LoadBalancerService service) {
  notices_.forget(service);
  Status gone = co_await remove_all(ctx, service);
  if (gone.ok()) finder_.forget(service);
  if (gone.error_class() != ErrorClass::not_found) co_return gone;
  co_return Status(Code::unavailable, ErrorClass::unavailable, gone.message())
      .with_reason(gone.reason());
}

// All that bear the Service's mark: it may have had more than one.
Task<Status> LoadBalancers::remove_all(Ctx ctx, const LoadBalancerService& service) {
  auto all = co_await octavia_.with_tag(ctx, service_mark(service));
  if (!all.ok()) co_return all.status();
  auto found = co_await finder_.find(ctx, service);
  if (!found.ok()) co_return found.status();
  const auto same = [&](const ExistingLoadBalancer& one) { return one.id == (*found)->id; };
  if (*found && std::none_of(all->begin(), all->end(), same)) {
    const auto whose = co_await finder_.claim(ctx, service, **found);
    if (!whose.ok()) co_return whose.status();
    if (*whose == Claim::none && all->empty()) {
      Status closed = co_await access_.remove(ctx, service);
      if (!closed.ok()) co_return closed;
      Status left = co_await disown(ctx, service, **found);
      co_return left;
    }
    if (*whose == Claim::owner) all->push_back(**found);
  }
  for (ExistingLoadBalancer& balancer : *all) {
    Status gone = co_await take_down(ctx, service, balancer);
    if (!gone.ok()) co_return gone;
  }
  // Also when there is no load balancer any more (OS-304), and when groups are not managed
  // (OS-311).
  Status open = co_await access_.remove(ctx, service);
  co_return open;
}

// A hand may have taken the tag off the load balancer alone.
Task<Status> LoadBalancers::disown(Ctx ctx, const LoadBalancerService& service,
                                   ExistingLoadBalancer& balancer) {
  if (balancer.status == "ERROR" || balancer.status == "PENDING_DELETE")
    co_return not_owned(balancer.id);
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  const std::string mark = service_mark(service);
  for (ExistingListener& listener : balancer.listeners) {
    listener.ours = std::binary_search(listener.tags.begin(), listener.tags.end(), mark);
  }
  LoadBalancerWrites writes = removal_of_listeners(balancer);
  if (writes.empty()) co_return not_owned(balancer.id);
  if (balancer.pending()) co_return being_changed(balancer.id, pending_pause_.of(balancer));
  std::string done;
  Status sent = co_await octavia_.send_all(ctx, balancer, std::move(writes), done);
  if (!sent.ok()) co_return sent;
  if (balancer.status != "ACTIVE")
    co_return being_changed(balancer.id, pending_pause_.of(balancer));
  co_return not_owned(balancer.id);
}

Task<Status> LoadBalancers::take_down(Ctx ctx, const LoadBalancerService& service,
                                      ExistingLoadBalancer& balancer) {
  if (balancer.status == "PENDING_DELETE")
    co_return being_deleted(balancer.id, pending_pause_.of(balancer));
  if (balancer.pending()) co_return being_changed(balancer.id, pending_pause_.of(balancer));
  const bool whole = made_by_a_manager(balancer) && other_users(service, balancer) == 0;
  Status gone;
  if (whole) {
    gone = co_await destroy(ctx, service, balancer);
  } else {
    gone = co_await leave(ctx, service, balancer);
  }
  co_return gone;
}

Task<Status> LoadBalancers::remove_whole(Ctx ctx, ExistingLoadBalancer balancer) {
  const milliseconds pause = pending_pause_.of(balancer);
  if (balancer.status == "PENDING_DELETE") co_return being_deleted(balancer.id, pause);
  if (balancer.pending()) co_return being_changed(balancer.id, pause);
  const LoadBalancerService nobody;
  Status gone = co_await destroy(ctx, nobody, balancer);
  co_return gone;
}

// OS-309. The tag goes last: it says that there is something left. Addresses::leave says what
// becomes of the Service's floating IP.
Task<Status> LoadBalancers::leave(Ctx ctx, const LoadBalancerService& service,
                                  ExistingLoadBalancer& balancer) {
  if (balancer.status == "ERROR") co_return takes_no_change(balancer.id);
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  Status released = co_await addresses_.leave(ctx, service, balancer);
  if (!released.ok()) co_return released;
  claim_listeners(service, Claim::owner, balancer);
  std::string done;
  LoadBalancerWrites writes = removal_of_listeners(balancer);
  writes.push_back(tags_of(balancer, without_own_tags(service, balancer.tags)));
  const std::size_t count = writes.size();
  const std::string last = writes.back().what;
  Status sent = co_await octavia_.send_all(ctx, balancer, std::move(writes), done);
  if (!sent.ok()) co_return sent;
  const bool all_sent = done.ends_with(last) && (count == 1 || done.size() > last.size());
  if (!all_sent) co_return being_changed(balancer.id, pending_pause_.of(balancer));
  hint_others(service, balancer);
  co_return Status();
}

// Has the other users looked at: those of other namespaces get an address of their own.
void LoadBalancers::hint_others(const LoadBalancerService& service,
                                const ExistingLoadBalancer& balancer) const {
  for (const MarkedService& user : other_services(service, balancer)) {
    const std::string space = user.namespace_name();
    host_.hints.load_balancer_changed(space, user.service.substr(space.size() + 1));
  }
}

// The floating IP first: it is found by the load balancer's port (OS-307).
Task<Status> LoadBalancers::destroy(Ctx ctx, const LoadBalancerService& service,
                                    ExistingLoadBalancer& balancer) {
  Status released = co_await addresses_.release(ctx, service, balancer);
  if (!released.ok()) co_return released;
  // In ERROR nothing else is possible (OS-256, OS-385).
  const bool cascade = settings_.cascade_delete || balancer.status == "ERROR";
  if (!cascade) {
    Status read = co_await octavia_.read_children(ctx, balancer);
    if (!read.ok()) co_return read;
    LoadBalancerWrites parts = removal_of_parts(balancer);
    if (!parts.empty()) {
      std::string done;
      Status sent = co_await octavia_.send_all(ctx, balancer, std::move(parts), done);
      if (!sent.ok()) co_return sent;
      if (balancer.status != "ACTIVE")
        co_return being_changed(balancer.id, pending_pause_.of(balancer));
    }
  }
  Status deleted = co_await octavia_.send(ctx, removal(balancer, cascade));
  if (!deleted.ok()) co_return deleted;
  auto left = co_await octavia_.find(ctx, balancer.id);
  if (!left.ok()) co_return left.status();
  if (*left) co_return being_deleted(balancer.id, pending_pause_.of(**left));
  pending_pause_.forget(balancer.id);
  repairs_.forget(balancer.id);
  co_return Status();
}

}  // namespace ccm::openstack
