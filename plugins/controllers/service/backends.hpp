// The Nodes that take the traffic of Services (SVC-57, SVC-58), and why others do not. Any thread.
#pragma once

#include <ccm/instance_claims.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::service {

// JSON pointers of all fields of a Node that this controller and providers read.
const std::vector<std::string>& node_fields();

// Why a Node takes no traffic.
enum class LeftOut : std::size_t {
  no,           // it does
  excluded,     // SVC-58: by the label
  deleting,     // it has a deletionTimestamp
  autoscaler,   // its taint says that the instance is about to go
  cordoned,     // spec.unschedulable, where that counts
  flaps,        // Nodes of its name come and go
  no_instance,  // the cloud has none for it
  of_another,   // the instance that it names is an older Node's
  foreign,      // it is another provider's
  not_known,    // the cloud does not say
};
inline constexpr std::size_t kLeftOutKinds = static_cast<std::size_t>(LeftOut::not_known) + 1;

// SVC-58: the exclusion label allows it.
bool included(const Object& node);
// By what the Node itself says, SVC-57: no, excluded, deleting or autoscaler.
LeftOut left_out(const Object& node);
inline bool takes_traffic(const Object& node) { return left_out(node) == LeftOut::no; }
// spec.unschedulable: no new Pods go there, as when somebody drains it.
bool cordoned(const Object& node);

// .status.addresses, in their order.
std::vector<NodeAddress> read_addresses(const Object& node);
// Equal but for their order, which means nothing.
bool same_addresses(std::vector<NodeAddress> one, std::vector<NodeAddress> other);
// The addresses that the kubelet's --node-ip names (NODE-34); empty = none.
std::string_view node_ip(const Object& node);
// The cloud's addresses, those first that node_ip() names: a kubelet may choose among them, and
// no more.
std::vector<NodeAddress> ordered_addresses(std::vector<NodeAddress> cloud, const Object& node);

// The backends of all load balancers at one moment.
struct BackendSet {
  Backends backends;  // sorted by name
  std::size_t nodes = 0;
  std::array<std::size_t, kLeftOutKinds> left_out{};  // how many, by reason

  // A hash of names, provider IDs (SVC-56) and addresses, in whose order providers choose, and of
  // the values of those labels; of the reasons while there are no backends. `labels`: sorted.
  [[nodiscard]] uint64_t hash(const std::vector<std::string>& labels) const;
  // "3 Nodes are left out by node.kubernetes.io/exclude-from-external-load-balancers".
  [[nodiscard]] std::string why_none() const;
  // There are none, because the cloud shows no instance of Nodes that would take traffic: nobody
  // wanted that.
  [[nodiscard]] bool lost() const;

 private:
  mutable std::map<std::vector<std::string>, uint64_t> hashes_;
};

// For SVC-62: at most 20 names.
std::string node_names(const Backends& backends);

}  // namespace ccm::service
