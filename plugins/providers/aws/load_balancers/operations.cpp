#include "operations.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kAge{20'000};
// Subnets and route tables change seldom; what a Service or a target needs and is not there is read
// again after a minute, and everything after a failure.
constexpr std::chrono::milliseconds kVpcAge{600'000};
constexpr std::chrono::milliseconds kLackingVpcAge{60'000};
// For a load balancer that is to be made: AWS refuses what is not so any more, and then all is
// read.
constexpr std::chrono::milliseconds kTableAgeToMake{7'200'000};
// An instance that ran so lately and does not any more is refused as a target, by its id.
constexpr std::chrono::milliseconds kInstancesAge{300'000};
constexpr std::chrono::milliseconds kSoon{1'000};
constexpr std::chrono::milliseconds kTimeout{120'000};

// Whether a subnet that the Service names, or the zone of a target, is not there.
bool lacks_subnets(const Network& network, const Subject& subject) {
  std::set<std::string_view> known;
  for (const Subnet& subnet : network.subnets) {
    known.insert(subnet.id);
    known.insert(subnet.zone);
    const auto name = subnet.tags.find("Name");
    if (name != subnet.tags.end()) known.insert(name->second);
  }
  const auto is_missing = [&](const std::string& name) { return !known.contains(name); };
  const auto& named = subject.options.subnets;
  const auto& zones = subject.targets.zones;
  return std::any_of(named.begin(), named.end(), is_missing) ||
         std::any_of(zones.begin(), zones.end(), is_missing);
}

// Whether the Nodes have a security group that is not there.
bool lacks_groups(const SecurityGroups& known, const Subject& subject) {
  for (const auto& groups : subject.targets.groups) {
    for (const std::string& id : groups) {
      if (!known.contains(id)) return true;
    }
  }
  return false;
}

bool names_groups(const Subject& subject, const Settings& settings) {
  return !subject.options.security_groups.empty() ||
         !subject.options.extra_security_groups.empty() || !settings.elb_security_group.empty();
}

// Whether some group gets a rule for each port and range.
bool writes_ranges(const Subject& subject, const Settings& settings) {
  const bool classic = subject.options.kind == Kind::classic;
  const bool named =
      !subject.options.security_groups.empty() || (classic && !settings.elb_security_group.empty());
  return !named || (!classic && !settings.disable_security_group_ingress);
}

Status check_rules(const Subject& subject, const Settings& settings) {
  const std::size_t ports = subject.service.ports.size();
  const std::size_t ranges = subject.clients.size();
  if (!writes_ranges(subject, settings) || !too_many_rules(subject)) return {};
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                std::to_string(ports) + " ports times " + std::to_string(ranges) +
                    " loadBalancerSourceRanges are more rules than the 1,000 of a security group");
}

LoadBalancer in_state(LoadBalancerState state) {
  LoadBalancer out;
  out.state = state;
  return out;
}

LoadBalancer described(const NetworkBalancer& balancer, bool shared) {
  LoadBalancer out = in_state(shared ? LoadBalancerState::shared : LoadBalancerState::active);
  out.id = balancer.arn;
  out.name = balancer.name;
  Ingress& ingress = out.ingress.emplace_back();
  ingress.hostname = balancer.dns_name;
  if (balancer.dns_name.empty()) out.ingress.clear();
  return out;
}

LoadBalancer described(const ClassicBalancer& balancer) {
  LoadBalancer out = in_state(LoadBalancerState::active);
  out.id = balancer.name;
  out.name = balancer.name;
  Ingress& ingress = out.ingress.emplace_back();
  ingress.hostname = balancer.dns_name;
  if (balancer.dns_name.empty()) out.ingress.clear();
  return out;
}

Status soon(const Status& status) {
  return Status(Code::unavailable, ErrorClass::waiting, status.message())
      .with_reason(status.reason())
      .with_retry_after(kSoon);
}

// What the Service names and AWS does not know: no soon retry mends that, its user does.
bool is_named_by_the_service(const Status& status) {
  return has_code(status, "CertificateNotFound") || has_code(status, "AllocationIdNotFound") ||
         has_code(status, "SSLPolicyNotFound");
}

// What AWS has not heard of yet, or another try made meanwhile: the next one sees it (AWS-168).
Status of_a_step(Status status) {
  if (is_named_by_the_service(status)) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, status.message())
        .with_reason(status.reason());
  }
  if (is_not_found(status)) return soon(status);
  for (const std::string_view code : {"DuplicateLoadBalancerName", "DuplicateListener",
                                      "InvalidGroup.Duplicate", "ResourceInUse"}) {
    if (has_code(status, code)) return soon(status);
  }
  return status;
}

// Whether listings may be why a step failed, or may not show what it has done. One for a new load
// balancer may be a day old, so that AWS refuses what is not there any more.
bool may_be_stale(const Status& why, bool exists) {
  switch (why.error_class()) {
    case ErrorClass::auth:
    case ErrorClass::quota:
    case ErrorClass::throttled:
      return false;
    case ErrorClass::invalid_spec:
      return !exists && !is_named_by_the_service(why);
    default:
      return true;
  }
}

void note_own_options(const Subject& subject, LoadBalancer& out) {
  if (subject.own_options.empty()) return;
  out.annotations.push_back({std::string(kOwnOptions), subject.own_options});
}

// The Service gets the annotations, and the next try comes at once.
LoadBalancer before_a_change(const Subject& subject, LoadBalancer out) {
  note_own_options(subject, out);
  out.state = LoadBalancerState::pending;
  out.retry_after = std::chrono::milliseconds(1);
  out.annotations.push_back({std::string(kAppliedOptions), std::string(kUnknownOptions)});
  return out;
}

// Before all else only those by which it is taken over or joined.
void add_tags(Plan& plan, bool owned, Plan::Run run) {
  if (owned) {
    plan.add_last("tags", std::move(run));
  } else {
    plan.add("tags", std::move(run));
  }
}

// A load balancer in the state "failed" does not get better.
Status provisioning_failed(const NetworkBalancer& balancer) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                "AWS could not provision the Network Load Balancer " + balancer.name +
                    ": delete it, and another one is made")
      .with_reason("LoadBalancerFailed");
}

}  // namespace

