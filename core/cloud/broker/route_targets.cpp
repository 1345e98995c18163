#include "cloud/broker/route_targets.hpp"

#include "plugin/waiting.hpp"

#include <algorithm>
#include <chrono>

namespace ccm::cloud {

namespace {

constexpr std::string_view kNodesResource = "v1/nodes";
// An instance whose Node does not change is looked at again after that, for addresses that its
// cloud changed unseen.
constexpr std::chrono::minutes kAskInstanceAgain{10};
// After an answer that there is none, or no answer: from here, doubling, to kAskInstanceAgain, or
// to the other one.
constexpr std::chrono::seconds kFirstPause{5};
constexpr std::chrono::seconds kMostWhileUnknown{60};

std::vector<NodeAddress> addresses_of_node(const kube::Object& node) {
  std::vector<NodeAddress> addresses;
  node.each(node.find("/status/addresses"), [&](std::string_view, kube::Object::Position entry) {
    addresses.push_back({std::string(node.text(node.member(entry, "type"))),
                         std::string(node.text(node.member(entry, "address")))});
  });
  return addresses;
}

// As a range; nothing for names.
std::optional<Cidr> range_of_address(const std::string& address) {
  const bool v6 = address.find(':') != std::string::npos;
  return parse_cidr(address + (v6 ? "/128" : "/32"));
}

Status waits(Code code, std::string message, std::string reason) {
  return Status(code, ErrorClass::waiting, std::move(message)).with_reason(std::move(reason));
}

}  // namespace

const std::vector<std::string>& route_target_fields() {
  static const std::vector<std::string> fields{"/metadata/creationTimestamp", "/spec/podCIDRs",
                                               "/spec/providerID", "/status/addresses"};
  return fields;
}

RouteTargets::RouteTargets(const plugin::ObjectCache& nodes, runtime::Timers& timers,
                           RoutableRanges ranges, std::shared_ptr<InstancesBroker> instances)
    : nodes_(nodes),
      timers_(timers),
      ranges_(std::move(ranges)),
      instances_(std::move(instances)) {}

// A kubelet writes what is compared here, but a question costs a call at most once in the broker's
// own period (BrokerOptions::max_age).
bool RouteTargets::has_to_ask(const kube::ObjectPtr& node) {
  Known& known = known_[std::string(node->name())];
  const std::string_view provider_id = node->text_at("/spec/providerID");
  if (known.uid != node->uid() || known.provider_id != provider_id) {
    known = Known();
    known.uid = node->uid();
    known.provider_id = provider_id;
  }
  std::vector<NodeAddress> addresses = addresses_of_node(*node);
  if (known.addresses != addresses) {
    known.addresses = std::move(addresses);
    // The node controller may have written what has changed in the cloud.
    known.asked = known.asked && !exists(known.state);
  }
  return instances_ && (!known.asked || known.ask_again <= timers_.now());
}

Task<Status> RouteTargets::refresh(std::shared_ptr<plugin::Context> context) {
  if (nodes_.state(kNodesResource) != plugin::CacheState::synced) {
    co_return Status(Code::unavailable, ErrorClass::waiting, "the Nodes are not known yet");
  }
  std::vector<Task<void>> questions;
  for (const kube::ObjectPtr& node : nodes_.list(kNodesResource, {})) {
    if (has_to_ask(node)) questions.push_back(ask(node, context->origin()));
  }
  plugin::WhenAll all(std::move(questions));
  co_await all;
  build();
  co_return Status();
}

Task<void> RouteTargets::ask(kube::ObjectPtr node, std::shared_ptr<plugin::Origin> origin) {
  InstanceQuery query;
  query.name = node->name();
  query.provider_id = node->text_at("/spec/providerID");
  query.node = node;
  query.not_before = node->seen();
  query.origin = std::move(origin);
  const InstanceAnswer answer = co_await instances_->find(std::move(query));
  answered(*node, answer);
}

// While the cloud does not say anything, what it said before goes on.
void RouteTargets::answered(const kube::Object& node, const InstanceAnswer& answer) {
  const auto place = known_.find(node.name());
  if (place == known_.end()) return;
  Known& known = place->second;
  // It was about another Node of that name, or about what this one was before.
  if (known.uid != node.uid() || known.provider_id != node.text_at("/spec/providerID")) return;
  known.asked = true;
  known.why = answer.status;
  if (answer.status.ok()) {
    known.state = InstanceState::absent;
    known.instance_id.clear();
    known.instance_addresses.clear();
  }
  if (answer.status.ok() && answer.snapshot) {
    InstanceExport exported;
    exported.add(answer.snapshot, answer.index);
    Instance instance = Instance::from_c(*exported.list().instances[0]);
    known.state = instance.state;
    known.instance_id = std::move(instance.provider_id);
    known.named = instance.name == node.name();
    known.instance_addresses = std::move(instance.addresses);
  }
  const bool found = known.why.ok() && exists(known.state);
  known.failures = found ? 0 : known.failures + 1;
  std::chrono::milliseconds pause = kAskInstanceAgain;
  if (!found) {
    const std::chrono::milliseconds most = known.why.ok() ? pause : kMostWhileUnknown;
    pause = kFirstPause;
    for (uint32_t i = 1; i < known.failures && pause < most; ++i) pause *= 2;
    pause = std::min(pause, most);
  }
  known.ask_again = timers_.now() + pause;
}

void RouteTargets::build() {
  targets_.clear();
  by_name_.clear();
  by_range_.clear();
  for (const kube::ObjectPtr& node : nodes_.list(kNodesResource, {})) {
    Target target;
    target.object = node;
    target.created = node->text_at("/metadata/creationTimestamp");
    node->each(node->find("/spec/podCIDRs"), [&](std::string_view, kube::Object::Position entry) {
      const auto cidr = parse_cidr(node->text(entry));
      const auto same = [&](const Range& range) { return range.cidr == *cidr; };
      if (!cidr || std::any_of(target.ranges.begin(), target.ranges.end(), same)) return;
      target.ranges.push_back({*cidr, false, std::nullopt, kNone});
    });
    targets_.push_back(std::move(target));
  }
  std::sort(targets_.begin(), targets_.end(),
            [](const Target& one, const Target& other) { return one.name() < other.name(); });
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    by_name_.emplace(targets_[i].name(), i);
    for (const Range& range : targets_[i].ranges) by_range_.emplace(range.cidr, i);
  }
  std::erase_if(known_, [&](const auto& entry) { return !by_name_.contains(entry.first); });
  // A Node that came during the questions is not known yet.
  for (Target& target : targets_) {
    const auto known = known_.find(target.name());
    if (known != known_.end() && known->second.uid == target.object->uid()) {
      target.known = &known->second;
    }
  }
  mark_routed();
  judge_instances();
  judge_ranges_of_nodes();
}

