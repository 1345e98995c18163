// The fields of a Node that this controller reads, as values. Any thread.
#pragma once

#include <ccm/instances.hpp>
#include <ccm/object.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::node {

using Labels = std::map<std::string, std::string, std::less<>>;

struct Taint {
  std::string key;
  std::string json;  // the whole taint, members unknown here included
  bool operator==(const Taint&) const = default;
};

struct NodeState {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string provider_id;
  Labels labels;
  std::vector<Taint> taints;
  std::vector<NodeAddress> addresses;
  std::vector<std::string> pod_ranges;               // spec.podCIDRs
  std::optional<std::string> provided_node_ip;       // the annotation, also when it is empty
  std::optional<std::chrono::milliseconds> created;  // since 1970

  // Whether it still waits for its initialisation (NODE-6): the key alone decides.
  [[nodiscard]] bool uninitialized() const;
  // Whether it shows an IP address, which then is the kubelet's.
  [[nodiscard]] bool has_ip() const;
};

// JSON pointers of all fields that read_node() reads.
const std::vector<std::string>& node_fields();

NodeState read_node(const Object& node);

// .spec.podCIDRs and .status.addresses.
std::vector<std::string> read_pod_ranges(const Object& node);
std::vector<NodeAddress> read_addresses(const Object& node);

// NodeState::uninitialized() without reading the rest: there are thousands of events.
bool is_uninitialized(const Object& node);

// Whether both are one Node, equal in all inputs of the initialisation except for the
// addresses: those are written by this controller.
bool same_input(const Object& left, const Object& right);

// Type, zone and region under their two names, as far as the Node has them.
Labels read_cloud_labels(const Object& node);

}  // namespace ccm::node
