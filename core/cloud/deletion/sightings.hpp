// The Nodes whose instance this process has seen in the cloud. A client that may register a Node
// can give it any provider ID, an invented one or another Node's; that such an instance is missing
// says nothing about the cloud. Loop thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "kube/object.hpp"

#include <cstddef>
#include <unordered_set>
#include <vector>

namespace ccm::plugin {

class Sightings {
 public:
  using Nodes = std::vector<kube::ObjectPtr>;

  // All cached Nodes, and a listing of the cloud; null: the provider has none. Nodes with a
  // provider ID that are there at the first call count as seen, as an earlier process may have seen
  // their instances: a restart in the middle of an outage must not disarm the brake. Of several
  // Nodes with one provider ID only the oldest has the instance.
  void listed(const Nodes& nodes, const InstanceSnapshot* instances);
  // A look-up found that Node's instance. `nodes`: all cached ones.
  void found(const kube::Object& node, const Nodes& nodes);

  // Before the first listing every Node with a provider ID.
  [[nodiscard]] bool seen(const kube::Object& node) const;

 private:
  bool begun_ = false;
  std::unordered_set<std::size_t> seen_;  // hashes of UIDs
};

}  // namespace ccm::plugin