void RouteTargets::mark_routed() {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    for (Range& range : targets_[i].ranges) range.routed = false;
    const auto routed = routed_.find(targets_[i].name());
    if (routed == routed_.end()) continue;
    for (const Cidr& cidr : routed->second) {
      const std::size_t place = place_of(i, cidr);
      if (place != kNone) targets_[i].ranges[place].routed = true;
    }
  }
}

void RouteTargets::judge_instances() {
  by_instance_.clear();
  by_address_.clear();
  if (!instances_) return;
  std::vector<InstanceClaim> claims;
  claims.reserve(targets_.size());
  for (const Target& target : targets_) {
    InstanceClaim& claim = claims.emplace_back();
    claim.created = target.created;
    claim.uid = target.object->uid();
    if (target.known == nullptr) continue;
    claim.state = target.known->state;
    claim.provider_id = target.known->instance_id;
    claim.named = target.known->named;
  }
  const std::vector<ClaimVerdict> verdicts = judge_claims(claims);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    targets_[i].instance = verdicts[i];
    if (verdicts[i].claim != Claim::holds) continue;
    const Known& known = *targets_[i].known;
    if (!known.instance_id.empty()) by_instance_.emplace(known.instance_id, i);
    for (const NodeAddress& address : known.instance_addresses) {
      if (const auto range = range_of_address(address.address)) by_address_.emplace(*range, i);
    }
  }
}

void RouteTargets::judge_ranges_of_nodes() {
  RoutableRanges ranges = ranges_;
  for (const auto& [address, target] : by_address_) {
    ranges.keep_off(address, "Node " + std::string(targets_[target].name()));
  }
  std::vector<PodRange> given;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    for (std::size_t k = 0; k < targets_[i].ranges.size(); ++k) {
      const Range& range = targets_[i].ranges[k];
      given.push_back({targets_[i].created, targets_[i].object->uid(), range.cidr, range.routed});
      places.emplace_back(i, k);
    }
  }
  const auto verdicts = judge_pod_ranges(ranges, given);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    Range& range = targets_[places[i].first].ranges[places[i].second];
    range.refusal.reset();
    range.holder = kNone;
    if (verdicts[i].routable) continue;
    range.refusal = verdicts[i].refusal;
    if (verdicts[i].holder) range.holder = places[*verdicts[i].holder].first;
  }
}