LoadBalancers::LoadBalancers(Host& host, Client& client, Ec2Instances& instances, Zones& zones,
                             const Cluster& cluster, const Settings& settings)
    : host_(host),
      instances_(instances),
      cluster_(cluster),
      settings_(settings),
      elbv2_(host, client),
      elb_(host, client),
      groups_(host, client, cluster),
      finder_(host, elbv2_, elb_, cluster),
      users_(host.hints, elbv2_, elb_, groups_, finder_.network_tags(), finder_.classic_tags(),
             cluster),
      removal_(host, elbv2_, elb_, groups_, users_, finder_, cluster, settings),
      owned_(elbv2_, elb_, groups_, finder_, removal_, cluster),
      vpc_(host, client, cluster, zones),
      networks_(host, elbv2_, groups_, users_, cluster, settings),
      classics_(host, elb_, groups_, users_, cluster, settings),
      leftovers_(host, groups_),
      notices_(host),
      watch_(host, elbv2_, instances) {}

LoadBalancerLimits LoadBalancers::limits() {
  LoadBalancerLimits limits;
  limits.timeout = kTimeout;
  return limits;
}

Task<Result<LoadBalancer>> LoadBalancers::observe(Ctx ctx, LoadBalancerService service,
                                                  Backends backends) {
  return work(std::move(ctx), std::move(service), std::move(backends), Mode::observe);
}
Task<Result<LoadBalancer>> LoadBalancers::ensure(Ctx ctx, LoadBalancerService service,
                                                 Backends backends) {
  return work(std::move(ctx), std::move(service), std::move(backends), Mode::ensure);
}
Task<Result<LoadBalancer>> LoadBalancers::update(Ctx ctx, LoadBalancerService service,
                                                 Backends backends) {
  return work(std::move(ctx), std::move(service), std::move(backends), Mode::update);
}

