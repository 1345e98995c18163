#include "cloud/deletion/node_view.hpp"

#include <ccm/abi/instances.h>
#include <ccm/taints.hpp>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace ccm::cloud {

namespace {

constexpr std::string_view kAnnotationPointer =
    "/metadata/annotations/cloud-controller-manager~1allow-deletion";
constexpr std::size_t kSpareCanaries = 8;
// Longer than any controller waits before it asks again for a deletion.
constexpr std::chrono::minutes kAskedAgain{5};

bool is_ready(const kube::Object& node) {
  bool ready = false;
  const auto conditions = node.find("/status/conditions");
  node.each(conditions, [&](std::string_view, kube::Object::Position condition) {
    if (node.text(node.member(condition, "type")) != "Ready") return true;
    ready = node.text(node.member(condition, "status")) == "True";
    return false;
  });
  return ready;
}

void read_taints(const kube::Object& node, NodeFacts& facts) {
  node.each(node.find("/spec/taints"), [&](std::string_view, kube::Object::Position taint) {
    const std::string_view key = node.text(node.member(taint, "key"));
    if (key == kUninitializedTaint) facts.of_cloud = true;
    // Cluster Autoscaler, Karpenter, and Karpenter before its version 1.
    if (key == kAutoscalerTaint || key == kKarpenterTaint ||
        (key == kOldKarpenterTaint &&
         node.text(node.member(taint, "value")) == kOldKarpenterValue)) {
      facts.leaving = true;
    }
    return true;
  });
}

// A Node that was never matched with an instance says nothing about the cloud's view.
bool counts(const NodeFacts& node, const ViewRequest& request) {
  return !node.deleting && (!node.provider_id.empty() || request.wanted.contains(node.uid));
}

InstanceQuery query_of_instance(const std::string& provider_id) {
  InstanceQuery query;
  query.provider_id = provider_id;
  return query;
}

std::optional<InstanceQuery> listed_spare_canary(const ViewRequest& request) {
  for (const std::string& canary : request.spare_canaries) {
    const std::size_t index = request.instances->find_provider_id(canary);
    if (index == InstanceSnapshot::kNone) continue;
    if (standing_of(request.instances->state(index)) == Standing::exists) {
      return query_of_instance(canary);
    }
  }
  return std::nullopt;
}

// Without a listing: an instance that a direct look-up can be expected to find.
std::optional<InstanceQuery> probable_canary(const ViewRequest& request,
                                             const std::unordered_set<std::string>& unseen) {
  for (const bool ready : {true, false}) {
    for (const NodeFacts& node : request.nodes) {
      if (node.ready != ready || !counts(node, request) || request.wanted.contains(node.uid) ||
          unseen.contains(node.uid)) {
        continue;
      }
      return node.query();
    }
  }
  return std::nullopt;
}

}  // namespace

InstanceQuery NodeFacts::query() const {
  InstanceQuery query;
  query.name = name;
  query.provider_id = provider_id;
  query.node = object;
  return query;
}

const std::vector<std::string>& node_fact_fields() {
  static const std::vector<std::string> fields{"/spec/providerID",
                                               "/status/conditions/-/type",
                                               "/status/conditions/-/status",
                                               "/spec/taints",
                                               "/spec/unschedulable",
                                               std::string(kAnnotationPointer),
                                               "/metadata/creationTimestamp"};
  return fields;
}

NodeFacts facts_of(const kube::ObjectPtr& node) {
  NodeFacts facts;
  facts.object = node;
  facts.name = node->name();
  facts.uid = node->uid();
  facts.provider_id = node->text_at("/spec/providerID");
  facts.ready = is_ready(*node);
  facts.deleting = !node->text_at("/metadata/deletionTimestamp").empty();
  facts.of_cloud = !facts.provider_id.empty();
  facts.leaving = node->text_at("/spec/unschedulable") == "true";
  read_taints(*node, facts);
  facts.released = node->text_at(kAnnotationPointer) == "true";
  return facts;
}

Standing standing_of(int32_t instance_state) {
  switch (instance_state) {
    case CCM_INSTANCE_RUNNING:
    case CCM_INSTANCE_STARTING:
    case CCM_INSTANCE_SHUTDOWN:
      return Standing::exists;
    case CCM_INSTANCE_TERMINATED:
      return Standing::terminated;
    case CCM_INSTANCE_ABSENT:
      return Standing::absent;
    default:
      return Standing::unclear;
  }
}