std::size_t RouteTargets::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? kNone : found->second;
}

std::size_t RouteTargets::owner_of_instance(const Route& route, bool by_address) const {
  if (!route.target_provider_id.empty()) {
    const auto found = by_instance_.find(route.target_provider_id);
    if (found != by_instance_.end()) return found->second;
  }
  if (!by_address) return kNone;
  std::size_t any = kNone;
  const auto destination = parse_cidr(route.destination_cidr);
  for (const NodeAddress& address : route.target_addresses) {
    const auto range = range_of_address(address.address);
    if (!range) continue;
    // Networks may have the same addresses.
    const auto [first, last] = by_address_.equal_range(*range);
    for (auto place = first; place != last; ++place) {
      if (destination && place_of(place->second, *destination) != kNone) return place->second;
      if (any == kNone) any = place->second;
    }
  }
  return any;
}

bool RouteTargets::may_lead_to(std::size_t target, const Route& route, bool by_address) const {
  const Target& node = targets_[target];
  if (node.instance.claim == Claim::of_another) return false;
  if (node.instance.claim != Claim::unknown && names_another(node, route)) return false;
  if (!by_address || route.target_addresses.empty()) return true;
  return node.instance.claim != Claim::holds || node.known->instance_addresses.empty();
}

bool RouteTargets::names_another(const Target& node, const Route& route) const {
  const bool holds = node.instance.claim == Claim::holds;
  const std::string id =
      holds ? node.known->instance_id : instances_->own_id(std::string(node.provider_id()));
  return !id.empty() && !route.target_provider_id.empty() &&
         id != instances_->own_id(route.target_provider_id);
}

// It bears the name of a Node that has another instance: it was made while the Node was made again,
// or before this process began. It may be a provider that writes IDs in another way, too, so this
// is no reason to pass the brake.
bool RouteTargets::leads_past(const std::string& named, const Route& route) const {
  const std::size_t target = find(named);
  return target != kNone && targets_[target].instance.claim == Claim::holds &&
         names_another(targets_[target], route);
}

bool RouteTargets::is_still(const Target& node, const Owner& owner) const {
  const std::string id(node.provider_id());
  if (id.empty()) return node.object->uid() == owner.uid;
  if (id == owner.provider_id) return true;
  return !owner.instance.empty() && instances_->own_id(id) == owner.instance;
}

std::size_t RouteTargets::made_again(const Route& route) const {
  const auto before = owners_.find({route.id, route.destination_cidr});
  if (before == owners_.end()) return kNone;
  const std::size_t target = find(before->second.name);
  return target == kNone || is_still(targets_[target], before->second) ? kNone : target;
}

RouteTargets::Owner RouteTargets::owner_named(const std::string& name, const Route& route) const {
  const std::size_t target = find(name);
  if (target == kNone) {
    const auto before = owners_.find({route.id, route.destination_cidr});
    const bool known = before != owners_.end() && before->second.name == name;
    return known ? before->second : Owner{name, {}, {}, {}};
  }
  const Target& node = targets_[target];
  Owner owner{name, std::string(node.object->uid()), std::string(node.provider_id()), {}};
  if (node.instance.claim == Claim::holds) owner.instance = node.known->instance_id;
  return owner;
}

std::string RouteTargets::target_of(const Route& route, bool by_address) const {
  const std::size_t owner = owner_of_instance(route, by_address);
  if (owner != kNone) return std::string(targets_[owner].name());
  if (made_again(route) != kNone) return {};
  std::string name = route.target_node;
  if (name.empty()) {
    const auto before = owners_.find({route.id, route.destination_cidr});
    if (before != owners_.end()) name = before->second.name;
  }
  if (!name.empty()) {
    const std::size_t target = find(name);
    if (target == kNone || may_lead_to(target, route, by_address)) return name;
  }
  const auto destination = parse_cidr(route.destination_cidr);
  if (!by_address || !destination) return {};
  // After a restart, while the cloud does not answer.
  const auto [first, last] = by_range_.equal_range(*destination);
  const auto place = std::find_if(first, last, [&](const auto& entry) {
    return targets_[entry.second].instance.claim == Claim::unknown &&
           may_lead_to(entry.second, route, by_address);
  });
  return place == last ? std::string() : std::string(targets_[place->second].name());
}

