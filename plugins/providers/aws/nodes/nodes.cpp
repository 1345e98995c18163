#include "nodes.hpp"

#include "instance_view.hpp"
#include "provider_id.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestZoneWait{60'000};  // for a zone's id
constexpr const char* kZoneIdLabel = "topology.k8s.aws/zone-id";
constexpr const char* kLayerLabel = "topology.k8s.aws/network-node-layer-";

Instance in_state(InstanceState state, const NodeIdentity& node) {
  Instance instance;
  instance.state = state;
  instance.name = node.name;
  instance.provider_id = node.provider_id;
  return instance;
}

}  // namespace

// What a question is about, sorted by the way to the answer.
struct Nodes::Asked {
  explicit Asked(const std::vector<NodeIdentity>& nodes) {
    for (const NodeIdentity& node : nodes) {
      if (node.provider_id.empty()) {
        by_name.push_back(node);
        continue;
      }
      const auto id = parse_provider_id(node.provider_id);
      std::string address = id.ok() ? fargate_address(id->fargate) : std::string();
      if (!address.empty()) fargate.push_back(std::move(address));
      if (id.ok() && is_instance_id(id->instance)) ids.push_back(id->instance);
    }
  }
  std::vector<std::string> ids;
  std::vector<std::string> fargate;
  std::vector<NodeIdentity> by_name;
};

Nodes::Nodes(Host& host, Client& client, const Settings& settings, const Cluster& cluster,
             Ec2Instances& instances, Zones& zones)
    : host_(host),
      settings_(settings),
      cluster_(cluster),
      instances_(instances),
      zones_(zones),
      topology_(host, client),
      fargate_(client, cluster),
      search_(host, instances, cluster) {}

Task<Status> Nodes::begin(Ctx ctx) {
  configure();
  Status status = co_await zones_.read(ctx);
  co_return status;
}

// A filter has 200 values, so that many Nodes cost one call.
InstanceLimits Nodes::limits() {
  InstanceLimits limits;
  limits.list_timeout = milliseconds(120'000);
  limits.batch = 200;
  return limits;
}

void Nodes::note(const Ec2Instance& instance, Unlabelled& all) const {
  if (zones_.id_of(instance.zone).empty()) all.zones.insert(instance.zone);
  if (!topology_.lacks(instance) || !is_of_cluster(instance, cluster_)) return;
  all.instances.push_back({instance.id, instance.type});
}

Task<Status> Nodes::learn_labels(Ctx ctx, Unlabelled all) {
  for (const std::string& zone : all.zones) {
    (void)co_await zones_.look_for(ctx, zone);  // a label is not worth a failure
  }
  Status status = co_await topology_.learn(ctx, std::move(all.instances));
  co_return status;
}

Instance Nodes::view(const Ec2Instance& instance) {
  Instance view = view_of(instance, cluster_, settings_.node_ip_families, named_by_id_);
  const std::string zone_id = zones_.id_of(instance.zone);
  if (!zone_id.empty()) {
    view.labels.push_back({kZoneIdLabel, zone_id});
    zone_wanted_since_.erase(instance.zone);
  }
  int layer = 1;
  for (const std::string& node : topology_.layers_of(instance)) {
    view.labels.push_back({kLayerLabel + std::to_string(layer++), node});
  }
  bool waits = topology_.must_wait(instance);
  if (zone_id.empty()) {
    const milliseconds now = host_.timer.now();
    waits = waits ||
            now - zone_wanted_since_.emplace(instance.zone, now).first->second < kLongestZoneWait;
  }
  if (waits && view.state == InstanceState::running) view.state = InstanceState::starting;
  return view;
}

Task<Result<InstanceList>> Nodes::list(Ctx ctx) {
  auto all = co_await instances_.list(ctx, milliseconds(0));
  if (!all.ok()) co_return all.status();
  const InstanceListing& listing = **all;
  Unlabelled unlabelled;
  for (size_t i = 0; i < listing.size(); ++i) note(listing[i], unlabelled);
  Status status = co_await learn_labels(ctx, std::move(unlabelled));
  InstanceList list;
  list.instances.reserve(listing.size());
  for (size_t i = 0; i < listing.size(); ++i) list.instances.push_back(view(listing[i]));
  co_return list;
}

Task<Result<InstanceMap>> Nodes::by_ids(Ctx ctx, const Asked& asked) {
  auto instances = co_await instances_.by_ids(ctx, asked.ids, milliseconds(0));
  if (!instances.ok()) co_return instances.status();
  Unlabelled unlabelled;
  for (const auto& [id, instance] : *instances) note(instance, unlabelled);
  Status status = co_await learn_labels(ctx, std::move(unlabelled));
  co_return instances;
}

Task<Result<std::vector<Instance>>> Nodes::describe(Ctx ctx, std::vector<NodeIdentity> nodes) {
  const Asked asked(nodes);
  auto instances = co_await by_ids(ctx, asked);
  if (!instances.ok()) co_return instances.status();
  auto fargate = co_await fargate_.find(ctx, asked.fargate);
  if (!fargate.ok()) {
    if (asked.ids.empty() && asked.by_name.empty()) co_return fargate.status();
    host_.log.warning("Fargate's Nodes cannot be looked up", {{"err", fargate.status()}});
  }
  auto named = co_await search_.find(ctx, asked.by_name);
  if (!named.ok()) co_return named.status();
  Unlabelled unlabelled;
  for (const auto& [name, found] : named->by_name) {
    note(found.instance, unlabelled);
    named_by_id_ = named_by_id_ || name == found.instance.id;
  }
  Status status = co_await learn_labels(ctx, std::move(unlabelled));
  std::vector<Instance> answers;
  for (const NodeIdentity& node : nodes) {
    answers.push_back(answer(node, *instances, fargate, *named));
  }
  co_return answers;
}

Instance Nodes::answer(const NodeIdentity& node, const InstanceMap& instances,
                       const FargateTasks& fargate, const FoundInstances& named) {
  if (node.provider_id.empty()) {
    const auto found = named.by_name.find(node.name);
    if (found == named.by_name.end()) {
      const bool unclear = named.unclear.contains(node.name);
      return in_state(unclear ? InstanceState::unknown : InstanceState::absent, node);
    }
    Instance instance = view(found->second.instance);
    // The host takes the name for the cloud's word, and an InternalIP is a kubelet's.
    if (found->second.rule != FoundBy::internal_ip) instance.name = node.name;
    return instance;
  }
  const auto id = parse_provider_id(node.provider_id);
  if (id.ok() && !id->fargate.empty()) {
    const std::string address = fargate_address(id->fargate);
    if (!fargate.ok() || address.empty()) return in_state(InstanceState::unknown, node);
    const auto found = fargate->find(address);
    return found == fargate->end() ? in_state(InstanceState::absent, node) : found->second;
  }
  if (!id.ok() || !is_instance_id(id->instance)) return in_state(InstanceState::unknown, node);
  const auto found = instances.find(id->instance);
  if (found == instances.end()) return in_state(InstanceState::absent, node);
  return view(found->second);
}

}  // namespace ccm::aws