Standing standing_of(const NodeFacts& node, const InstanceSnapshot& instances) {
  if (!node.provider_id.empty()) {
    const std::size_t index = instances.find_provider_id(node.provider_id);
    if (index == InstanceSnapshot::kNone) return Standing::absent;
    return standing_of(instances.state(index));
  }
  const auto found = instances.find_name(node.name);
  if (found.empty()) return Standing::absent;
  return found.size() == 1 ? standing_of(instances.state(found.front())) : Standing::unclear;
}

void add_gone(BrakeObservation& observation, const NodeFacts& node, Standing standing) {
  observation.absent.push_back(node.uid);
  observation.names.emplace(node.uid, node.name);
  if (node.leaving) observation.announced.insert(node.uid);
  if (standing != Standing::terminated) return;
  observation.terminated.insert(node.uid);
  observation.sighted = true;
}

NodeView view_of(const ViewRequest& request) {
  NodeView view;
  if (request.instances == nullptr) {
    for (const NodeFacts& node : request.nodes) {
      if (!node.seen) view.unseen_uids.insert(node.uid);
    }
    view.canary = probable_canary(request, view.unseen_uids);
    return view;
  }
  std::optional<InstanceQuery> ready_canary;
  std::optional<InstanceQuery> other_canary;
  bool any_ready = false;
  for (const NodeFacts& node : request.nodes) {
    if (!counts(node, request)) continue;
    const bool unseen = !node.seen;
    if (unseen) view.unseen_uids.insert(node.uid);
    auto& observation = unseen ? view.unseen : view.observation;
    ++observation.known;
    any_ready = any_ready || (node.ready && !unseen);
    const Standing standing = standing_of(node, *request.instances);
    const bool lacked =
        !request.instances->complete() || request.instances->may_lack(node.provider_id);
    if (standing == Standing::absent && lacked) continue;
    if (standing == Standing::absent || standing == Standing::terminated) {
      add_gone(observation, node, standing);
      if (node.ready && !node.leaving && !unseen) ++observation.alive;
    }
    if (standing != Standing::exists || unseen) continue;
    auto& canary = node.ready ? ready_canary : other_canary;
    if (!canary) canary = node.query();
  }
  view.canary = ready_canary;
  if (!any_ready) view.canary = other_canary ? other_canary : listed_spare_canary(request);
  for (BrakeObservation* observation : {&view.observation, &view.unseen}) {
    observation->sighted = observation->sighted || view.canary.has_value();
    observation->partial = !request.instances->complete();
  }
  view.unseen.known += view.observation.known;
  return view;
}

std::vector<std::string> pick_spare_canaries(const std::vector<NodeFacts>& nodes,
                                             const InstanceSnapshot& instances) {
  std::vector<std::string> spare_canaries;
  if (nodes.size() > kSmallCluster) return spare_canaries;
  const bool ours = std::any_of(nodes.begin(), nodes.end(), [&](const NodeFacts& node) {
    return !node.provider_id.empty() && standing_of(node, instances) == Standing::exists;
  });
  if (!ours) return spare_canaries;
  for (std::size_t index = 0; index < instances.size() && spare_canaries.size() < kSpareCanaries;
       ++index) {
    const std::string_view id = instances.provider_id(index);
    const bool node_instance = std::any_of(nodes.begin(), nodes.end(), [&](const NodeFacts& node) {
      return instances.find_provider_id(node.provider_id) == index;
    });
    if (id.empty() || node_instance) continue;
    if (standing_of(instances.state(index)) == Standing::exists) spare_canaries.emplace_back(id);
  }
  return spare_canaries;
}