// The host takes class not_found for "nothing is left", and forgets the load balancer. Something
// that a step needs and that is missing is no such answer.
Task<Status> LoadBalancers::remove(Ctx ctx, LoadBalancerService service) {
  notices_.forget(service);
  watch_.forget(service);
  seen_.erase(service.uid);
  records_asked_.erase(service.uid);
  Status gone = co_await removal_.remove_all(ctx, service);
  if (!gone.ok() && gone.error_class() != ErrorClass::waiting) {
    elbv2_.forget();
    groups_.forget();
  }
  if (!is_not_found(gone)) co_return gone;
  co_return Status(Code::unavailable, ErrorClass::unavailable, gone.message())
      .with_reason(gone.reason());
}

Task<Result<LoadBalancer>> LoadBalancers::work(Ctx ctx, LoadBalancerService service,
                                               Backends backends, Mode mode) {
  const auto kind = kind_of(service);
  if (!kind) {
    co_return Status(Code::implemented_elsewhere, "another controller makes the load balancer: " +
                                                      std::string(annotation::kType) + " says so");
  }
  auto found = co_await finder_.find(ctx, service, *kind);
  if (!found.ok()) co_return found.status();
  if (found->any() && found->claim == Claim::none) co_return in_state(LoadBalancerState::foreign);
  if (!found->any() && mode == Mode::observe) co_return in_state(LoadBalancerState::absent);
  if (!found->any() && mode == Mode::update) {
    co_return Status(Code::not_found, ErrorClass::not_found, "Load balancer not found");
  }
  if (found->claim == Claim::guest && mode != Mode::observe) {
    Status may = finder_.may_join(service, *found);
    if (!may.ok()) co_return may;
  }
  const bool glance = may_glance(service, *found, mode);
  const bool network = found->any() ? found->network.has_value() : kind == Kind::network;
  Result<LoadBalancer> out = in_state(LoadBalancerState::unknown);
  if (network) {
    NetworkSubject subject(service);
    subject.options.kind = *kind;
    subject.glance = glance;
    Status prepared = co_await prepare(ctx, subject, backends, *found);
    if (!prepared.ok()) co_return prepared;
    out = co_await work_on_network(ctx, subject, *found, mode);
  } else {
    ClassicSubject subject(service);
    subject.options.kind = *kind;
    subject.glance = glance;
    Status prepared = co_await prepare(ctx, subject, backends, *found);
    if (!prepared.ok()) co_return prepared;
    out = co_await work_on_classic(ctx, subject, *found, mode);
  }
  co_return out;
}

// At the first look at what an earlier process has made, listings say whether it is right; the
// comparisons that follow read all. Without these, or with rare ones, the first look does.
bool LoadBalancers::may_glance(const LoadBalancerService& service, const Found& found, Mode mode) {
  constexpr std::chrono::milliseconds kLongestPeriod{3'600'000};
  const bool first = seen_.insert(service.uid).second;
  if (mode != Mode::observe || !first || !found.any()) return false;
  // A dry run ends after its first look, so that one has to show all.
  if (host_.config.flag("dry-run") == "client") return false;
  const auto period = host_.config.duration_flag("load-balancer-audit-period");
  return period && *period > std::chrono::milliseconds(0) && *period <= kLongestPeriod &&
         found.claim == Claim::owner && service.id == found.id() &&
         other_users(service, found.marked()).empty();
}

