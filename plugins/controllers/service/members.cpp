#include "members.hpp"

#include "names.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// Questions about one Node because of what is written to it, until the next resync. Its kubelet
// writes it, and each may be a call.
constexpr int kMostQuestions = 8;
// With more keys than that every change of labels counts.
constexpr std::size_t kMostLabels = 256;
// In one question to the host. Each costs it some kilobytes while it is answered; a multiple of
// what providers take in a call.
constexpr std::size_t kNodesOfAQuestion = 1'000;
constexpr milliseconds kSetUnused{5'000};

// By another UID it is another Node.
std::string known_key(const Object& node) {
  std::string key(node.uid());
  key += ' ';
  key += node.name();
  return key;
}

PackedTexts pack(const std::vector<NodeAddress>& addresses) {
  std::vector<std::string_view> texts;
  for (const NodeAddress& address : addresses) {
    texts.push_back(address.type);
    texts.push_back(address.address);
  }
  return PackedTexts(texts);
}

std::vector<NodeAddress> unpack(const PackedTexts& texts) {
  std::vector<NodeAddress> addresses;
  for (std::size_t i = 0; i < texts.size(); i += 2) {
    addresses.push_back({std::string(texts[i]), std::string(texts[i + 1])});
  }
  return addresses;
}

// The kubelet's own name for the Node is no address of the instance.
std::vector<NodeAddress> without_hostname(std::vector<NodeAddress> addresses) {
  std::erase_if(addresses, [](const NodeAddress& each) { return each.type == "Hostname"; });
  return addresses;
}

bool confirmed(const std::vector<NodeAddress>& of_node, const std::vector<NodeAddress>& of_cloud) {
  return same_addresses(without_hostname(of_node), without_hostname(of_cloud));
}

// The cloud could not be asked, as opposed to one that has nothing to say of this instance.
bool is_silence(const Status& why) {
  switch (why.error_class()) {
    case ErrorClass::auth:
    case ErrorClass::throttled:
    case ErrorClass::unavailable:
    case ErrorClass::waiting:
      return true;
    default:
      return why.code() == Code::deadline_exceeded || why.code() == Code::cancelled;
  }
}

Status not_answered(std::size_t count) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                "the cloud does not say which instances " + std::to_string(count) + " Nodes are");
}

}  // namespace

PackedTexts Members::ids_of(std::string_view provider_id, std::string_view instance_id) {
  if (provider_id == instance_id) return PackedTexts({provider_id});
  return PackedTexts({provider_id, instance_id});
}

Members::Known& Members::known_of(const Object& node) {
  const auto [place, fresh] = known_.try_emplace(known_key(node));
  if (fresh) place->second.ids = ids_of(node.text("/spec/providerID"), {});
  update(place->second, node);
  return place->second;
}

Members::Known* Members::find_known(const Object& node) {
  const auto place = known_.find(known_key(node));
  if (place == known_.end()) return nullptr;
  update(place->second, node);
  return &place->second;
}

void Members::update(Known& known, const Object& node) {
  const std::string_view provider_id = node.text("/spec/providerID");
  if (known.provider_id() == provider_id) return;
  if (known.instance_id() != provider_id) {
    known.state = InstanceState::unknown;
    known.ask = true;
  }
  known.ids = ids_of(provider_id, known.instance_id());
}

bool Members::on_node(EventKind kind, const Object& old, const Object& now) {
  switch (kind) {
    case EventKind::deleted:
      damping_.gone(now);
      known_.erase(known_key(now));
      set_.reset();
      return true;
    case EventKind::added:
      set_.reset();
      return damping_.came(now);
    case EventKind::updated:
      return on_update(old, now);
    case EventKind::hinted: {
      if (Known* known = find_known(now)) known->ask = true;
      return static_cast<bool>(host_.instances);
    }
    case EventKind::resync: {
      if (!host_.instances) return false;
      Known* known = find_known(now);
      if (known == nullptr) return true;
      const bool late = std::exchange(known->questions, 0) >= kMostQuestions;
      known->ask = known->ask || late || !exists(known->state);
      return known->ask;
    }
  }
  return false;
}

bool Members::leaves(const Object& node) const {
  return !takes_traffic(node) || (exclude_cordoned_ && cordoned(node));
}

bool Members::differs(const Object& one, const Object& other) const {
  return left_out(one) != left_out(other) ||
         (exclude_cordoned_ && cordoned(one) != cordoned(other)) ||
         watched_labels_differ(one, other) ||
         (host_.instances ? node_ip(one) != node_ip(other)
                          : read_addresses(one) != read_addresses(other));
}

std::optional<milliseconds> Members::release() {
  if (damping_.release()) set_.reset();
  return damping_.next();
}