namespace {

// The API server makes UIDs, so nobody can choose two with one hash.
std::size_t hash_of(const kube::Object& node) { return std::hash<std::string_view>()(node.uid()); }

std::string_view provider_id_of(const kube::Object& node) {
  return node.text_at("/spec/providerID");
}

// In the same second it is the one with the smaller UID, as in ccm/instance_claims.hpp.
bool older(const kube::Object& left, const kube::Object& right) {
  const auto age = [](const kube::Object& node) {
    return std::tuple(node.text_at("/metadata/creationTimestamp"), node.uid());
  };
  return age(left) < age(right);
}

// By name, when the Node has no provider ID: one instance must have it.
std::size_t find(const InstanceSnapshot& instances, const kube::Object& node) {
  const std::string_view provider_id = provider_id_of(node);
  if (!provider_id.empty()) return instances.find_provider_id(provider_id);
  const auto named = instances.find_name(node.name());
  return named.size() == 1 ? named.front() : InstanceSnapshot::kNone;
}

// One that was destroyed before this Node came is nobody's.
bool lists(const InstanceSnapshot& instances, const kube::Object& node) {
  const std::size_t index = find(instances, node);
  return index != InstanceSnapshot::kNone && instances.state(index) != CCM_INSTANCE_TERMINATED;
}

}  // namespace

std::string_view Sightings::id_of(const kube::Object& node) const {
  const auto known = ids_.find(hash_of(node));
  return known == ids_.end() ? provider_id_of(node) : std::string_view(known->second);
}

void Sightings::learn_ids(const Nodes& nodes, const InstanceSnapshot* instances) {
  Ids ids;
  for (const kube::ObjectPtr& node : nodes) {
    const std::size_t index =
        instances != nullptr ? find(*instances, *node) : InstanceSnapshot::kNone;
    const bool listed = index != InstanceSnapshot::kNone;
    const std::string_view id = listed ? instances->provider_id(index) : id_of(*node);
    if (id != provider_id_of(*node)) ids.emplace(hash_of(*node), id);
  }
  ids_ = std::move(ids);
}

void Sightings::listed(const Nodes& nodes, const InstanceSnapshot* instances) {
  learn_ids(nodes, instances);
  std::unordered_map<std::string_view, const kube::Object*> owners;
  owners.reserve(nodes.size());
  for (const kube::ObjectPtr& node : nodes) {
    const kube::Object*& owner = owners.try_emplace(id_of(*node), &*node).first->second;
    if (older(*node, *owner)) owner = &*node;
  }
  std::unordered_set<std::size_t> seen;
  seen.reserve(nodes.size());
  for (const kube::ObjectPtr& node : nodes) {
    const std::size_t hash = hash_of(*node);
    const std::string_view id = id_of(*node);
    const bool owner = id.empty() || owners.at(id) == &*node;
    const bool inherited = !begun_ && !provider_id_of(*node).empty();
    const bool there = inherited || (instances != nullptr && lists(*instances, *node));
    if (seen_.contains(hash) || (owner && there)) seen.insert(hash);
  }
  seen_ = std::move(seen);
  begun_ = true;
}

void Sightings::found(const kube::Object& node, std::string_view own_id, const Nodes& nodes) {
  if (!own_id.empty() && own_id != id_of(node)) ids_[hash_of(node)] = own_id;
  const std::string_view id = id_of(node);
  const bool anothers = !id.empty() && std::ranges::any_of(nodes, [&](const auto& other) {
    return other->uid() != node.uid() && id_of(*other) == id && older(*other, node);
  });
  if (!anothers) seen_.insert(hash_of(node));
}

bool Sightings::seen(const kube::Object& node) const {
  return begun_ ? seen_.contains(hash_of(node)) : !provider_id_of(node).empty();
}

void HeldNodes::forget(const NodeFacts& node) {
  const auto place = held_.find(node.name);
  if (place != held_.end() && place->second.uid == node.uid) held_.erase(place);
}

bool HeldNodes::wanted(const std::string& name, const Held& held) const {
  if (timers_.now() - held.asked > kAskedAgain) return false;
  const auto cached = cache_.get("v1/nodes", {}, name);
  if (!cached) return false;
  const NodeFacts node = facts_of(cached);
  return node.uid == held.uid && !node.ready && !node.deleting;
}

std::vector<std::string> HeldNodes::names() const {
  std::vector<std::string> names;
  for (const auto& [name, held] : held_) {
    if (wanted(name, held)) names.push_back(name);
  }
  return names;
}

std::unordered_set<std::string> HeldNodes::uids() const {
  std::unordered_set<std::string> uids;
  for (const auto& [name, held] : held_) uids.insert(held.uid);
  return uids;
}

}  // namespace ccm::cloud