// The kind of one that exists stays: its Service keeps it, and is told (AWS-64, 65).
Task<Status> LoadBalancers::prepare(Ctx ctx, Subject& subject, const Backends& backends,
                                    const Found& found) {
  const Kind asked = subject.options.kind;
  const Kind kind = !found.any() ? asked : found.network ? Kind::network : Kind::classic;
  auto options = read_options(subject.service, settings_, kind);
  if (!options.ok()) co_return options.status();
  subject.options = *std::move(options);
  subject.problems = subject.options.problems;
  if (kind != asked) {
    subject.add_problem("TypeNotFollowed",
                        "cannot update Load Balancer Type annotation after creation: it "
                        "stays a " +
                            name_of(kind) + ". Another Service gets a " + name_of(asked));
  }
  subject.mark = load_balancer_name(subject.service.uid);
  subject.name = found.any() ? found.name() : name(subject.service);
  subject.tags = resource_tags(subject, cluster_);
  subject.group_tags = group_tags(subject, cluster_);
  const bool dual = found.network ? found.network->dual_stack : subject.options.dual_stack;
  subject.clients = client_ranges(subject.service, dual && kind == Kind::network);
  if (Status few = check_rules(subject, settings_); !few.ok()) co_return few;
  const auto ids = wanted_instances(backends, subject.options.node_labels);
  const auto instances = co_await instances_of(ctx, ids);
  if (!instances.ok()) co_return instances.status();
  subject.targets = targets_of(backends, subject.options.node_labels, *instances, cluster_);
  // What the manager wrote is in any listing, and a new load balancer asks for no more.
  const bool makes = !found.any();
  auto groups =
      co_await groups_.list(ctx, makes && !names_groups(subject, settings_) ? kAgeToMake : kAge);
  if (groups.ok() && lacks_groups(**groups, subject)) groups = co_await groups_.list(ctx, kAge);
  if (!groups.ok()) co_return groups.status();
  subject.groups = *groups;
  const auto table_age = makes ? kTableAgeToMake : kVpcAge;
  auto network = co_await vpc_.get(ctx, kVpcAge, table_age);
  if (network.ok() && lacks_subnets(**network, subject)) {
    network = co_await vpc_.get(ctx, kLackingVpcAge, table_age);
  }
  if (!network.ok()) co_return network.status();
  subject.network = *network;
  co_return Status();
}

Task<Result<InstanceMap>> LoadBalancers::instances_of(Ctx ctx,
                                                      const std::vector<std::string>& ids) {
  InstanceMap found;
  if (ids.empty()) co_return found;
  std::vector<std::string> unclear;
  if (instances_.takes_look_up(ids.size(), kInstancesAge)) {
    unclear = ids;
  } else {
    const auto all = co_await instances_.list(ctx, kInstancesAge);
    if (!all.ok()) co_return all.status();
    for (const std::string& id : ids) {
      auto known = (*all)->find(id);
      if (known && known->state == "running") {
        found.emplace(id, *std::move(known));
      } else {
        unclear.push_back(id);
      }
    }
  }
  if (unclear.empty()) co_return found;
  auto more = co_await instances_.by_ids(ctx, std::move(unclear), std::chrono::milliseconds(0));
  if (!more.ok()) co_return more.status();
  found.merge(*more);
  co_return found;
}

// Additional tags are added and changed, never taken away (AWS-68). One that is taken over, or
// joined, is marked before anything else.
Tags LoadBalancers::missing_tags(const Subject& subject, const Found& found) const {
  Tags wanted = subject.options.tags;
  if (found.claim == Claim::takeover) {
    wanted = subject.tags;
    wanted[std::string(kServiceUidTag)] = subject.service.uid;
  }
  if (found.claim == Claim::guest) {
    wanted = {{guest_tag(subject.service.uid), service_key(subject.service)}};
  }
  const bool guest = !other_users(subject.service, found.marked()).empty() &&
                     found.tags.contains(guest_tag(subject.service.uid)) &&
                     !is_owner(subject.service, found.marked(), cluster_);
  if (guest) wanted.clear();  // the owner's tags count
  std::erase_if(wanted, [&](const auto& tag) {
    const auto has = found.tags.find(tag.first);
    return has != found.tags.end() && has->second == tag.second;
  });
  return wanted;
}

