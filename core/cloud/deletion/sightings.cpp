#include "cloud/deletion/sightings.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ccm::plugin {

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
  const bool anothers =
      !id.empty() && std::any_of(nodes.begin(), nodes.end(), [&](const auto& other) {
        return other->uid() != node.uid() && id_of(*other) == id && older(*other, node);
      });
  if (!anothers) seen_.insert(hash_of(node));
}

bool Sightings::seen(const kube::Object& node) const {
  return begun_ ? seen_.contains(hash_of(node)) : !provider_id_of(node).empty();
}

}  // namespace ccm::plugin
