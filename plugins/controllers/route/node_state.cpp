#include "node_state.hpp"

namespace ccm::route {

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/creationTimestamp",
                                               "/spec/podCIDRs",
                                               "/spec/providerID",
                                               "/status/addresses",
                                               "/status/conditions/-/type",
                                               "/status/conditions/-/status",
                                               "/status/conditions/-/reason"};
  return fields;
}

NodeState read_node(const Object& node) {
  NodeState state;
  state.name = node.name();
  state.uid = node.uid();
  state.created = node.text("/metadata/creationTimestamp");
  state.provider_id = node.text("/spec/providerID");
  node.at("/spec/podCIDRs").each([&](std::string_view, const Value& range) {
    state.ranges.emplace_back(range.text().value_or(std::string_view()));
  });
  node.at("/status/addresses").each([&](std::string_view, const Value& entry) {
    NodeAddress& address = state.addresses.emplace_back();
    address.type = entry.text("/type");
    address.address = entry.text("/address");
  });
  node.at("/status/conditions").each([&](std::string_view, const Value& condition) {
    if (condition.text("/type") != "NetworkUnavailable") return true;
    state.network_status = condition.text("/status");
    state.network_reason = condition.text("/reason");
    return false;
  });
  state.object = node;
  return state;
}

bool same_target(const NodeState& left, const NodeState& right) {
  return left.uid == right.uid && left.provider_id == right.provider_id &&
         left.ranges == right.ranges && left.addresses == right.addresses;
}

}  // namespace ccm::route
