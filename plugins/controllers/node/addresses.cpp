#include "addresses.hpp"

#include "provided_node_ip.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace ccm::node {
namespace {

constexpr std::string_view kHostname = "Hostname";

bool has_hostname(const std::vector<NodeAddress>& addresses) {
  return std::any_of(addresses.begin(), addresses.end(),
                     [](const NodeAddress& entry) { return entry.type == kHostname; });
}

std::vector<NodeAddress> without_repeats(const std::vector<NodeAddress>& addresses) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::vector<NodeAddress> unique;
  for (const NodeAddress& entry : addresses) {
    if (seen.emplace(entry.type, entry.address).second) unique.push_back(entry);
  }
  return unique;
}

}  // namespace

Result<std::vector<NodeAddress>> desired_addresses(const NodeState& node,
                                                   const std::vector<NodeAddress>& cloud) {
  if (cloud.empty()) return std::vector<NodeAddress>();
  std::vector<NodeAddress> addresses = cloud;
  if (!has_hostname(cloud)) {
    for (const NodeAddress& entry : node.addresses) {
      if (entry.type == kHostname) addresses.push_back(entry);
    }
  }
  addresses = without_repeats(addresses);
  if (!node.provided_node_ip) return addresses;
  return pin_addresses(addresses, *node.provided_node_ip);
}

bool addresses_differ(const NodeState& node, const std::vector<NodeAddress>& desired) {
  return !desired.empty() && desired != node.addresses;
}

}  // namespace ccm::node
