#include "nodes.hpp"

#include <ccm/object.hpp>

namespace ccm::openstack {
namespace {

std::string address_text(const std::string& address) { return normal_form({{}, address}).next_hop; }

bool is_v6_text(const std::string& text) { return text.find(':') != std::string::npos; }

}  // namespace

RouteNodes::RouteNodes(const Kube& kube) {
  kube.cached_each("v1/nodes", {}, [this](const Object& object) {
    RouteNode& node = nodes_.emplace_back();
    node.name = object.name();
    object.at("/status/addresses").each([&](std::string_view, const Value& entry) {
      NodeAddress& address = node.addresses.emplace_back();
      address.type = entry.text("/type");
      address.address = entry.text("/address");
    });
    object.at("/spec/podCIDRs").each([&](std::string_view, const Value& range) {
      const std::string text(range.text().value_or(std::string_view()));
      node.ranges.insert(normal_form({text, {}}).destination);
    });
  });
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const NodeAddress& address : nodes_[i].addresses) {
      by_address_.emplace(address_text(address.address), i);
    }
  }
}

const RouteNode* RouteNodes::target_of(const ExtraRoute& route) const {
  const ExtraRoute normal = normal_form(route);
  const auto [first, last] = by_address_.equal_range(normal.next_hop);
  for (auto place = first; place != last; ++place) {
    if (nodes_[place->second].ranges.contains(normal.destination)) return &nodes_[place->second];
  }
  return first == last ? nullptr : &nodes_[first->second];
}

std::string next_hop_of(const std::vector<NodeAddress>& addresses, const std::string& range) {
  for (const NodeAddress& address : addresses) {
    if (address.type == "InternalIP" && is_v6_text(address.address) == is_v6_text(range)) {
      return address_text(address.address);
    }
  }
  return {};
}

}  // namespace ccm::openstack
