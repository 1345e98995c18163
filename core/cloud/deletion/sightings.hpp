// The Nodes whose instance this process has seen in the cloud. A client that may register a Node
// can give it any provider ID, an invented one or another Node's; that such an instance is missing
// says nothing about the cloud. Loop thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "kube/object.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::plugin {

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

}  // namespace ccm::plugin