bool Members::on_update(const Object& old, const Object& now) {
  if (old.uid() != now.uid()) {
    damping_.gone(old);
    damping_.came(now);
    known_.erase(known_key(old));
    set_.reset();
    return true;
  }
  bool matters = old.text("/spec/providerID") != now.text("/spec/providerID");
  const Object before = damping_.in_force(old, leaves(old));
  if (!matters && differs(before, now)) {
    matters = damping_.change(before, now, leaves(now));
  } else {
    damping_.settled(now);
  }
  if (host_.instances) {
    // The writer may compare Nodes with the cloud, and may have seen a change there.
    Known* known = find_known(now);
    const std::vector<NodeAddress> addresses = read_addresses(now);
    const bool readdressed = addresses != read_addresses(old);
    // One that was never asked about will be.
    if (readdressed) matters = known == nullptr || dispute(*known, addresses) || matters;
  }
  if (matters) set_.reset();
  return matters;
}

bool Members::dispute(Known& known, const std::vector<NodeAddress>& addresses) {
  if (!known.disputed.empty() && unpack(known.disputed) == addresses) return false;
  if (confirmed(addresses, unpack(known.addresses))) return false;
  known.disputed = pack(addresses);
  if (known.questions >= kMostQuestions) return false;
  ++known.questions;
  return known.ask = true;
}

bool Members::watched_labels_differ(const Object& old, const Object& now) const {
  if (label_uses_.empty()) return false;
  const Value before = old.at("/metadata/labels");
  const Value after = now.at("/metadata/labels");
  if (before.equals(after)) return false;
  if (label_uses_.size() > kMostLabels) return true;
  return std::any_of(label_uses_.begin(), label_uses_.end(), [&](const auto& use) {
    const std::string pointer = pointer_segment(use.first);
    return before.at(pointer).text() != after.at(pointer).text();
  });
}

void Members::watch_labels(const std::vector<std::string>& before,
                           const std::vector<std::string>& now) {
  if (before == now) return;
  for (const std::string& key : now) ++label_uses_[key];
  for (const std::string& key : before) {
    const auto use = label_uses_.find(key);
    if (use != label_uses_.end() && --use->second == 0) label_uses_.erase(use);
  }
}

std::vector<std::string> Members::unasked() {
  std::vector<std::string> names;
  std::unordered_set<std::string> there;
  host_.kube.cached_each(kNodes, {}, [&](const Object& node) {
    there.insert(known_key(node));
    if (known_of(node).ask) names.emplace_back(node.name());
  });
  std::erase_if(known_, [&](const auto& each) { return !there.contains(each.first); });
  return names;
}

// A write of a Node after this has it asked about again.
std::vector<NodeIdentity> Members::identities(const std::vector<std::string>& names,
                                              std::size_t begin) {
  std::vector<NodeIdentity> nodes;
  const std::size_t end = std::min(names.size(), begin + kNodesOfAQuestion);
  for (std::size_t i = begin; i < end; ++i) {
    const Object node = host_.kube.cached(kNodes, names[i]);
    if (!node) continue;
    Known& known = known_of(node);
    known.ask = false;
    nodes.push_back({names[i], std::string(known.provider_id()), node, {}});
  }
  return nodes;
}

// The failure of one Node may be its own: another provider's, a name that is not unique. Of many it
// says too much before all were answered about once, and they are asked about again.
void Members::take_failure(const std::vector<NodeIdentity>& nodes, const Status& failure) {
  Instance nothing;
  nothing.why = failure;
  take(nodes, std::vector<Instance>(nodes.size(), nothing));
  const bool alone = nodes.size() == 1 && known_.size() > 1;
  if (!is_silence(failure) && (settled_ || alone)) return;
  failure_ = failure;
  for (const NodeIdentity& node : nodes) {
    const auto place = known_.find(known_key(node.node));
    if (place != known_.end()) place->second.ask = place->second.silent = true;
  }
}

// Services that arrive at the same moment share the questions, and their failure.
Task<Status> Members::learn(Ctx ctx) {
  if (!host_.instances) co_return Status();
  const milliseconds came = host_.timer.now();
  auto slot = co_await slot_.acquire();
  if (!failure_.ok() && failed_ >= came) co_return failure_;
  const std::vector<std::string> names = unasked();
  failure_ = Status();
  for (std::size_t begin = 0; begin < names.size() && failure_.ok(); begin += kNodesOfAQuestion) {
    const std::vector<NodeIdentity> nodes = identities(names, begin);
    std::vector<NodeIdentity> asked = nodes;
    const auto answers = co_await host_.instances.describe(ctx, std::move(asked));
    if (answers.ok()) {
      take(nodes, *answers);
    } else {
      take_failure(nodes, answers.status());
    }
  }
  const auto silent = static_cast<std::size_t>(std::count_if(
      known_.begin(), known_.end(), [](const auto& each) { return each.second.silent; }));
  if (failure_.ok() && silent > 0) failure_ = not_answered(silent);
  if (failure_.ok()) settled_ = true;
  if (!failure_.ok()) failed_ = host_.timer.now();
  co_return failure_;
}

