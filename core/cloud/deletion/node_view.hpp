// The cluster's Nodes compared with a listing of the cloud, if there is one: which instances are
// there, and whether the listing proves anything about the missing ones. Any thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "cloud/broker/known_instances.hpp"
#include "cloud/deletion/brake.hpp"
#include "kube/object.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "runtime/timers.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::cloud {

// With the value "true" on a Node: it passes brake and canary, and counts as an instance that
// was seen.
inline constexpr std::string_view kAllowDeletion = "cloud-controller-manager/allow-deletion";

// The facts about a Node that decide on its deletion.
struct NodeFacts {
  kube::ObjectPtr object;
  std::string name;
  std::string uid;
  std::string provider_id;
  bool ready = false;     // condition Ready is True (LIFE-4)
  bool deleting = false;  // has a deletionTimestamp
  bool released = false;  // kAllowDeletion
  bool of_cloud = false;  // has a provider ID, or waits for a cloud to give it one
  bool seen = true;       // in the cloud (Sightings)
  // Its instance is going to be removed: the Node is cordoned (kubectl drain, Cluster API and most
  // autoscalers do that first), or has an autoscaler's taint.
  bool leaving = false;

  [[nodiscard]] InstanceQuery query() const;
};

// JSON pointers of all that facts_of() and Sightings read; a cache has to keep them.
const std::vector<std::string>& node_fact_fields();
NodeFacts facts_of(const kube::ObjectPtr& node);

enum class Standing {
  exists,
  terminated,  // the cloud says explicitly that it was destroyed
  absent,
  unclear,  // listed in an unknown state, or several instances of the name
};

Standing standing_of(const NodeFacts& node, const InstanceSnapshot& instances);
Standing standing_of(int32_t instance_state);  // one answer's CCM_INSTANCE_*

struct NodeView {
  BrakeObservation observation;
  // Nodes whose instance was never seen prove nothing about the cloud: they count neither there nor
  // as a canary. Those that are missing are limited apart.
  BrakeObservation unseen;
  std::unordered_set<std::string> unseen_uids;
  // An existing instance: a direct look-up has to find it too.
  std::optional<InstanceQuery> canary;
};

// That Node's instance is missing, or terminated. The cloud's word about the latter is evidence by
// itself: a view that cannot see does not know the instance.
void add_gone(BrakeObservation& observation, const NodeFacts& node, Standing standing);

struct ViewRequest {
  const std::vector<NodeFacts>& nodes;  // this provider's only
  const InstanceSnapshot* instances;    // null: the provider cannot list
  // UIDs of the Nodes whose deletion is requested.
  const std::unordered_set<std::string>& wanted;
  const std::vector<std::string>& spare_canaries;  // from pick_spare_canaries()
};

// Sighted when the listing holds the instance of a Ready Node. When no Node at all is Ready, the
// instance of any Node will do, and failing that a spare canary; or when it calls a Node's instance
// terminated. A listing that is incomplete shows only those. Without a listing the observation is
// empty, and only the canary is chosen.
NodeView view_of(const ViewRequest& request);

inline constexpr std::size_t kSmallCluster = 16;

// For clusters so small that no other Node can vouch for a listing: provider IDs of a few instances
// that are listed beside a Node's instance. Nothing when no Node's instance is listed, or when
// there are more than kSmallCluster Nodes.
std::vector<std::string> pick_spare_canaries(const std::vector<NodeFacts>& nodes,
                                             const InstanceSnapshot& instances);

// The Nodes whose instance this process has seen in the cloud. A client that may register a Node
// can give it any provider ID, an invented one or another Node's; that such an instance is missing
// says nothing about the cloud. Loop thread.
class Sightings {
 public:
  using Nodes = std::vector<kube::ObjectPtr>;

  // All cached Nodes, and a listing of the cloud; null: the provider has none. What is listed as
  // terminated does not count. Nodes with a
  // provider ID that are there at the first call count as seen, as an earlier process may have seen
  // their instances: a restart in the middle of an outage must not disarm the brake. Of several
  // Nodes with one instance only the oldest has it, whichever of its provider IDs they name.
  void listed(const Nodes& nodes, const InstanceSnapshot* instances);
  // A look-up found that Node's instance, which has the provider ID `own_id`. `nodes`: all
  // cached ones.
  void found(const kube::Object& node, std::string_view own_id, const Nodes& nodes);

  // Before the first listing every Node with a provider ID.
  [[nodiscard]] bool seen(const kube::Object& node) const;

 private:
  using Ids = std::unordered_map<std::size_t, std::string>;

  // The provider ID of the Node's instance: the cloud's word as far as it is known.
  [[nodiscard]] std::string_view id_of(const kube::Object& node) const;
  void learn_ids(const Nodes& nodes, const InstanceSnapshot* instances);

  bool begun_ = false;
  // By hashes of UIDs.
  std::unordered_set<std::size_t> seen_;
  Ids ids_;  // where the Node's text is another
};

// The Nodes whose deletion the gate currently holds back, for pages and metrics. Loop thread.
class HeldNodes {
 public:
  // Both must outlive it.
  HeldNodes(const plugin::ObjectCache& cache, const runtime::Timers& timers)
      : cache_(cache), timers_(timers) {}

  void hold(const NodeFacts& node) { held_[node.name] = {node.uid, timers_.now()}; }
  // The gate has decided otherwise.
  void forget(const NodeFacts& node);
  // Forgets Nodes whose deletion is no longer requested: they are gone, Ready, or not asked for.
  void refresh() {
    std::erase_if(held_, [&](const auto& entry) { return !wanted(entry.first, entry.second); });
  }

  [[nodiscard]] std::vector<std::string> names() const;  // sorted by name
  [[nodiscard]] std::unordered_set<std::string> uids() const;

 private:
  struct Held {
    std::string uid;
    runtime::TimePoint asked;
  };
  [[nodiscard]] bool wanted(const std::string& name, const Held& held) const;

  const plugin::ObjectCache& cache_;
  const runtime::Timers& timers_;
  std::map<std::string, Held> held_;  // by name
};

}  // namespace ccm::cloud
