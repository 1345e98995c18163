#include "operations.hpp"

#include "annotations.hpp"
#include "certificates.hpp"

#include <ccm/namespace_rules.hpp>

#include <algorithm>
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

}  // namespace

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
  auto found = co_await find(ctx, service);
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
  const auto whose = co_await claim(ctx, subject.service, balancer);
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
    Status may = co_await may_join(ctx, subject, balancer);
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
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return LoadBalancer();
  ExistingLoadBalancer& balancer = **found;
  const auto whose = co_await claim(ctx, service, balancer);
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
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) {
    co_return Status(Code::not_found, ErrorClass::not_found, "the load balancer does not exist");
  }
  ExistingLoadBalancer& balancer = **found;
  const auto whose = co_await claim(ctx, service, balancer);
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

}  // namespace ccm::openstack