void LoadBalancers::plan_tags(NetworkSubject& subject, const Found& found) {
  const Tags missing = missing_tags(subject, found);
  if (missing.empty()) return;
  const bool whole = found.claim == Claim::owner;
  add_tags(subject.plan, whole, [this, s = &subject, missing, whole](Ctx ctx) {
    return tag_network(std::move(ctx), *s, missing, whole);
  });
}

void LoadBalancers::plan_tags(ClassicSubject& subject, const Found& found) {
  const Tags missing = missing_tags(subject, found);
  if (missing.empty()) return;
  const bool whole = found.claim == Claim::owner;
  add_tags(subject.plan, whole, [this, name = found.classic->name, missing](Ctx ctx) {
    return tag_classic(std::move(ctx), name, missing);
  });
}

// Listeners and target groups get what the load balancer lacks: reading their own tags would cost
// calls at each sync. It comes last, so that a failure before leaves something to do.
Task<Status> LoadBalancers::tag_network(Ctx ctx, NetworkSubject& subject, Tags missing,
                                        bool whole) {
  std::vector<std::string> arns;
  for (const NetworkSubject::Port& port : subject.ports) {
    if (!whole || !port.existing) continue;
    arns.push_back(port.existing->arn);
    if (!port.group.empty()) arns.push_back(port.group);
  }
  const std::string arn = subject.balancer.arn;
  arns.push_back(arn);
  Status tagged = co_await elbv2_.add_tags(ctx, std::move(arns), missing);
  if (!tagged.ok()) co_return tagged;
  finder_.network_tags().edit([arn, missing](TagsByOwner& known) {
    for (const auto& [key, value] : missing) known[arn][key] = value;
  });
  co_return Status();
}

Task<Status> LoadBalancers::tag_classic(Ctx ctx, std::string name, Tags missing) {
  Status tagged = co_await elb_.add_tags(ctx, name, missing);
  if (!tagged.ok()) co_return tagged;
  finder_.classic_tags().edit([name, missing](TagsByOwner& known) {
    for (const auto& [key, value] : missing) known[name][key] = value;
  });
  co_return Status();
}

// Groups that the Service had, and has not any more. One of the other kind that a change of the
// type by another manager left behind goes on serving until its Service goes, with the group it
// has.
Task<Status> LoadBalancers::plan_leftovers(Ctx ctx, Subject& subject, std::string id,
                                           std::set<std::string> used) {
  const auto names = removal_.own_names(subject.service);
  if (!names.ok()) co_return names.status();
  std::vector<std::string> leftovers;
  for (const auto& [group_id, group] : *subject.groups) {
    const bool named = std::find(names->begin(), names->end(), group.name) != names->end();
    if (!named || used.contains(group.name) || used.contains(group_id)) continue;
    if (made_for_cluster(group.tags, cluster_)) leftovers.push_back(group_id);
  }
  if (leftovers.empty()) co_return Status();
  const auto others = co_await users_.others(ctx, id);
  if (!others.ok()) co_return others.status();
  for (const std::string& left : leftovers) {
    if (others->clusters.contains(left)) continue;
    subject.plan.add("leftover security group",
                     [this, left](Ctx step) { return drop_group(std::move(step), left); });
  }
  co_return Status();
}

// It never waits for AWS to let the group go (AWS-133).
Task<Status> LoadBalancers::drop_group(Ctx ctx, std::string group_id) {
  std::vector<std::string> own{group_id};
  const LoadBalancerService none;
  Status closed = co_await removal_.remove_rules(ctx, none, "", std::move(own));
  if (!closed.ok()) co_return closed;
  Status gone = co_await groups_.remove(ctx, group_id);
  if (gone.error_class() != ErrorClass::conflict) co_return gone;
  leftovers_.remove_later(group_id);
  co_return Status();
}