void RouteTargets::take(std::vector<Route>& listed, bool by_address) {
  std::map<Key, Owner> owners;
  former_.clear();
  routed_.clear();
  for (Route& route : listed) {
    const Key key(route.id, route.destination_cidr);
    const std::string named = route.target_node;
    if (instances_) route.target_node = target_of(route, by_address);
    if (instances_ && route.owned && route.target_node.empty()) {
      const std::size_t again = made_again(route);
      route.blackhole = route.blackhole || by_address || again != kNone || leads_past(named, route);
      if (again != kNone) owners[key] = owners_.at(key);
      if (again != kNone && targets_[again].instance.claim != Claim::unknown) former_.insert(key);
    }
    if (!route.target_node.empty()) owners[key] = owner_named(route.target_node, route);
    if (!route.owned || route.blackhole) continue;
    const auto destination = parse_cidr(route.destination_cidr);
    if (destination) routed_[route.target_node].push_back(*destination);
  }
  owners_ = std::move(owners);
  mark_routed();
  judge_ranges_of_nodes();
}

std::size_t RouteTargets::place_of(std::size_t target, const Cidr& range) const {
  const auto& ranges = targets_[target].ranges;
  const auto found = std::find_if(ranges.begin(), ranges.end(),
                                  [&](const Range& one) { return one.cidr == range; });
  return found == ranges.end() ? kNone : static_cast<std::size_t>(found - ranges.begin());
}

Status RouteTargets::check_range(std::size_t target, const std::string& destination) const {
  const auto cidr = parse_cidr(destination);
  const std::size_t place = cidr ? place_of(target, *cidr) : kNone;
  const std::string the_range = "the Pod range " + destination + " ";
  if (place == kNone) {
    return waits(Code::failed_precondition,
                 the_range + "is not that of Node " + std::string(targets_[target].name()),
                 "NotItsRange");
  }
  const Range& range = targets_[target].ranges[place];
  if (range.refusal) {
    return Status(Code::failed_precondition, ErrorClass::invalid_spec,
                  the_range + range.refusal->message)
        .with_reason(std::string(range.refusal->reason));
  }
  if (range.holder == kNone) return {};
  return waits(Code::failed_precondition,
               the_range + "is that of Node " + std::string(targets_[range.holder].name()) +
                   ", or overlaps it",
               std::string(kRangeConflict));
}

Status RouteTargets::check_instance(std::size_t target) const {
  const Target& node = targets_[target];
  const std::string name = "Node " + std::string(node.name());
  switch (node.instance.claim) {
    case Claim::holds:
      return {};
    case Claim::of_another:
      return waits(Code::failed_precondition,
                   "instance " + node.known->instance_id + " is already that of Node " +
                       std::string(targets_[node.instance.holder].name()) +
                       ", which has its name or is older than " + name,
                   "InstanceOfAnotherNode");
    case Claim::no_instance:
      return waits(Code::failed_precondition, "the cloud has no instance for " + name,
                   "NoInstance");
    case Claim::unknown:
      break;
  }
  if (node.known == nullptr || node.known->why.ok()) {
    return waits(Code::unavailable, "the cloud has not said which instance " + name + " is",
                 "InstanceUnknown");
  }
  return Status(node.known->why).with_context("the instance of " + name);
}

Status RouteTargets::admit(Route& route, bool by_address) const {
  const std::size_t target = find(route.target_node);
  if (target == kNone) {
    return waits(Code::failed_precondition, "there is no Node " + route.target_node, "NoNode");
  }
  Status status = check_range(target, route.destination_cidr);
  if (status.ok() && instances_) status = check_instance(target);
  if (!status.ok()) return status;
  const Target& node = targets_[target];
  if (instances_) {
    route.target_provider_id = node.known->instance_id;
    route.target_addresses = node.known->instance_addresses;
  } else {
    route.target_provider_id = node.object->text_at("/spec/providerID");
    route.target_addresses = addresses_of_node(*node.object);
  }
  if (!by_address || !route.target_addresses.empty()) return {};
  return waits(Code::failed_precondition,
               "the instance of Node " + route.target_node + " has no address yet", "NoAddress");
}

std::vector<std::pair<std::string, Status>> RouteTargets::refused(const std::string& node) const {
  std::vector<std::pair<std::string, Status>> all;
  const std::size_t target = find(node);
  if (target == kNone) return all;
  for (const Range& range : targets_[target].ranges) {
    std::string destination = range.cidr.text();
    Status status = check_range(target, destination);
    if (status.ok() && instances_ && !range.routed) status = check_instance(target);
    if (!status.ok()) all.emplace_back(std::move(destination), std::move(status));
  }
  return all;
}

}  // namespace ccm::cloud