void Members::take(const std::vector<NodeIdentity>& nodes, const std::vector<Instance>& answers) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto place = known_.find(known_key(nodes[i].node));
    if (place == known_.end()) continue;
    Known& known = place->second;
    // With another provider ID it is asked about again.
    if (known.provider_id() != nodes[i].provider_id) continue;
    const Instance& answer = answers[i];
    known.why = answer.why.error_class();
    known.silent = false;
    if (answer.state == InstanceState::unknown) {
      known.silent = is_silence(answer.why);
      known.ask = known.ask || known.silent;
      continue;
    }
    known.state = answer.state;
    known.ids = ids_of(known.provider_id(), answer.provider_id);
    known.named = answer.name == nodes[i].name;
    known.addresses = pack(answer.addresses);
    if (confirmed(unpack(known.disputed), answer.addresses)) known.disputed = PackedTexts();
  }
  set_.reset();
}

std::vector<ClaimVerdict> Members::verdicts(const std::vector<Object>& nodes) const {
  std::vector<InstanceClaim> claims;
  claims.reserve(nodes.size());
  for (const Object& node : nodes) {
    const auto known = known_.find(known_key(node));
    const bool said = known != known_.end();
    InstanceClaim claim = claim_of(node, InstanceState::unknown, {});
    if (said) claim = claim_of(node, known->second.state, known->second.instance_id());
    claim.named = said && known->second.named;
    claims.push_back(claim);
  }
  return judge_claims(claims);
}

// Reports once, on the Node, that another one has its instance.
LeftOut Members::judge(const std::vector<Object>& nodes, std::size_t i,
                       const ClaimVerdict& verdict) {
  LeftOut own = left_out(nodes[i]);
  if (own == LeftOut::no && damping_.out(nodes[i])) own = LeftOut::flaps;
  if (!host_.instances) return own;
  Known& known = known_of(nodes[i]);
  if (verdict.claim == Claim::of_another && !std::exchange(known.reported, true)) {
    events_.warning(
        nodes[i], kInstanceOfAnother,
        "Instance " + std::string(known.instance_id()) + " is already that of Node " +
            std::string(nodes[verdict.holder].name()) +
            ", which has its name or is older. This Node gets no traffic of load balancers");
  }
  if (verdict.claim != Claim::of_another) known.reported = false;
  if (own != LeftOut::no) return own;
  switch (verdict.claim) {
    case Claim::holds:
      return LeftOut::no;
    case Claim::no_instance:
      return LeftOut::no_instance;
    case Claim::of_another:
      return LeftOut::of_another;
    case Claim::unknown:
      break;
  }
  return known.why == ErrorClass::unsupported ? LeftOut::foreign : LeftOut::not_known;
}

Backend Members::backend_of(const Object& node, bool cloud_knows) const {
  Backend backend;
  backend.name = node.name();
  backend.node = node;
  if (!host_.instances) {
    backend.provider_id = node.text("/spec/providerID");
    backend.addresses = read_addresses(node);
    return backend;
  }
  const Known& known = known_.at(known_key(node));
  backend.provider_id = known.instance_id();
  const bool knows = cloud_knows || known.state == InstanceState::starting;
  backend.addresses =
      ordered_addresses(knows ? unpack(known.addresses) : read_addresses(node), node);
  return backend;
}

Task<Status> Members::keep_set() {
  Ctx ctx = host_.background();
  for (milliseconds left = kSetUnused; set_ && left > milliseconds(0);) {
    Status slept = co_await host_.timer.sleep(ctx, left);
    if (!slept.ok()) break;
    left = set_used_ + kSetUnused - host_.timer.now();
  }
  set_.reset();
  set_watched_ = false;
  co_return Status();
}

Members::Set Members::current() {
  set_used_ = host_.timer.now();
  if (set_) return set_;
  damping_.shown();
  std::vector<Object> nodes;
  host_.kube.cached_each(kNodes, {}, [&](const Object& node) {
    nodes.push_back(damping_.in_force(node, leaves(node)));
  });
  std::sort(nodes.begin(), nodes.end(),
            [](const Object& one, const Object& other) { return one.name() < other.name(); });
  const std::vector<ClaimVerdict> claims = verdicts(nodes);
  // A cloud that names no address of any instance leaves them to the kubelets (NODE-29).
  const bool knows = std::any_of(known_.begin(), known_.end(),
                                 [](const auto& each) { return !each.second.addresses.empty(); });
  auto set = std::make_shared<BackendSet>();
  set->nodes = nodes.size();
  std::vector<Backend> backends;
  backends.reserve(nodes.size());
  std::vector<Backend> cordoned_ones;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const LeftOut reason = judge(nodes, i, claims[i]);
    if (reason != LeftOut::no) {
      ++set->left_out[static_cast<std::size_t>(reason)];
      continue;
    }
    auto& place = exclude_cordoned_ && cordoned(nodes[i]) ? cordoned_ones : backends;
    place.push_back(backend_of(nodes[i], knows));
  }
  if (backends.empty()) {
    backends = std::move(cordoned_ones);
  } else {
    set->left_out[static_cast<std::size_t>(LeftOut::cordoned)] = cordoned_ones.size();
  }
  set->backends = std::move(backends);
  set_ = std::move(set);
  if (!std::exchange(set_watched_, true)) host_.spawn(keep_set());
  return set_;
}

}  // namespace ccm::service
