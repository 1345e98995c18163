#include "families.hpp"

#include "names.hpp"

#include <algorithm>

namespace ccm::node {
namespace {

bool is_v6(std::string_view text) { return text.find(':') != std::string_view::npos; }

std::vector<std::string> ips_of(const std::vector<NodeAddress>& addresses) {
  std::vector<std::string> ips;
  for (const NodeAddress& entry : addresses) {
    if (entry.type == "InternalIP" || entry.type == "ExternalIP") ips.push_back(entry.address);
  }
  return ips;
}

std::string family_of(std::string_view text) { return is_v6(text) ? "IPv6" : "IPv4"; }
std::string other_family(std::string_view text) { return is_v6(text) ? "IPv4" : "IPv6"; }

}  // namespace

bool both_families(const std::vector<std::string>& texts) {
  const auto v6 = std::count_if(texts.begin(), texts.end(),
                                [](const std::string& text) { return is_v6(text); });
  return v6 > 0 && v6 < static_cast<std::ptrdiff_t>(texts.size());
}

std::string one_family_text(const NodeState& node, const std::vector<NodeAddress>& cloud,
                            const std::vector<NodeAddress>& shown) {
  std::string text;
  const std::vector<std::string> ips = ips_of(shown);
  if (node.provided_node_ip && !ips.empty() && !both_families(ips) &&
      both_families(ips_of(cloud))) {
    text = "The cluster is dual-stack, but the Node shows no " + other_family(ips.front()) +
           " address, although its instance has one, because its kubelet has --node-ip=" +
           *node.provided_node_ip +
           ": give it an address of each family, separated by a comma, or none, and restart it";
  }
  const std::vector<std::string>& ranges = node.pod_ranges;
  if (!ranges.empty() && !both_families(ranges)) {
    text += (text.empty() ? "The cluster is dual-stack, but the Node has" : ". It also has") +
            std::string(" a Pod range of ") + family_of(ranges.front()) +
            " alone, from before, which Kubernetes never adds to: drain the Node, delete it "
            "(kubectl delete node " +
            node.name + ") and restart its kubelet";
  }
  return text;
}

}  // namespace ccm::node
