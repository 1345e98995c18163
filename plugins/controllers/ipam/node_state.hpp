// The fields of a Node that this controller reads, as values, and the body of its write. Any
// thread.
#pragma once

#include <ccm/cidr.hpp>
#include <ccm/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::ipam {

struct NodeState {
  std::string name;
  std::string uid;
  std::string created;   // RFC 3339, so that texts sort by age
  uint64_t version = 0;  // resourceVersion; 0 when it is no number
  std::vector<std::string> cidrs;
  bool deleting = false;

  [[nodiscard]] std::string joined() const;  // "10.244.0.0/24, fd00::/64"
};

// JSON pointers of all fields that read_node() reads.
const std::vector<std::string>& node_fields();

// Where spec.podCIDR is not the first of spec.podCIDRs, spec.podCIDR wins, as in the API server.
NodeState read_node(const Object& node);

// The field manager that wrote spec.podCIDR; empty when the object does not say. For objects from
// the API server: the cache keeps no managedFields.
std::string assigner(const Object& node);

// A strategic merge patch for nodes/<name>. The uid is its precondition: it does not change another
// Node of the same name. Nor does it ever change existing ranges: the API server lets them be set
// only once (IPAM-34). So it needs no resourceVersion, which each heartbeat would invalidate.
std::string cidr_patch(const std::string& uid, const std::vector<Cidr>& blocks);

}  // namespace ccm::ipam