Task<Status> LoadBalancers::plan_shares(Ctx ctx, NetworkSubject& subject, const Found& found) {
  const auto users = other_users(subject.service, found.marked());
  subject.shared = !users.empty();
  if (!subject.shared) co_return Status();
  subject.guest =
      found.claim == Claim::guest || (found.tags.contains(guest_tag(subject.service.uid)) &&
                                      !is_owner(subject.service, found.marked(), cluster_));
  Status own = co_await finder_.own_target_groups(ctx, subject.service, subject.balancer.arn,
                                                  subject.own_arns);
  co_return own;
}

// AWS-143.
Task<Status> LoadBalancers::plan_orphans(Ctx ctx, NetworkSubject& subject) {
  if (subject.members_only) co_return Status();
  const auto orphans = co_await removal_.tagged_orphans(ctx, subject.service);
  if (!orphans.ok()) co_return orphans.status();
  std::set<std::string> wanted;
  const auto listeners = wanted_listeners(subject.service, subject.options, cluster_);
  if (!listeners.ok()) co_return listeners.status();
  for (const WantedListener& listener : *listeners) wanted.insert(listener.group.name);
  for (const auto& [arn, group] : *orphans) {
    if (!wanted.contains(group.name)) subject.orphans.push_back(arn);
  }
  co_return Status();
}

Task<Result<LoadBalancer>> LoadBalancers::work_on_network(Ctx ctx, NetworkSubject& subject,
                                                          Found found, Mode mode) {
  subject.members_only = mode == Mode::update;
  subject.exists = found.network.has_value();
  Status planned;
  if (subject.exists) {
    subject.balancer = *found.network;
    if (subject.balancer.state == "failed") co_return provisioning_failed(subject.balancer);
    plan_tags(subject, found);
    planned = co_await plan_shares(ctx, subject, found);
    if (planned.ok()) planned = co_await plan_orphans(ctx, subject);
  }
  if (planned.ok()) planned = co_await networks_.plan(ctx, subject);
  if (!planned.ok()) {
    vpc_.forget();
    notices_.tell(subject.service, subject.problems);
    co_return is_not_found(planned) ? soon(planned) : planned;
  }
  if (subject.exists && !subject.shared && !subject.members_only) {
    std::set<std::string> used(subject.balancer.groups.begin(), subject.balancer.groups.end());
    if (!subject.own_groups.empty()) used = {subject.own_groups.begin(), subject.own_groups.end()};
    used.insert(subject.managed_group);
    planned = co_await plan_leftovers(ctx, subject, subject.balancer.arn, std::move(used));
    if (!planned.ok()) co_return planned;
  }
  const bool shared = subject.shared || found.claim == Claim::guest;
  if (records_first(subject, mode, subject.balancer.arn)) {
    co_return before_a_change(subject, described(subject.balancer, shared));
  }
  Status done;
  if (mode != Mode::observe) done = co_await subject.plan.carry_out(ctx, subject.done);
  LoadBalancer out = described(subject.balancer, shared);
  if (!subject.exists && !out.id.empty()) {
    finder_.network_tags().edit(
        [arn = out.id, tags = subject.tags](TagsByOwner& known) { known[arn] = tags; });
    watch_.until_active(subject.service, subject.balancer);
  }
  auto finished = finish(subject, mode, subject.exists, std::move(done), std::move(out));
  co_return finished;
}

Task<Result<LoadBalancer>> LoadBalancers::work_on_classic(Ctx ctx, ClassicSubject& subject,
                                                          Found found, Mode mode) {
  subject.members_only = mode == Mode::update;
  subject.exists = found.classic.has_value();
  if (subject.exists) {
    subject.balancer = *found.classic;
    plan_tags(subject, found);
  }
  Status planned = co_await classics_.plan(ctx, subject);
  if (!planned.ok()) {
    vpc_.forget();
    notices_.tell(subject.service, subject.problems);
    co_return is_not_found(planned) ? soon(planned) : planned;
  }
  if (subject.exists && !subject.members_only) {
    std::set<std::string> used{subject.own_group};
    used.insert(subject.named_groups.begin(), subject.named_groups.end());
    const auto& extra = subject.options.extra_security_groups;
    used.insert(extra.begin(), extra.end());
    planned = co_await plan_leftovers(ctx, subject, subject.balancer.name, std::move(used));
    if (!planned.ok()) co_return planned;
  }
  if (records_first(subject, mode, subject.balancer.name)) {
    co_return before_a_change(subject, described(subject.balancer));
  }
  Status done;
  if (mode != Mode::observe) done = co_await subject.plan.carry_out(ctx, subject.done);
  LoadBalancer out = described(subject.balancer);
  if (!subject.exists && !out.id.empty()) {
    finder_.classic_tags().edit(
        [name = out.id, tags = subject.tags](TagsByOwner& known) { known[name] = tags; });
  }
  auto finished = finish(subject, mode, subject.exists, std::move(done), std::move(out));
  co_return finished;
}

// What the Service says of its options is believed at the first look after a restart, so it must
// not say anything between the first write and the last: a process that is killed there, and a user
// who goes back to the former options meanwhile, would leave the new ones in force. Somebody may
// undo the annotation again and again, which ends nothing but this.
bool LoadBalancers::records_first(const Subject& subject, Mode mode, const std::string& id) {
  constexpr int kMostTimes = 3;
  return mode == Mode::ensure && subject.plan.changes_unlisted() && subject.service.id == id &&
         subject.recorded_options != kUnknownOptions &&
         ++records_asked_[subject.service.uid] <= kMostTimes;
}

Result<LoadBalancer> LoadBalancers::finish(Subject& subject, Mode mode, bool existed, Status done,
                                           LoadBalancer out) {
  if (!subject.refused.empty()) {
    std::string ids;
    for (const std::string& id : subject.refused) ids += " " + id;
    subject.add_problem("TargetsRefused", "AWS did not take these instances:" + ids);
  }
  for (const std::string& refusal : subject.plan.refusals()) {
    subject.add_problem("ChangeRefused", refusal);
  }
  notices_.tell(subject.service, subject.problems);
  std::set<std::string> waiting = subject.targets.others;
  waiting.insert(subject.refused.begin(), subject.refused.end());
  if (mode != Mode::observe) watch_.until_running(subject.service, waiting);
  out.difference = mode == Mode::observe ? subject.plan.text() : subject.done;
  out.no_members = subject.targets.no_members;
  note_own_options(subject, out);
  for (const auto& [key, value] : subject.options.node_labels) out.node_labels.push_back(key);
  // Nobody else compares all: an update looks at members alone, and a plan is still to be done.
  const bool compared = mode == Mode::ensure || (mode == Mode::observe && subject.plan.empty());
  if (compared && !subject.applied_options.empty()) {
    if (!done.ok()) subject.applied_options = kUnknownOptions;
    out.annotations.push_back({std::string(kAppliedOptions), subject.applied_options});
  }
  if (done.ok()) {
    if (mode == Mode::ensure) records_asked_.erase(subject.service.uid);
    return out;
  }
  Status why = of_a_step(std::move(done));
  if (may_be_stale(why, existed)) {
    elbv2_.forget();
    elb_.forget();
    groups_.forget();
    vpc_.forget();
  }
  if (out.id.empty()) return why;
  out.ingress.clear();
  out.state = LoadBalancerState::pending;
  return Result<LoadBalancer>(std::move(why), std::move(out));
}

}  // namespace ccm::aws
